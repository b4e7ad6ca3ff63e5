package import AnchorReplication

/// Known-bad rules that runs of the whole session show.
package typealias SessionMutant = Mutant<SessionScenario>

extension SessionScenario: MutableScenario, PlannedScenario {
  package func run(seed: UInt64, count: Int, rules: ProtocolRules, recording: Bool) -> RunOutcome {
    run(seed: seed, count: count, rules: rules, recording: recording, replaying: false)
  }

  package func run(seed: UInt64, count: Int, rules: ProtocolRules, plan: FaultPlan?) -> RunOutcome {
    run(seed: seed, count: count, rules: rules, recording: false, replaying: false, plan: plan)
  }
}

extension SessionMutant {
  /// Known-bad rules of a node, or of what it is made of, that whole sessions show.
  package static var all: [Self] {
    [
      .init("no-relay-restart", .relayRestart, .detour, nodes: 4, seeds: 1...5),
      .init("no-periodic-vectors", .periodicVectors, .orphan, nodes: 4, seeds: 1...3),
      .init("no-reassertion", .reassertion, .liar, nodes: 4, seeds: 3...3),
      .init("guests-write", .guestsWriteNothing, .owned, nodes: 7, seeds: 1...3),
      .init("maps-by-anybody", .mapsByRole, .owned, nodes: 7, seeds: 1...3),
      .init("believes-everything", .judgment, .liar, nodes: 4, seeds: 1...3),
      .init("reuses-actor", .freshActor, .chaos, nodes: 4, seeds: 1...3),
      .init("forgets-members", .remembersMembers, .restarts, nodes: 4, seeds: 1...3),
      .init("forgets-rules", .remembersRules, .restarts, nodes: 4, seeds: 1...3),
      .init("forgets-epoch", .remembersEpoch, .restarts, nodes: 4, seeds: 1...3),
      .init("leaves-orphans", .freesOrphans, .chaos, nodes: 4, seeds: 1...5),
      .init("no-birth-gate", .birthGate, .chaos, nodes: 4, seeds: 3...8),
      .init("no-merge-context", .mergeContext, .chaos, nodes: 4, seeds: 2...30),
      .init("hearsay-grants-full-lease", .partialHearsay, .chaos, nodes: 6, seeds: 1...5),
      .init("identity-without-incarnation", .freshIdentity, .chaos, nodes: 4, seeds: 1...3),
      .init("epoch-first-merge", .sizeFirst, .merge, nodes: 4, seeds: 1...5),
      .init("no-stall-compensation", .stallCompensation, .chaos, nodes: 5, seeds: 5...8),
      .init("joiner-takes-over", .modestJoiners, .joins, nodes: 4, seeds: 1...4),
      .init("follows-foreign-beats", .faithfulFollowers, .chaos, nodes: 4, seeds: 1...4),
      .init("no-merge", .merges, .merge, nodes: 4, seeds: 1...3),
      .init("merge-without-reclaim", .reclaims, .merge, nodes: 4, seeds: 1...3),
      .init("messages-not-resent", .messageResend, .messages, nodes: 4, seeds: 1...3),
      .init("no-message-chain", .messageChain, .messages, nodes: 4, seeds: 4...4),
      .init("acknowledged-before-hand-over", .honestReports, .messages, nodes: 4, seeds: 13...17),
      .init("message-window-ignored", .messageWindow, .messages, nodes: 4, seeds: 40...41),
      .init("message-total-ignored", .messageTotal, .messages, nodes: 4, seeds: 4...10),
      .init("relay-without-bound", .relayBound, .streams, nodes: 4, seeds: 1...2),
      .init("message-chain-over-restart", .freshChains, .messages, nodes: 4, seeds: 2...4),
      .init("streams-not-resent", .messageResend, .streams, nodes: 4, seeds: 1...2),
      .init("no-stream-chain", .messageChain, .streams, nodes: 4, seeds: 1...2),
      .init("unreliable-not-replaced", .unreliableSlots, .messages, nodes: 4, seeds: 1...6),
      .init("unreliable-out-of-order", .unreliableOrder, .relays, nodes: 4, seeds: 1...3),
      .init("unreliable-numbers-over-restart", .unreliableStarts, .relays, nodes: 4, seeds: 1...3),
      .init("relay-forgets-order", .relayOrder, .relays, nodes: 4, seeds: 1...3),
      .init("words-not-told", [.wordsOnNewLinks, .wordDigests], .words, nodes: 4, seeds: 1...3),
      .init("far-words-believed", .wordVouching, .words, nodes: 4, seeds: 8...8),
      .init("resource-words-not-repeated", .resourceWords, .resources, nodes: 4, seeds: 1...6),
      .init("resources-outlive-peers", .resourceEnds, .resources, nodes: 4, seeds: 1...6),
      .init("resource-chunks-unproven", .resourceProof, .resources, nodes: 4, seeds: 4...6),
      .init("identity-when-unaligned", .unknownIsUnaligned, .frames, nodes: 4, seeds: 1...3),
      .init("frames-by-arrival", .measurementOrder, .frames, nodes: 4, seeds: 2...3),
      .init("poses-change-frames", .posesKeepFrames, .frames, nodes: 4, seeds: 1...3),
      .init("one-driver-is-enough", .bothDrivers, .drivers, nodes: 4, seeds: 1...3),
      .init("admits-by-hearsay", .signedAdmission, .owned, nodes: 6, seeds: 2...4),
      .init("removes-by-hearsay", .signedRemoval, .owned, nodes: 6, seeds: 47...49),
      .init("cuts-not-raised", .raisedCuts, .owned, nodes: 6, seeds: 5...7),
      .init("no-cuts", .cuts, .owned, nodes: 6, seeds: 6...10),
      .init("believes-every-measurement", .confirmedFirst, .wrongFrames, nodes: 4, seeds: 2...3),
    ]
  }
}
