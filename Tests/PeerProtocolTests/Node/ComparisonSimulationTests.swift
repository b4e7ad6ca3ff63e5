import Basics
import PeerProtocol
import Simulator
import TestSupport
import Testing
import WorldModel

/// Peers whose people compare codes, under faults: connections that break in the middle, nodes that start again.
@Suite("Codes that people compare, simulated")
struct ComparisonSimulationTests {
  @Test("peers find together once their people have compared every code; with crossed dials, too")
  func together() throws {
    let session = try TestSession(4, comparing: true)
    for index in 0..<4 {
      #expect(try session.node(index).memberSummaries.allSatisfy(\.isDirect))
      let ended = session.simulation.monitor.events[index].compactMap { event in
        if case .codeEnded(_, let peer, true) = event { peer } else { nil }
      }
      #expect(Set(ended).count == 3 && ended.count == 3, "\(index) has compared \(ended.count) codes")
    }
  }

  @Test("a member that others have admitted is no direct neighbour of a peer whose person refuses the code")
  func noMemberAdmitsForAnother() throws {
    var session = try TestSession(3, comparing: true, strangers: [(0, 2)])
    for _ in 0..<20 {
      session.run(.seconds(1))
      for (one, other) in [(0, 2), (2, 0)] {
        let member = try session.node(one).memberSummaries.first { $0.peerID == SessionPeer.identity(of: other) }
        #expect(member?.isDirect == false)
      }
    }
    // Through the other member anchors travel nevertheless.
    let before = try session.digest(2)
    _ = try session.place(0)
    session.run(.seconds(2))
    let (sent, received) = (try session.digest(0), try session.digest(2))
    #expect(sent == received && received != before)
  }

  @Test(
    "whatever breaks, peers find together again once their people have compared what is asked",
    arguments: Tier.seeds(1...8 as ClosedRange<UInt64>))
  func faults(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var session = try TestSession(3, comparing: true)
    for _ in 0..<15 {
      let (one, other) = (random.below(3), random.below(3))
      switch random.below(3) {
      case 0 where one != other: session.apply(.reset(one, other))
      case 1:
        session.apply(.crash(one, silently: random.chance(percent: 50)))
        // Often in the middle of a greeting or a comparison.
        session.run(.milliseconds(random.below(300)))
        session.apply(.start(one))
      default: break
      }
      session.run(.milliseconds(random.below(1_500)))
    }
    for _ in 0..<300 where !session.isTogether { session.run(.seconds(1)) }
    #expect(session.isTogether, "seed \(seed)")
  }
}
