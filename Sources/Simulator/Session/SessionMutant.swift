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

  /// Known-bad rules that whole sessions show.
  ///
  /// Either the exchange of vectors every five seconds or the new start of a stream repairs what the other one misses,
  /// so the two are missed together. Rules of the election whose breach ends in agreement all the same, as with a
  /// winner of a merge that keeps its epoch, show only to ``ElectionMonitor``, which sees every message.
  package static let all: [SessionMutant] = [
    .init("no-repair", .init(node: [.noRelayRestart, .noPeriodicVectors]), nodes: 5, seeds: 1...5),
    .init("no-reassertion", .init(node: .noReassertion), nodes: 4, seeds: 27...31, hasLiar: true),
    .init("no-birth-gate", .init(replication: .withoutGate), nodes: 4, seeds: 1...8),
    .init("no-merge-context", .init(replication: .withoutContext), nodes: 4, seeds: 20...30),
    .init("no-merge", .init(election: .noMerge), nodes: 4, seeds: 1...3),
    .init("identity-without-incarnation", .init(election: .identityWithoutIncarnation), nodes: 4, seeds: 1...3),
    .init("joiner-takes-over", .init(election: .joinerTakesOver), nodes: 4, seeds: 1...4),
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
