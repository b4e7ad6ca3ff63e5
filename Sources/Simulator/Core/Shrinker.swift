package import AnchorReplication

/// A kind of run whose faults are drawn at random, or taken from a plan.
package protocol PlannedScenario: Sendable {
  /// Runs one seed with `count` nodes that keep these rules, with the faults of `plan` instead of random ones.
  func run(seed: UInt64, count: Int, rules: ProtocolRules, plan: FaultPlan?) -> RunOutcome
}

/// Looks for the fewest faults after which a seed still breaks the same invariant.
///
/// It drops ever smaller groups of faults, and in the end single ones, as long as the violation stays: what is left cannot
/// lose any one fault. The apps' actions, and the pauses between the faults, stay as they were.
package struct Shrinker<Kind: PlannedScenario> {
  private let scenario: Kind
  private let seed: UInt64
  private let count: Int
  private let rules: ProtocolRules
  /// Runs that it took so far.
  package private(set) var runs = 0

  package init(_ scenario: Kind, seed: UInt64, count: Int, rules: ProtocolRules = .all) {
    self.scenario = scenario
    self.seed = seed
    self.count = count
    self.rules = rules
  }

  /// The shortest plan that was found, and what comes of it; nil when the seed breaks nothing, or without any plan of faults.
  package mutating func shrink() -> (plan: FaultPlan, outcome: RunOutcome)? {
    let first = run(nil)
    guard let wanted = Self.invariant(in: first), !first.plan.places.isEmpty else { return nil }
    var best = (plan: first.plan, outcome: first)
    var group = max(1, best.plan.places.count / 2)
    while true {
      let isShorter = dropGroups(of: group, from: &best, wanted)
      if group == 1, !isShorter { return best }
      group = max(1, group / 2)
    }
  }

  /// Drops each group of faults that the violation does not need; whether there was one.
  private mutating func dropGroups(
    of size: Int, from best: inout (plan: FaultPlan, outcome: RunOutcome), _ wanted: String
  ) -> Bool {
    var (next, isShorter) = (0, false)
    while next < best.plan.places.count {
      let plan = best.plan.without(best.plan.places[next...].prefix(size))
      let outcome = run(plan)
      if Self.invariant(in: outcome) == wanted {
        best = (plan, outcome)
        isShorter = true
      } else {
        next += size
      }
    }
    return isShorter
  }

  private mutating func run(_ plan: FaultPlan?) -> RunOutcome {
    runs += 1
    return scenario.run(seed: seed, count: count, rules: rules, plan: plan)
  }

  /// The name of the invariant that a run broke, such as E1; nil for none.
  package static func invariant(in outcome: RunOutcome) -> String? {
    outcome.violation?.split(separator: " ").first { $0.first?.isLetter == true }.map(String.init)
  }
}
