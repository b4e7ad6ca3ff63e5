import Foundation
import SharedWorld

/// What a flood of a stranger, or of a third member, costs two members: memory and descriptors that it adds, and how much later
/// their updates come.
///
/// The floods are those of `Benchmarks/attack.py`, a process of its own on this machine. The attacker has a machine of its own,
/// so where there are two processors it gets the last one alone, and the members have the others, with the flood and without.
enum AttackRows {
  private static let floods = [
    "half-open", "junk", "slow", "handshakes", "draining", "invitations", "pings", "key-updates", "member-questions",
    "member-operations", "member-departures", "member-announcements",
  ]
  /// Updates a second between the members, and how long each measurement takes (seconds).
  private static let (rate, time) = (200, 6)

  /// How often the members are measured without the flood and with it, in turn.
  ///
  /// The median of the rounds counts, because what else the machine does can spoil one.
  private static let rounds = 3

  static let all =
    floods.map { flood in Benchmark(name: "attack/\(flood)") { try await rows(flood) } }
    + [Benchmark(name: "attack/mdns", run: multicastRows)]

  enum Failure: Error { case noFlood(String), notBound }

  /// The rows of the flood that needs a LAN: the test of `make lan` that makes one measures it.
  @Sendable private static func multicastRows() throws -> [Row] {
    guard geteuid() == 0 else {
      print("attack/mdns: left out, because a LAN of namespaces needs root")
      return []
    }
    return try ScriptedRows.rows(of: "Scripts/lan.sh", environment: ["FILTER": "test_a_flood_of_mdns"], isQuiet: true)
  }

  private static func rows(_ flood: String) async throws -> [Row] {
    try await Party.with(receivers: 1) { party in
      let processors = try Processors()
      defer { processors.release() }
      let before = try Size.now()
      let watch = Task {
        var largest = before
        while !Task.isCancelled {
          largest = try largest.union(.now())
          try? await Task.sleep(for: .milliseconds(50))
        }
        return largest
      }
      defer { watch.cancel() }
      var (idle, busy): ([Double], [Double]) = ([], [])
      for _ in 0..<rounds {
        idle.append(try await latencies(party).percentile(0.99))
        let attacker = try start(flood, on: party.receivers[0].port, processors)
        busy.append(try await latencies(party).percentile(0.99))
        attacker.waitUntilExit()
        guard attacker.terminationStatus == 0 else { throw Failure.noFlood(flood) }
      }
      watch.cancel()
      let largest = try await watch.value
      let (value, baseline) = (median(busy), median(idle))
      return [
        Row(
          name: "attack-memory/\(flood)", value: Double(largest.bytes - before.bytes) / 1_048_576, unit: "MiB more",
          baseline: "before, MiB", baselineValue: Double(before.bytes) / 1_048_576,
          ratio: Double(largest.bytes) / Double(before.bytes)),
        Row(
          name: "attack-descriptors/\(flood)", value: Double(largest.descriptors - before.descriptors),
          unit: "more", baseline: "before", baselineValue: Double(before.descriptors),
          ratio: Double(largest.descriptors) / Double(before.descriptors)),
        Row(
          name: "attack-latency-p99/\(flood)", value: value, unit: "µs", baseline: "without the flood",
          baselineValue: baseline, ratio: value / baseline),
      ]
    }
  }

  private static func start(_ flood: String, on port: UInt16, _ processors: Processors) throws -> Process {
    try Process.run(
      URL(filePath: "/usr/bin/env"),
      arguments: processors.prefix + ["python3", "Benchmarks/attack.py", flood, "\(port)", "\(time + 1)"])
  }

  /// The processors of this machine, divided between the members and the flood; undivided if there is one alone.
  private struct Processors {
    private let all: String
    /// The words before a command that has the flood's processor.
    let prefix: [String]

    /// Leaves the last processor to the flood; all threads of this process have the others.
    init() throws {
      let count = ProcessInfo.processInfo.activeProcessorCount
      all = "0-\(count - 1)"
      prefix = count > 1 ? ["taskset", "-c", "\(count - 1)"] : []
      if count > 1 { try Self.bind(to: "0-\(count - 2)") }
    }

    /// Takes all processors again.
    func release() { try? Self.bind(to: all) }

    private static func bind(to list: String) throws {
      let identifier = ProcessInfo.processInfo.processIdentifier
      let child = Process()
      child.executableURL = URL(filePath: "/usr/bin/env")
      child.arguments = ["taskset", "-a", "-c", "-p", list, "\(identifier)"]
      child.standardOutput = FileHandle.nullDevice
      try child.run()
      child.waitUntilExit()
      guard child.terminationStatus == 0 else { throw Failure.notBound }
    }
  }

  /// How long the updates of one member take to the app of the other.
  private static func latencies(_ party: Party) async throws -> Latencies {
    let (sender, receiver) = (party.sender, party.receivers[0])
    let anchor = Anchor(name: "ball")
    try await sender.place(anchor)
    let arrivals = Task(executorPreference: receiver.executor) {
      var times: [UInt64] = []
      for await event in receiver.events {
        guard case .anchorUpdated(let moved, _) = event, moved.id == anchor.id else { continue }
        let number = Int(moved.transform.translation.x)
        // A move that was overtaken by the next before it was read has arrived with that.
        while times.count < number { times.append(Latencies.now) }
        if number == rate * time { break }
      }
      return times
    }
    let clock = ContinuousClock()
    let start = clock.now
    var departures: [UInt64] = []
    for number in 1...rate * time {
      try await clock.sleep(until: start + .nanoseconds(number * 1_000_000_000 / rate), tolerance: .zero)
      departures.append(Latencies.now)
      try await sender.move(anchor.id, to: Transform(translation: [Float(number), 0, 0]))
    }
    var latencies = Latencies()
    for (departure, arrival) in zip(departures, await arrivals.value) { latencies.add(from: departure, to: arrival) }
    return latencies
  }

  /// What this process holds.
  private struct Size {
    var bytes: Int
    var descriptors: Int

    static func now() throws -> Size {
      let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
      return Size(bytes: Cost.residentBytes, descriptors: descriptors)
    }

    func union(_ other: Size) -> Size {
      Size(bytes: max(bytes, other.bytes), descriptors: max(descriptors, other.descriptors))
    }
  }
}
