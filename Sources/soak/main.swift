import Glibc
import Simulator

/// Runs a range of seeds of one scenario on all cores and prints what came of it.
struct Soak {
  var scenario: ElectionScenario
  var seeds: ClosedRange<UInt64>
  /// Node counts; a seed takes one of them.
  var counts: [Int]

  /// Failures with their replay line, and the times that were measured, over all seeds.
  struct Tally: Sendable {
    var failures: [String] = []
    var times: [Int64] = []
    var simulated: Int64 = 0
    var delivered = 0
  }

  func run() async -> Tally {
    let workers: UInt64 = 2
    let (scenario, seeds, counts) = (scenario, seeds, counts)
    return await withTaskGroup(of: Tally.self) { group in
      for worker in 0..<workers {
        group.addTask { Self.run(scenario, seeds, counts, every: workers, from: worker) }
      }
      var total = Tally()
      for await tally in group {
        total.failures += tally.failures
        total.times += tally.times
        total.simulated += tally.simulated
        total.delivered += tally.delivered
      }
      return total
    }
  }

  private static func run(
    _ scenario: ElectionScenario, _ seeds: ClosedRange<UInt64>, _ counts: [Int], every step: UInt64, from first: UInt64
  ) -> Tally {
    var tally = Tally()
    var seed = seeds.lowerBound + first
    while seed <= seeds.upperBound {
      let count = counts[Int(seed % UInt64(counts.count))]
      let outcome = scenario.run(seed: seed, count: count)
      tally.simulated += outcome.simulated
      tally.delivered += outcome.delivered
      if let time = outcome.time { tally.times.append(time) }
      if let violation = outcome.violation {
        let line = "\(violation)\n  replay: soak replay \(scenario.rawValue) \(seed) \(count)"
        tally.failures.append(line)
        print(line)
      }
      if tally.failures.count == 10 { break }
      seed += step
    }
    return tally
  }
}

func percentile(_ sorted: [Int64], _ part: Double) -> String {
  guard !sorted.isEmpty else { return "-" }
  let index = min(sorted.count - 1, Int(Double(sorted.count) * part))
  return "\(sorted[index] / 1_000_000)"
}

func usage() -> Never {
  print(
    """
    usage: soak run SCENARIO FIRST-SEED LAST-SEED NODES[,NODES…]
           soak replay SCENARIO SEED NODES
    scenarios: \(ElectionScenario.allCases.map(\.rawValue).joined(separator: " "))
    """)
  exitWithFailure()
}

func exitWithFailure() -> Never { exit(1) }

let arguments = CommandLine.arguments
if arguments.count == 3, arguments[1] == "mutants", let limit = UInt64(arguments[2]) {
  for mutant in ElectionMutant.all {
    let found = mutant.firstCatch(in: 1...limit)
    print(mutant.name, mutant.scenario, found.map { "seed \($0.seed): \($0.violation)" } ?? "NOT CAUGHT")
  }
  exit(0)
}
guard arguments.count >= 5, let scenario = ElectionScenario(rawValue: arguments[2]) else { usage() }

if arguments[1] == "replay", let seed = UInt64(arguments[3]), let count = Int(arguments[4]) {
  let outcome = scenario.run(seed: seed, count: count, recording: true)
  print(outcome.text, terminator: "")
  exit(outcome.violation == nil ? 0 : 1)
}

guard arguments[1] == "run", arguments.count == 6, let first = UInt64(arguments[3]), let last = UInt64(arguments[4]),
  first <= last
else { usage() }
let counts = arguments[5].split(separator: ",").compactMap { Int($0) }
guard !counts.isEmpty else { usage() }
let clock = ContinuousClock()
let start = clock.now
let tally = await Soak(scenario: scenario, seeds: first...last, counts: counts).run()
let elapsed = clock.now - start
let sorted = tally.times.sorted()
let runs = Double(last - first + 1)
let seconds = elapsed / .seconds(1)
print(
  "\(scenario.rawValue) nodes \(arguments[5]): \(Int(runs)) seeds, \(tally.failures.count) failed;",
  "ms p50 \(percentile(sorted, 0.5)) p99 \(percentile(sorted, 0.99)) p99.9 \(percentile(sorted, 0.999))",
  "max \(percentile(sorted, 1)); \(Int(runs / seconds)) seeds/s,",
  "\(Int(Double(tally.simulated) / 1e9 / seconds)) simulated s/s, \(Int(Double(tally.delivered) / seconds)) packets/s")
exit(tally.failures.isEmpty ? 0 : 1)
