import Basics
import PeerProtocol
import Simulator
import TestSupport
import Testing
import WorldModel

/// Rooms with a passcode under faults: connections that break in the middle of a proof, nodes that start again.
@Suite("A room with a passcode, simulated")
struct PairingSimulationTests {
  private static let passcodes: [String?] = ["sesame 1", "sesame 1", "sesame 1", "sesame 1", "sesame 2", nil]
  private static let members = 0..<4

  /// What must hold at any moment: nobody has a place in a session of another passcode.
  private static func expectApart(_ session: TestSession, _ seed: UInt64) {
    for (index, passcode) in passcodes.enumerated() {
      guard let node = session.simulation.node(index)?.node else { continue }
      for (other, theirs) in passcodes.enumerated() where theirs != passcode {
        let id = SessionPeer.identity(of: other)
        #expect(node.roster[id] == nil && !node.isMember(id), "seed \(seed): \(index) knows \(other)")
      }
    }
  }

  @Test(
    "those that know it find together again whatever breaks, and nobody else comes in",
    arguments: Tier.seeds(1...12 as ClosedRange<UInt64>))
  func faults(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var session = try TestSession(6, passcodes: Self.passcodes)
    for _ in 0..<25 {
      let (one, other) = (random.below(4), random.below(6))
      switch random.below(4) {
      case 0 where one != other: session.apply(.reset(one, other))
      case 1 where one != other: session.apply(.clog(from: one, to: other, delay: Int64(random.below(900)) * 1_000_000))
      case 2:
        session.apply(.crash(one, silently: random.chance(percent: 50)))
        // Often in the middle of a greeting or a proof.
        session.run(.milliseconds(random.below(300)))
        session.apply(.start(one))
      default: break
      }
      session.run(.milliseconds(random.below(1_500)))
      Self.expectApart(session, seed)
    }
    for _ in 0..<90 where !session.isTogether { session.run(.seconds(1)) }
    #expect(session.isTogether, "seed \(seed)")
    Self.expectApart(session, seed)
  }

  @Test("a member that one peer of a split admits is linked by the others only after its own proof")
  func everyLink() throws {
    var session = try TestSession(3, passcodes: ["sesame 1", "sesame 1", "sesame 1"])
    session.run(.seconds(5))
    session.countFrames()
    session.apply(.crash(2, silently: false))
    session.run(.seconds(3))
    session.apply(.start(2))
    session.run(.seconds(20))
    #expect(session.isTogether)
    // The one that starts again proves itself on both links.
    let proofs = session.sent(.passcodeProof).reduce(0, +) + session.sent(.passcodeAnswer).reduce(0, +)
    #expect(proofs >= 2)
  }
}
