package import AnchorReplication

/// A kind of run that a broken rule may show.
package protocol MutableScenario: Sendable {
  /// Runs one seed with `count` nodes that keep these rules.
  func run(seed: UInt64, count: Int, rules: ProtocolRules, recording: Bool) -> RunOutcome
}

/// A known-bad rule, and how many seeds the simulator may need to notice it.
package struct Mutant<Kind: MutableScenario>: Sendable {
  /// The fault, in a word.
  package let name: String
  /// The rules that are left.
  package let rules: ProtocolRules
  /// The kind of run that shows it, with this many nodes.
  package let scenario: Kind
  package let count: Int
  /// The seeds that tests try: the first shows it, and after a change of the protocol one of them must.
  package let seeds: ClosedRange<UInt64>

  init(
    _ name: String, _ broken: ProtocolRules, _ scenario: Kind, nodes count: Int, seeds: ClosedRange<UInt64>
  ) {
    self.name = name
    rules = .allBut(broken)
    self.scenario = scenario
    self.count = count
    self.seeds = seeds
  }

  /// The first of some seeds that shows the mistake, and what was seen; nil if none does.
  package func firstCatch(in seeds: ClosedRange<UInt64>) -> (seed: UInt64, violation: String)? {
    for seed in seeds {
      let outcome = scenario.run(seed: seed, count: count, rules: rules, recording: false)
      if let violation = outcome.violation { return (seed, violation) }
    }
    return nil
  }
}
