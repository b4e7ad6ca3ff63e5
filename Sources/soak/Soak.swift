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
      for await tally in group {
        total.runs += tally.runs
        total.failures += tally.failures
        total.times += tally.times
        total.simulated += tally.simulated
        total.delivered += tally.delivered
      }
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
      tally.runs += 1
      tally.simulated += outcome.simulated
      tally.delivered += outcome.delivered
      if let time = outcome.time { tally.times.append(time) }
      if let violation = outcome.violation {
        tally.failures += 1
        print("\(violation)\n  replay: soak replay \(scenario.name) \(seed) \(count)")
      }
      seed += workers
    }
    return tally
  }
}
