import Foundation
import SharedWorld

/// The app's own messages, requests and resources, encrypted, in order, acknowledged, and delivered through the public API.
enum MessageRows {
  /// Bytes of a message.
  private static let size = 100
  /// Messages in all, about.
  private static let deliveries = 800_000
  /// How often each contender runs; its best counts, because what else the machine does slows it down for a while.
  private static let rounds = 3

  static let all =
    [8, 32].map { peers in Benchmark(name: "message-fanout/\(peers)") { try await fanOut(peers) } }
    + [8, 32].map { peers in Benchmark(name: "message-json/\(peers)") { try await json(peers) } }
    + [
      Benchmark(name: "message-all/8") { try await everybody(8) },
      Benchmark(name: "message-minute/8", isOnRequest: true) { try await minute(8) },
      Benchmark(name: "request-roundtrip") { try await roundTrip() },
      Benchmark(name: "resource-transfer/8") { try await resources(8) },
    ]

  // MARK: - One to many

  /// What was delivered, and at what cost.
  private typealias Run = (deliveries: Int, cost: Cost)

  private static func fanOut(_ peers: Int) async throws -> [Row] {
    try await againstRaw("message-fanout", peers) { party in
      let count = deliveries / peers
      let cost = try await cost(of: party) { sender in
        try await burst(count, from: sender)
      } reading: { receiver in
        await read(receiver, count)
      }
      return (count * peers, cost)
    }.rows
  }

  /// Sends on the session's own actor, so that a message costs no change of executors, and waits only for room.
  private static func burst(_ count: Int, from session: isolated Session) async throws {
    let message = [UInt8](repeating: 7, count: size)
    for _ in 0..<count {
      guard (try? await session.messages.sendNow(message, to: .all)) == nil else { continue }
      try await session.send(message, to: .all)
    }
  }

  /// Every peer to all others.
  private static func everybody(_ peers: Int) async throws -> [Row] {
    let (rows, memory) = try await againstRaw("message-all", peers) { party in
      let (everybody, count) = ([party.sender] + party.receivers, deliveries / peers / (peers - 1))
      let cost = try await Cost.of {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for session in everybody {
            group.addTask(executorPreference: session.executor) { await read(session, count * (everybody.count - 1)) }
            group.addTask(executorPreference: session.executor) {
              for _ in 0..<count { try await session.send([UInt8](repeating: 7, count: size), to: .all) }
            }
          }
          try await group.waitForAll()
        }
      }
      return (count * everybody.count * (everybody.count - 1), cost)
    }
    let (first, last) = (memory.first ?? .nan, memory.last ?? .nan)
    let growth = Row(
      name: "message-all-memory/\(peers)", value: last, unit: "MB resident", baseline: "after the first round",
      baselineValue: first, ratio: last / first)
    return rows + [growth]
  }

  /// The memory of peers that send to all others without a pause, at the end of a minute and in the middle of it, when every
  /// queue has once been as long as it gets.
  private static func minute(_ peers: Int) async throws -> [Row] {
    try await Party.with(receivers: peers - 1) { party in
      let everybody = [party.sender] + party.receivers
      return try await withThrowingTaskGroup(of: Void.self) { group in
        for session in everybody {
          group.addTask(executorPreference: session.executor) { await read(session, .max) }
          group.addTask(executorPreference: session.executor) {
            while !Task.isCancelled { try await session.send([UInt8](repeating: 7, count: size), to: .all) }
          }
        }
        try await Task.sleep(for: .seconds(30))
        let first = Double(Cost.residentBytes) / 1e6
        try await Task.sleep(for: .seconds(30))
        let last = Double(Cost.residentBytes) / 1e6
        group.cancelAll()
        while let result = await group.nextResult() {
          // A sender that is told to end may be in the middle of a message.
          if case .failure(let error) = result, !(error is SessionError), !(error is CancellationError) { throw error }
        }
        return [
          Row(
            name: "message-minute/\(peers)", value: last, unit: "MB resident", baseline: "after half a minute",
            baselineValue: first, ratio: last / first)
        ]
      }
    }
  }

  /// Runs ours and plain TCP in turn, so that both meet the same noise; gives the memory after each round, too (megabytes).
  private static func againstRaw(
    _ name: String, _ peers: Int, _ body: @Sendable @escaping (Party) async throws -> Run
  ) async throws -> (rows: [Row], memory: [Double]) {
    var (ours, raw): ([Run], [Run]) = ([], [])
    var memory: [Double] = []
    for _ in 0..<rounds {
      raw.append(try RawTCP.fanOut(receivers: peers, bytes: 512 * 1024 * 1024 / peers))
      ours.append(try await Party.with(receivers: peers, body))
      memory.append(Double(Cost.residentBytes) / 1e6)
    }
    return (rows(name, peers, ours, baseline: "raw TCP, 40 KiB sends", raw), memory)
  }

  private static func rows(_ name: String, _ peers: Int, _ ours: [Run], baseline: String, _ runs: [Run]) -> [Row] {
    func rate(_ run: Run) -> Double { Double(run.deliveries) / run.cost.seconds }
    func cpu(_ run: Run) -> Double { run.cost.cpu / Double(run.deliveries) * 1e9 }
    let (best, theirs) = (ours.map(rate).max() ?? .nan, runs.map(rate).max() ?? .nan)
    let (work, theirWork) = (ours.map(cpu).min() ?? .nan, runs.map(cpu).min() ?? .nan)
    return [
      Row(
        name: "\(name)/\(peers)", value: best, unit: "deliveries/s", baseline: baseline, baselineValue: theirs,
        ratio: best / theirs),
      Row(
        name: "\(name)-cpu/\(peers)", value: work, unit: "ns/delivery", baseline: baseline, baselineValue: theirWork,
        ratio: work / theirWork),
    ]
  }

  /// What it takes until the sender has sent everything and every receiver has read it.
  private static func cost(
    of party: Party, sending: @Sendable @escaping (Session) async throws -> Void,
    reading: @Sendable @escaping (Session) async -> Void
  ) async throws -> Cost {
    try await Cost.of {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for receiver in party.receivers {
          group.addTask(executorPreference: receiver.executor) { await reading(receiver) }
        }
        group.addTask(executorPreference: party.sender.executor) { try await sending(party.sender) }
        try await group.waitForAll()
      }
    }
  }

  /// Reads events as an app does until so many messages have come.
  private static func read(_ session: Session, _ count: Int) async {
    var (left, events) = (count, session.events.makeAsyncIterator())
    while left > 0, let batch = await events.nextBatch() {
      for case .message in batch { left -= 1 }
    }
  }

  // MARK: - Objects

  /// An object of about 100 bytes as JSON.
  private struct Stroke: Codable, Sendable {
    var name = "stroke of the blue pen"
    var color = "#1f77b4"
    var points: [Float] = [0.25, 1.5, -0.75, 2.125, 0.5, 1.25]
  }

  private static func json(_ peers: Int) async throws -> [Row] {
    let count = deliveries / peers
    var (ours, foundation): ([Run], [Run]) = ([], [])
    for _ in 0..<rounds {
      foundation.append(try coding(count, peers))
      ours.append(
        try await Party.with(receivers: peers) { party in
          // Made before the first message, which would find no reader and go back.
          let streams = Dictionary(
            uniqueKeysWithValues: party.receivers.map { ($0.localPeer.id, $0.messages.of(Stroke.self, at: "draw")) })
          let cost = try await cost(of: party) { sender in
            for _ in 0..<count { try await sender.send(Stroke(), to: .all, at: "draw") }
          } reading: { receiver in
            var (left, strokes) = (count, streams[receiver.localPeer.id]?.makeAsyncIterator())
            while left > 0, await strokes?.next() != nil { left -= 1 }
          }
          return (count * peers, cost)
        })
    }
    return rows("message-json", peers, ours, baseline: "Foundation's coders alone, one thread", foundation)
  }

  /// What the coders of JSON take alone: one encoding, and a decoding for each receiver.
  private static func coding(_ count: Int, _ peers: Int) throws -> Run {
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    let cost = try Cost.of {
      for _ in 0..<count {
        let bytes = try encoder.encode(Stroke())
        for _ in 0..<peers { _ = try decoder.decode(Stroke.self, from: bytes) }
      }
    }
    return (count * peers, cost)
  }

  // MARK: - Requests

  private static func roundTrip() async throws -> [Row] {
    let count = 10_000
    let before = try RawTCP.roundTrips(count: count)
    let ours = try await Party.with(receivers: 1) { party in
      let (near, far) = (party.sender, party.receivers[0])
      let requests = far.messages.requests(Int.self, at: "echo")
      let server = Task(executorPreference: far.executor) { await requests.answer { $0.object } }
      defer { server.cancel() }
      return try await Task(executorPreference: near.executor) {
        var times = Latencies()
        for number in 0..<count {
          let start = Latencies.now
          _ = try await near.messages.request(number, from: far.localPeer.id, at: "echo", expecting: Int.self)
          times.add(since: start)
        }
        return times
      }.value
    }
    let after = try RawTCP.roundTrips(count: count)
    let (value, raw) = (ours.percentile(0.5), min(before.percentile(0.5), after.percentile(0.5)))
    return [
      Row(
        name: "request-roundtrip", value: value, unit: "µs", baseline: "raw TCP, two threads on two processors",
        baselineValue: raw, ratio: value / raw)
    ]
  }

  // MARK: - Resources

  /// Bytes of a resource.
  private static let resourceSize = 20_000_000

  private static func resources(_ peers: Int) async throws -> [Row] {
    var (one, many): ([Double], [Double]) = ([], [])
    for _ in 0..<rounds {
      one.append(try await transfer(to: 1))
      many.append(try await transfer(to: peers))
    }
    let (time, least) = (many.min() ?? .nan, one.min() ?? .nan)
    return [
      Row(
        name: "resource-transfer/\(peers)", value: Double(resourceSize * peers) / time / 1e6, unit: "MB/s in all",
        baseline: "the same to one peer", baselineValue: Double(resourceSize) / least / 1e6,
        ratio: Double(peers) * least / time)
    ]
  }

  /// How long it takes until every receiver has a resource (seconds).
  private static func transfer(to peers: Int) async throws -> Double {
    var random = SystemRandomNumberGenerator()
    let bytes = (0..<resourceSize / 8).flatMap { _ in withUnsafeBytes(of: random.next(), Array.init) }
    return try await Party.with(receivers: peers) { party in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for receiver in party.receivers {
          group.addTask {
            for await case .resourceOffered(let offer) in receiver.events {
              return try await receiver.files.accept(offer)
            }
          }
        }
        let start = ContinuousClock.now
        let transfer = try await party.sender.files.send(
          bytes, named: "noise", to: party.receivers.map(\.localPeer.id))
        let results = await transfer.results()
        guard results.values.allSatisfy({ $0 == nil }) else { throw Incomplete() }
        let time = (ContinuousClock.now - start) / .seconds(1)
        try await group.waitForAll()
        return time
      }
    }
  }

  /// A receiver did not get a resource.
  private struct Incomplete: Error {}
}
