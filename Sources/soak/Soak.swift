import Basics
import Simulator

/// Runs a range of seeds of one scenario on all cores and prints what came of it.
struct Soak {
  var scenario: Scenario
  var seeds: ClosedRange<UInt64>
  /// Node counts; a seed takes one of them.
  var counts: [Int]
  /// When to stop before the last seed.
  var limit: Duration
  /// Seeds run at the same time.
  var workers: UInt64 = 2

  /// Failures with their replay line, and the times that were measured, over all seeds.
  struct Tally: Sendable {
    var runs = 0
    var failures = 0
    var times: [Int64] = []
    var simulated: Int64 = 0
    var delivered = 0
    /// Operations that were checked against the model, over all nodes.
    var operations = 0
    var maps = 0
    var resources = 0
    var bulkLinks = 0
    var lies = 0
    /// Runs that were cut short because the liar used a right to remove.
    var cutShort = 0
    var faults: [String: Int] = [:]
    var network = NetworkTally()

    /// Of nothing.
    init() {}

    /// Of one run.
    init(_ outcome: RunOutcome) {
      runs = 1
      failures = outcome.violation == nil ? 0 : 1
      times = outcome.time.map { [$0] } ?? []
      (simulated, delivered, operations) = (outcome.simulated, outcome.delivered, outcome.operations)
      (maps, bulkLinks, network) = (outcome.maps, outcome.bulkLinks, outcome.network)
      resources = outcome.resources
      (lies, cutShort, faults) = (outcome.lies, outcome.liarRemoved ? 1 : 0, outcome.faults)
    }

    mutating func add(_ tally: Tally) {
      runs += tally.runs
      failures += tally.failures
      times += tally.times
      simulated += tally.simulated
      delivered += tally.delivered
      operations += tally.operations
      maps += tally.maps
      resources += tally.resources
      bulkLinks += tally.bulkLinks
      lies += tally.lies
      cutShort += tally.cutShort
      network += tally.network
      faults.merge(tally.faults, uniquingKeysWith: +)
    }

    /// The events of the runs, counted by kind, in words.
    var events: [String] {
      let network = [
        ("connections", network.connections), ("refused", network.refusals), ("lost packets", network.lost),
        ("held packets", network.held), ("overtaken packets", network.overtaken), ("maps", maps),
        ("resources", resources),
        ("second connections", bulkLinks), ("lies", lies), ("runs cut short by a liar's right", cutShort),
      ]
      let all = faults.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } + network
      return all.filter { $0.1 > 0 }.map { "\($0.0) \($0.1)" }
    }

    /// Milliseconds that this part of the runs stayed below.
    func percentile(_ part: Double) -> Int64 {
      guard !times.isEmpty else { return 0 }
      return times[min(times.count - 1, Int(Double(times.count) * part))] / 1_000_000
    }
  }

  /// Runs everything; the times are sorted.
  func run() async -> Tally {
    let end = ContinuousClock.now + limit
    return await withTaskGroup(of: Tally.self) { group in
      for worker in 0..<workers { group.addTask { run(from: worker, until: end) } }
      var total = Tally()
      for await tally in group { total.add(tally) }
      total.times.sort()
      return total
    }
  }

  private func run(from worker: UInt64, until end: ContinuousClock.Instant) -> Tally {
    var tally = Tally()
    var seed = seeds.lowerBound + worker
    while seed <= seeds.upperBound, tally.failures < 10, ContinuousClock.now < end {
      let count = counts[Int(seed % UInt64(counts.count))]
      let outcome = scenario.run(seed: seed, count: count)
      tally.add(Tally(outcome))
      if let violation = outcome.violation {
        print("\(violation)\n  replay: soak replay \(scenario.name) \(seed) \(count)")
        if let shortest = scenario.shrink(seed: seed, count: count) { print("  shortest: \(shortest.plan)") }
      }
      seed += workers
    }
    return tally
  }
}
