package import AnchorReplication
import PeerProtocol

/// A known-bad rule of a node or of what it is made of, and how many seeds of whole sessions may pass without notice.
package struct SessionMutant: Sendable {
  /// The fault, in a word.
  package let name: String
  /// The rules that are left.
  package let rules: ProtocolRules
  /// The kind of run that shows it, with this many nodes.
  package let scenario: SessionScenario
  package let count: Int
  /// The seeds that a test tries; one of them must show it.
  package let seeds: ClosedRange<UInt64>

  /// Known-bad rules that whole sessions show.
  package static let all: [SessionMutant] = [
    .init("no-relay-restart", .relayRestart, .detour, nodes: 4, seeds: 1...5),
    .init("no-periodic-vectors", .periodicVectors, .orphan, nodes: 4, seeds: 1...3),
    .init("no-reassertion", .reassertion, .liar, nodes: 4, seeds: 1...20),
    .init("guests-write", .guestsWriteNothing, .owned, nodes: 7, seeds: 1...3),
    .init("maps-by-anybody", .mapsByRole, .owned, nodes: 7, seeds: 1...3),
    .init("believes-everything", .judgement, .liar, nodes: 4, seeds: 1...3),
    .init("reuses-actor", .freshActor, .chaos, nodes: 4, seeds: 1...3),
    .init("forgets-members", .remembersMembers, .restarts, nodes: 4, seeds: 1...3),
    .init("forgets-rules", .remembersRules, .restarts, nodes: 4, seeds: 1...3),
    .init("forgets-epoch", .remembersEpoch, .restarts, nodes: 4, seeds: 1...3),
    .init("leaves-orphans", .freesOrphans, .chaos, nodes: 4, seeds: 1...5),
    .init("no-birth-gate", .birthGate, .chaos, nodes: 4, seeds: 1...8),
    .init("no-merge-context", .mergeContext, .chaos, nodes: 4, seeds: 1...30),
    .init("hearsay-grants-full-lease", .partialHearsay, .chaos, nodes: 6, seeds: 1...5),
    .init("identity-without-incarnation", .freshIdentity, .chaos, nodes: 4, seeds: 1...3),
    .init("epoch-first-merge", .sizeFirst, .merge, nodes: 4, seeds: 1...5),
    .init("no-stall-compensation", .stallCompensation, .chaos, nodes: 5, seeds: 1...8),
    .init("joiner-takes-over", .modestJoiners, .joins, nodes: 4, seeds: 1...4),
    .init("follows-foreign-beats", .faithfulFollowers, .chaos, nodes: 4, seeds: 1...4),
    .init("no-merge", .merges, .merge, nodes: 4, seeds: 1...3),
    .init("merge-without-reclaim", .reclaims, .merge, nodes: 4, seeds: 1...3),
    .init("messages-not-resent", .messageResend, .messages, nodes: 4, seeds: 1...3),
    .init("no-message-chain", .messageChain, .messages, nodes: 4, seeds: 1...4),
    .init("acknowledged-before-hand-over", .honestReports, .messages, nodes: 4, seeds: 1...6),
    .init("message-window-ignored", .messageWindow, .messages, nodes: 4, seeds: 40...41),
    .init("message-chain-over-restart", .freshChains, .messages, nodes: 4, seeds: 1...4),
    .init("streams-not-resent", .messageResend, .streams, nodes: 4, seeds: 1...4),
    .init("no-stream-chain", .messageChain, .streams, nodes: 4, seeds: 1...4),
    .init("unreliable-not-replaced", .unreliableSlots, .messages, nodes: 4, seeds: 1...6),
    .init("groups-not-told-to-newcomers", .groupsOnNewLinks, .messages, nodes: 4, seeds: 1...3),
    .init("resource-words-not-repeated", .resourceWords, .resources, nodes: 4, seeds: 1...6),
    .init("resources-outlive-peers", .resourceEnds, .resources, nodes: 4, seeds: 1...6),
    .init("resource-chunks-unproven", .resourceProof, .resources, nodes: 4, seeds: 1...6),
    .init("attachments-not-told-to-newcomers", .attachmentsOnNewLinks, .attachments, nodes: 4, seeds: 1...3),
    .init("removed-attachments-come-back", .attachmentContext, .attachments, nodes: 4, seeds: 1...3),
    .init("identity-when-unaligned", .unknownIsUnaligned, .frames, nodes: 4, seeds: 1...3),
    .init("frames-by-arrival", .measurementOrder, .frames, nodes: 4, seeds: 1...3),
    .init("poses-change-frames", .posesKeepFrames, .frames, nodes: 4, seeds: 1...3),
    .init("one-driver-is-enough", .bothDrivers, .drivers, nodes: 4, seeds: 1...3),
    .init("admits-by-hearsay", .signedAdmission, .owned, nodes: 6, seeds: 1...6),
    .init("removes-by-hearsay", .signedRemoval, .owned, nodes: 6, seeds: 1...6),
    .init("cuts-not-raised", .raisedCuts, .owned, nodes: 6, seeds: 1...6),
    .init("no-cuts", .cuts, .owned, nodes: 6, seeds: 116...116),
    .init("kinds-by-arrival", .kindOrder, .chaos, nodes: 4, seeds: 1...5),
    .init("believes-every-measurement", .confirmedFirst, .wrongFrames, nodes: 4, seeds: 1...3),
  ]

  private init(
    _ name: String, _ broken: ProtocolRules, _ scenario: SessionScenario, nodes count: Int, seeds: ClosedRange<UInt64>
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
