import AnchorReplication
import Simulator
import TestSupport
import Testing

/// C1–C7 of Documentation/invariants.md over lives of small sessions, and proof that the checks see what is broken.
@Suite("Convergence")
struct ConvergenceTests {
  @Test("sessions converge under cuts, crashes, pruned logs and snapshots", arguments: Tier.seeds(0...3))
  func lives(part: Int) {
    var (operations, snapshots) = (0, 0)
    for seed in UInt64(part * 30)..<UInt64(part * 30 + 30) {
      let world = ReplicationWorld.live(seed: seed)
      operations += world.operations.count
      snapshots += world.snapshotCount
      #expect(world.violation == nil, "seed \(seed)")
    }
    // The runs must reach what they are meant to try.
    #expect(operations > 500 && snapshots > 20)
  }

  @Test("so do sessions with large bursts of edits", arguments: [2, 4, 8])
  func bursts(count: Int) {
    let outcome = Scenario.replication.run(seed: UInt64(count), count: count)
    #expect(outcome.violation == nil)
    #expect(outcome.operations > 1_000)
  }

  @Test("a broken rule is noticed", arguments: Mutant.allCases)
  func mutants(mutant: Mutant) {
    let seeds = (0..<mutant.seedLimit).first { seed in
      ReplicationWorld.live(seed: UInt64(seed), options: .init(rules: mutant.rules)).violation != nil
    }
    #expect(seeds != nil, "no seed shows that the rule is needed")
  }

  /// The rules that are switched off, one at a time.
  enum Mutant: CaseIterable {
    case actorReuse
    case noContext
    case noBirthGate
    case noPeriodicExchange

    var rules: ProtocolRules {
      switch self {
      case .actorReuse: .allBut(.freshActor)
      case .noContext: .allBut(.mergeContext)
      case .noBirthGate: .allBut(.birthGate)
      case .noPeriodicExchange: .allBut(.periodicVectors)
      }
    }

    /// Seeds to try at most.
    var seedLimit: Int { 300 }
  }
}
