package import AnchorReplication
import PeerProtocol

/// A known-bad rule, and how many seeds the simulator may need to notice it.
package struct ElectionMutant: Sendable {
  /// The fault, in a word.
  package let name: String
  /// The rules that are left.
  package let rules: ProtocolRules
  /// The kind of run that shows it, with this many nodes.
  package let scenario: ElectionScenario
  package let count: Int
  /// The seeds that a test tries; one of them must show it.
  package let seeds: ClosedRange<UInt64>

  /// Every known-bad rule.
  package static let all: [ElectionMutant] = [
    .init("hearsay-grants-full-lease", .partialHearsay, .chaos, nodes: 6, seeds: 1...5),
    .init("identity-without-incarnation", .freshIdentity, .chaos, nodes: 3, seeds: 1...3),
    .init("epoch-first-merge", .sizeFirst, .merge, nodes: 4, seeds: 1...5),
    .init("no-pre-nack", .objections, .deaf, nodes: 3, seeds: 1...3),
    .init("no-stall-compensation", .stallCompensation, .chaos, nodes: 5, seeds: 1...8),
    .init("no-offer-lock", .offerLock, .chaos, nodes: 12, seeds: 150...160),
    .init("no-step-down-reply", .stepDownReplies, .chaos, nodes: 10, seeds: 1...8),
    .init("joiner-takes-over", .modestJoiners, .joins, nodes: 4, seeds: 1...3),
    .init("claim-without-max-epoch", .claimsAboveAll, .chaos, nodes: 4, seeds: 1...10),
    .init("follows-foreign-beats", .faithfulFollowers, .chaos, nodes: 4, seeds: 1...4),
    .init("no-merge", .merges, .merge, nodes: 3, seeds: 1...3),
    .init("merge-without-reclaim", .reclaims, .merge, nodes: 3, seeds: 1...3),
    .init("handover-without-beat", .handoverByBeat, .chaos, nodes: 4, seeds: 1...12),
    .init("accepts-stale-beats", .currentBeats, .chaos, nodes: 3, seeds: 1_060...1_065),
  ]

  private init(
    _ name: String, _ broken: ProtocolRules, _ scenario: ElectionScenario, nodes count: Int,
    seeds: ClosedRange<UInt64>
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
      let outcome = scenario.run(seed: seed, count: count, rules: rules)
      if let violation = outcome.violation { return (seed, violation) }
    }
    return nil
  }
}
