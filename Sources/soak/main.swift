import Glibc
import Simulator

let usage = """
  usage: soak run SCENARIO FIRST-SEED LAST-SEED NODES[,NODES…] [SECONDS]   run seeds, print percentiles
         soak replay SCENARIO SEED NODES                                   print the transcript of one seed
         soak shrink SCENARIO SEED NODES                                   print the fewest faults that still break it
         soak digest SCENARIO FIRST-SEED LAST-SEED NODES                   print a digest of all outputs, seed by seed
         soak model NODES DEPTH                                            visit every state of the election
         soak cost NODES                                                   real ms a simulated second takes
         soak join NODES                                                   real ms and frames of each that joins
         soak mutants SEEDS                                                first seed that shows each known-bad rule
  scenarios: \(Scenario.allCases.map(\.name).joined(separator: " "))
  """

/// Runs a range of seeds; the exit status.
func soak(_ arguments: [String]) async -> Int32? {
  guard arguments.count >= 4, let scenario = Scenario(name: arguments[0]), let first = UInt64(arguments[1]),
    let last = UInt64(arguments[2]), first <= last
  else { return nil }
  let counts = arguments[3].split(separator: ",").compactMap { Int($0) }
  guard !counts.isEmpty else { return nil }
  let seconds = arguments.count > 4 ? Int(arguments[4]) : 1_000_000
  guard let seconds else { return nil }
  let start = ContinuousClock.now
  let soak = Soak(scenario: scenario, seeds: first...last, counts: counts, limit: .seconds(seconds))
  let tally = await soak.run()
  let elapsed = (ContinuousClock.now - start) / .seconds(1)
  print(
    "\(scenario.name) nodes \(arguments[3]): \(tally.runs) seeds, \(tally.failures) failed;",
    "ms p50 \(tally.percentile(0.5)) p99 \(tally.percentile(0.99)) p99.9 \(tally.percentile(0.999))",
    "max \(tally.percentile(1)); \(tally.operations) operations, \(tally.delivered) packets,",
    "\(tally.simulated / 1_000_000_000) simulated s; \(Int(elapsed * 10) / 10) s, \(Int(Double(tally.runs) / elapsed)) seeds/s"
  )
  if !tally.events.isEmpty { print("  " + tally.events.joined(separator: ", ")) }
  return tally.failures == 0 ? 0 : 1
}

/// Prints one seed's transcript; the exit status.
func replay(_ arguments: [String]) -> Int32? {
  guard arguments.count == 3, let scenario = Scenario(name: arguments[0]), let seed = UInt64(arguments[1]),
    let count = Int(arguments[2])
  else { return nil }
  let outcome = scenario.run(seed: seed, count: count, recording: true)
  print(outcome.text, terminator: "")
  return outcome.violation == nil ? 0 : 1
}

/// Prints the fewest faults after which a seed still breaks the same invariant; the exit status.
func shrink(_ arguments: [String]) -> Int32? {
  guard arguments.count == 3, let scenario = Scenario(name: arguments[0]), let seed = UInt64(arguments[1]),
    let count = Int(arguments[2])
  else { return nil }
  guard let shortest = scenario.shrink(seed: seed, count: count) else {
    print("nothing to shrink: no violation, or no random faults")
    return 1
  }
  print("\(shortest.plan)\n\(shortest.outcome.violation ?? "")")
  return 0
}

/// Prints, for each seed, a digest of every output of every node: equal lines before and after a change of the code mean
/// that it changed nothing on the wire; the exit status.
func digest(_ arguments: [String]) -> Int32? {
  guard arguments.count == 4, let scenario = Scenario(name: arguments[0]), let first = UInt64(arguments[1]),
    let last = UInt64(arguments[2]), first <= last, let count = Int(arguments[3])
  else { return nil }
  for seed in first...last {
    print(scenario.name, seed, count, String(scenario.run(seed: seed, count: count).outputDigest.value, radix: 16))
  }
  return 0
}

/// Prints the first seed that shows each known-bad rule; the exit status.
func mutants(_ arguments: [String]) -> Int32? {
  guard arguments.count == 1, let limit = UInt64(arguments[0]), limit > 0 else { return nil }
  var missed: Int32 = 0
  for mutant in ElectionMutant.all {
    let found = mutant.firstCatch(in: 1...limit)
    if found == nil { missed = 1 }
    print(mutant.name, mutant.scenario, found.map { "seed \($0.seed): \($0.violation)" } ?? "NOT CAUGHT")
  }
  for mutant in SessionMutant.all {
    let found = mutant.firstCatch(in: 1...limit)
    if found == nil { missed = 1 }
    print(mutant.name, mutant.scenario.rawValue, found.map { "seed \($0.seed): \($0.violation)" } ?? "NOT CAUGHT")
  }
  return missed
}

/// Explores the election from each start and prints how many states there are; the exit status.
func model(_ arguments: [String]) -> Int32? {
  guard arguments.count == 2, let count = Int(arguments[0]), (2...4).contains(count), let depth = Int(arguments[1])
  else { return nil }
  var failed: Int32 = 0
  for root in ModelExplorer.Root.allCases {
    let start = ContinuousClock.now
    let result = ModelExplorer(root: root, count: count, depth: depth).run()
    let elapsed = (ContinuousClock.now - start) / .seconds(1)
    print(
      "model \(root) nodes \(count) depth \(depth): \(result.states) states\(result.isCut ? " (cut short)" : ""),",
      "\(result.transitions) transitions, \(result.rests) let come to rest; \(Int(elapsed * 1000)) ms")
    if let violation = result.violation {
      print(violation)
      failed = 1
    }
  }
  return failed
}

/// Prints how many milliseconds a simulated second of a session at rest takes; the exit status.
func cost(_ arguments: [String]) -> Int32? {
  guard arguments.count == 1, let count = Int(arguments[0]), (2...64).contains(count) else { return nil }
  guard var session = QuietSession(count: count, seed: 1) else { return 1 }
  let seconds = 30
  let time = ContinuousClock().measure { session.run(for: Int64(seconds) * 1_000_000_000) }
  print(time / .milliseconds(seconds))
  return 0
}

/// Prints how many real milliseconds each node takes that starts with others and becomes one session with them, and the
/// frames that it sends; the exit status.
func join(_ arguments: [String]) -> Int32? {
  guard arguments.count == 1, let count = Int(arguments[0]), (2...64).contains(count) else { return nil }
  var session: JoiningSession?
  let time = ContinuousClock().measure { session = JoiningSession(count: count, seed: 1, within: 1_000_000_000) }
  guard let session, let took = session.time else { return 1 }
  print("\(time / .milliseconds(count)) ms each; all agree after \(took / 1_000_000) ms, epoch \(session.epoch)")
  for (type, frames, bytes) in session.sent { print(type, Int(frames), "frames", Int(bytes), "bytes") }
  return 0
}

let arguments = Array(CommandLine.arguments.dropFirst())
let rest = Array(arguments.dropFirst())
let status: Int32? =
  switch arguments.first {
  case "run": await soak(rest)
  case "replay": replay(rest)
  case "shrink": shrink(rest)
  case "digest": digest(rest)
  case "model": model(rest)
  case "cost": cost(rest)
  case "join": join(rest)
  case "mutants": mutants(rest)
  default: nil
  }
if status == nil { print(usage) }
exit(status ?? 2)
