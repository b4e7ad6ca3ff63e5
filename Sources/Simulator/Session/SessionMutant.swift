import AnchorReplication
package import PeerProtocol

/// A known-bad rule of a node or of what it is made of, and how many seeds of whole sessions may pass without notice.
package struct SessionMutant: Sendable {
  /// What is wrong, in a word.
  package let name: String
  package let mistakes: NodeMistakes
  /// The kind of run that shows it, with this many nodes.
  package let scenario: SessionScenario
  package let count: Int
  /// The seeds that a test tries; one of them must show it.
  package let seeds: ClosedRange<UInt64>

  /// Known-bad rules that whole sessions show.
  package static let all: [SessionMutant] = [
    .init("no-relay-restart", .init(node: .noRelayRestart), .detour, nodes: 4, seeds: 1...5),
    .init("no-periodic-vectors", .init(node: .noPeriodicVectors), .orphan, nodes: 4, seeds: 1...3),
    .init("no-reassertion", .init(node: .noReassertion), .liar, nodes: 4, seeds: 1...20),
    .init("believes-everything", .init(node: .believesEverything), .liar, nodes: 4, seeds: 1...3),
    .init("reuses-actor", .init(node: .reusesActor), .chaos, nodes: 4, seeds: 1...3),
    .init("forgets-members", .init(node: .forgetsMembers), .restarts, nodes: 4, seeds: 1...3),
    .init("forgets-rules", .init(node: .forgetsRules), .restarts, nodes: 4, seeds: 1...3),
    .init("forgets-epoch", .init(node: .forgetsEpoch), .restarts, nodes: 4, seeds: 1...3),
    .init("leaves-orphans", .init(node: .leavesOrphans), .chaos, nodes: 4, seeds: 1...5),
    .init("no-birth-gate", .init(replication: .withoutGate), .chaos, nodes: 4, seeds: 1...8),
    .init("no-merge-context", .init(replication: .withoutContext), .chaos, nodes: 4, seeds: 1...30),
    .init("hearsay-grants-full-lease", .init(election: .hearsayGrantsFullLease), .chaos, nodes: 6, seeds: 1...5),
    .init("identity-without-incarnation", .init(election: .identityWithoutIncarnation), .chaos, nodes: 4, seeds: 1...3),
    .init("epoch-first-merge", .init(election: .epochFirstMerge), .merge, nodes: 4, seeds: 1...5),
    .init("no-stall-compensation", .init(election: .noStallCompensation), .chaos, nodes: 5, seeds: 1...8),
    .init("joiner-takes-over", .init(election: .joinerTakesOver), .joins, nodes: 4, seeds: 1...4),
    .init("follows-foreign-beats", .init(election: .followsForeignBeats), .chaos, nodes: 4, seeds: 1...4),
    .init("no-merge", .init(election: .noMerge), .merge, nodes: 4, seeds: 1...3),
    .init("merge-without-reclaim", .init(election: .mergeWithoutReclaim), .merge, nodes: 4, seeds: 1...3),
  ]

  private init(
    _ name: String, _ mistakes: NodeMistakes, _ scenario: SessionScenario, nodes count: Int, seeds: ClosedRange<UInt64>
  ) {
    self.name = name
    self.mistakes = mistakes
    self.scenario = scenario
    self.count = count
    self.seeds = seeds
  }

  /// The first of some seeds that shows the mistake, and what was seen; nil if none does.
  package func firstCatch(in seeds: ClosedRange<UInt64>) -> (seed: UInt64, violation: String)? {
    for seed in seeds {
      let outcome = scenario.run(seed: seed, count: count, mistakes: mistakes)
      if let violation = outcome.violation { return (seed, violation) }
    }
    return nil
  }
}

extension ReplicationPolicy {
  fileprivate static let withoutGate: Self = {
    var policy = Self()
    policy.gatesOnBirth = false
    return policy
  }()

  fileprivate static let withoutContext: Self = {
    var policy = Self()
    policy.mergesWithContext = false
    return policy
  }()
}
