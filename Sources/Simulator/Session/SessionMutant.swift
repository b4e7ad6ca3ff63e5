import AnchorReplication
package import PeerProtocol

/// A known-bad rule of a node or of what it is made of, and how many seeds of whole sessions may pass without notice.
package struct SessionMutant: Sendable {
  /// What is wrong, in a word.
  package let name: String
  package let mistakes: NodeMistakes
  package let count: Int
  /// The seeds that a test tries; one of them must show it.
  package let seeds: ClosedRange<UInt64>
  /// Whether it takes a lying member to show it.
  package let hasLiar: Bool

  /// Every known-bad rule that whole sessions show.
  package static let all: [SessionMutant] = [
    .init("no-relay-restart", .init(node: .noRelayRestart), nodes: 5, seeds: 1...300),
    .init("no-periodic-vectors", .init(node: .noPeriodicVectors), nodes: 5, seeds: 1...300),
    .init("no-stall-compensation", .init(node: .noStallCompensation), nodes: 4, seeds: 1...300),
    .init("no-reassertion", .init(node: .noReassertion), nodes: 4, seeds: 1...300, hasLiar: true),
    .init("no-birth-gate", .init(replication: .withoutGate), nodes: 4, seeds: 1...300),
    .init("no-merge-context", .init(replication: .withoutContext), nodes: 4, seeds: 1...300),
    .init("no-merge", .init(election: .noMerge), nodes: 4, seeds: 1...300),
    .init("follows-foreign-beats", .init(election: .followsForeignBeats), nodes: 4, seeds: 1...300),
    .init("merge-without-reclaim", .init(election: .mergeWithoutReclaim), nodes: 4, seeds: 1...300),
    .init("handover-without-beat", .init(election: .handoverWithoutBeat), nodes: 4, seeds: 1...300),
    .init("no-step-down-reply", .init(election: .noStepDownReply), nodes: 4, seeds: 1...300),
    .init("identity-without-incarnation", .init(election: .identityWithoutIncarnation), nodes: 4, seeds: 1...300),
    .init("joiner-takes-over", .init(election: .joinerTakesOver), nodes: 4, seeds: 1...300),
    .init("claim-without-max-epoch", .init(election: .claimWithoutMaxEpoch), nodes: 4, seeds: 1...300),
  ]

  private init(
    _ name: String, _ mistakes: NodeMistakes, nodes count: Int, seeds: ClosedRange<UInt64>, hasLiar: Bool = false
  ) {
    self.name = name
    self.mistakes = mistakes
    self.count = count
    self.seeds = seeds
    self.hasLiar = hasLiar
  }

  /// The first of some seeds that shows the mistake, and what was seen; nil if none does.
  package func firstCatch(in seeds: ClosedRange<UInt64>) -> (seed: UInt64, violation: String)? {
    let options = SessionScenario.Options(hasLiar: hasLiar, mistakes: mistakes)
    for seed in seeds {
      let outcome = SessionScenario.run(seed: seed, count: count, options: options)
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
