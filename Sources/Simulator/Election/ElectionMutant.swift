package import AnchorReplication

/// Known-bad rules that runs of the election show.
package typealias ElectionMutant = Mutant<ElectionScenario>

extension ElectionScenario: MutableScenario, PlannedScenario {
  package func run(seed: UInt64, count: Int, rules: ProtocolRules, recording: Bool) -> RunOutcome {
    run(seed: seed, count: count, rules: rules, recording: recording, plan: nil)
  }

  package func run(seed: UInt64, count: Int, rules: ProtocolRules, plan: FaultPlan?) -> RunOutcome {
    run(seed: seed, count: count, rules: rules, recording: false, plan: plan)
  }
}

extension ElectionMutant {
  /// Every known-bad rule of the election.
  package static var all: [Self] {
    [
      .init("hearsay-grants-full-lease", .partialHearsay, .chaos, nodes: 6, seeds: 1...5),
      .init("identity-without-incarnation", .freshIdentity, .chaos, nodes: 3, seeds: 1...3),
      .init("epoch-first-merge", .sizeFirst, .merge, nodes: 4, seeds: 1...5),
      .init("no-pre-nack", .objections, .deaf, nodes: 3, seeds: 1...3),
      .init("no-stall-compensation", .stallCompensation, .chaos, nodes: 5, seeds: 2...8),
      .init("no-offer-lock", .offerLock, .chaos, nodes: 12, seeds: 156...160),
      .init("no-step-down-reply", .stepDownReplies, .chaos, nodes: 10, seeds: 3...8),
      .init("joiner-takes-over", .modestJoiners, .joins, nodes: 4, seeds: 1...3),
      .init("claim-without-max-epoch", .claimsAboveAll, .chaos, nodes: 4, seeds: 3...10),
      .init("follows-foreign-beats", .faithfulFollowers, .chaos, nodes: 4, seeds: 1...4),
      .init("no-merge", .merges, .merge, nodes: 3, seeds: 1...3),
      .init("merge-without-reclaim", .reclaims, .merge, nodes: 3, seeds: 1...3),
      .init("handover-without-beat", .handoverByBeat, .chaos, nodes: 4, seeds: 5...12),
      .init("accepts-stale-beats", .currentBeats, .chaos, nodes: 3, seeds: 74...79),
    ]
  }
}
