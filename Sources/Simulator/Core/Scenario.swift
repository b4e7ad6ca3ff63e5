/// Everything that a seed can stand for, by the name under which `soak` runs and replays it.
package enum Scenario: Sendable, CaseIterable {
  /// Nodes that only elect their host.
  case election(ElectionScenario)
  /// Whole sessions.
  case session(SessionScenario)
  /// Sets of anchors that exchange operations and states, without nodes.
  case replication

  package static let allCases =
    ElectionScenario.allCases.map(Scenario.election) + SessionScenario.allCases.map(Scenario.session) + [.replication]

  /// The scenario with this name.
  package init?(name: String) {
    guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = found
  }

  /// The name of the scenario.
  package var name: String {
    switch self {
    case .election(let scenario): scenario.rawValue
    case .session(let scenario): scenario.rawValue
    case .replication: "replication"
    }
  }

  /// The fewest faults after which a seed still breaks the same invariant; nil where faults are not drawn at random.
  package func shrink(seed: UInt64, count: Int) -> (plan: FaultPlan, outcome: RunOutcome)? {
    switch self {
    case .election(let scenario): Self.shrink(scenario, seed: seed, count: count)
    case .session(let scenario): Self.shrink(scenario, seed: seed, count: count)
    case .replication: nil
    }
  }

  private static func shrink(
    _ scenario: some PlannedScenario, seed: UInt64, count: Int
  ) -> (plan: FaultPlan, outcome: RunOutcome)? {
    var shrinker = Shrinker(scenario, seed: seed, count: count)
    return shrinker.shrink()
  }

  /// Runs one seed with `count` nodes, 2 at least.
  package func run(seed: UInt64, count: Int, recording: Bool = false) -> RunOutcome {
    switch self {
    case .election(let scenario): scenario.run(seed: seed, count: count, recording: recording)
    case .session(let scenario): scenario.run(seed: seed, count: count, recording: recording)
    case .replication: ReplicationScenario.run(seed: seed, count: count, recording: recording)
    }
  }
}
