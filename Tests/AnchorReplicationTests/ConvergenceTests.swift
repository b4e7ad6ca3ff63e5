import AnchorReplication
import Testing
import WorldModel

/// C1–C5 and C7 of PROTOCOL.md over whole lives of small sessions, and proof that the checks see what is broken.
@Suite("Convergence")
struct ConvergenceTests {
  @Test("sessions converge under cuts, crashes, pruned logs and snapshots", arguments: 0..<4)
  func lives(part: Int) throws {
    var (operations, snapshots, held) = (0, 0, 0)
    for seed in UInt64(part * 30)..<UInt64(part * 30 + 30) {
      do {
        let world = try ReplicationWorld.live(seed: seed)
        operations += world.operations.count
        snapshots += world.snapshotCount
        held += world.heldCount
      } catch let violation as ReplicationWorld.Violation {
        Issue.record("seed \(seed): \(violation)")
      }
    }
    // The runs must reach what they are meant to try.
    #expect(operations > 500 && snapshots > 20)
  }

  @Test("a broken rule is noticed", arguments: Mutant.allCases)
  func mutants(mutant: Mutant) {
    let seeds = (0..<mutant.seedLimit).first { seed in
      do {
        _ = try ReplicationWorld.live(seed: UInt64(seed), policy: mutant.policy)
        return false
      } catch {
        return true
      }
    }
    #expect(seeds != nil, "no seed shows that the rule is needed")
  }

  /// The rules that are switched off, one at a time.
  enum Mutant: CaseIterable {
    case actorReuse
    case noContext
    case noBirthGate
    case noPeriodicExchange

    var policy: WorldPolicy {
      var policy = WorldPolicy()
      switch self {
      case .actorReuse: policy.drawsActors = false
      case .noContext: policy.set.mergesWithContext = false
      case .noBirthGate: policy.set.gatesOnBirth = false
      case .noPeriodicExchange: policy.exchangesPeriodically = false
      }
      return policy
    }

    /// Seeds to try at most.
    var seedLimit: Int { 300 }
  }
}
