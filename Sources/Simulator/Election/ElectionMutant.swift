package import PeerProtocol

/// A known-bad rule, and how many seeds the simulator may need to notice it.
package struct ElectionMutant: Sendable {
  /// What is wrong, in a word.
  package let name: String
  package let policy: ElectionPolicy
  /// The kind of run that shows it, with this many nodes.
  package let scenario: ElectionScenario
  package let count: Int
  /// The seeds that a test tries; one of them must show it.
  package let seeds: ClosedRange<UInt64>

  /// Every known-bad rule.
  package static let all: [ElectionMutant] = [
    .init("hearsay-grants-full-lease", .hearsayGrantsFullLease, .chaos, nodes: 6, seeds: 1...5),
    .init("identity-without-incarnation", .identityWithoutIncarnation, .chaos, nodes: 3, seeds: 1...3),
    .init("epoch-first-merge", .epochFirstMerge, .merge, nodes: 4, seeds: 1...5),
    .init("no-pre-nack", .noPreNack, .deaf, nodes: 3, seeds: 1...3),
    .init("no-stall-compensation", .noStallCompensation, .chaos, nodes: 5, seeds: 1...8),
    .init("no-offer-lock", .noOfferLock, .chaos, nodes: 12, seeds: 1...40),
    .init("no-step-down-reply", .noStepDownReply, .chaos, nodes: 10, seeds: 1...8),
    .init("joiner-takes-over", .joinerTakesOver, .joins, nodes: 4, seeds: 1...3),
    .init("claim-without-max-epoch", .claimWithoutMaxEpoch, .chaos, nodes: 4, seeds: 1...10),
    .init("follows-foreign-beats", .followsForeignBeats, .chaos, nodes: 4, seeds: 1...4),
    .init("no-merge", .noMerge, .merge, nodes: 3, seeds: 1...3),
    .init("merge-without-reclaim", .mergeWithoutReclaim, .merge, nodes: 3, seeds: 1...3),
    .init("handover-without-beat", .handoverWithoutBeat, .chaos, nodes: 4, seeds: 1...12),
    .init("accepts-stale-beats", .acceptsStaleBeats, .chaos, nodes: 3, seeds: 1...40),
  ]

  private init(
    _ name: String, _ policy: ElectionPolicy, _ scenario: ElectionScenario, nodes count: Int,
    seeds: ClosedRange<UInt64>
  ) {
    self.name = name
    self.policy = policy
    self.scenario = scenario
    self.count = count
    self.seeds = seeds
  }

  /// The first of some seeds that shows the mistake, and what was seen; nil if none does.
  package func firstCatch(in seeds: ClosedRange<UInt64>) -> (seed: UInt64, violation: String)? {
    for seed in seeds {
      let outcome = scenario.run(seed: seed, count: count, policy: policy)
      if let violation = outcome.violation { return (seed, violation) }
    }
    return nil
  }
}
