import PeerProtocol
import Simulator
import TestSupport
import Testing

@Suite("Members find each other again")
struct ReconnectionTests {
  @Test(
    "after a split of a minute all of eight nodes are linked again within six seconds", arguments: Tier.seeds(1...5))
  func longSplitHealsSoon(_ seed: Int) throws {
    var harness = SessionHarness.joined(8, seed: UInt64(seed))
    #expect(harness.isMesh(Array(0..<8)))
    harness.apply(.split([0, 0, 0, 0, 1, 1, 1, 1]))
    harness.run(60)
    #expect(!harness.isMesh(Array(0..<8)))
    harness.apply(.heal)
    // The longest pause is 4 s, and the side whose turn comes second waits one more; news then spares the others both.
    let time = harness.seconds(until: 20) { $0.isMesh(Array(0..<8)) }
    #expect(try #require(time) <= 6)
  }

  @Test("the first link across a healed split brings the other ones within two seconds", arguments: Tier.seeds(1...5))
  func newsSparesTheOthersTheirPauses(_ seed: Int) throws {
    var harness = SessionHarness.joined(8, seed: UInt64(seed))
    harness.apply(.split([0, 0, 0, 0, 1, 1, 1, 1]))
    harness.run(60)
    harness.apply(.heal)
    let isOver: (SessionHarness) -> Bool = { harness in
      (0..<4).contains { one in (4..<8).contains { other in harness.isMesh([one, other]) } }
    }
    let first = harness.seconds(until: 10, isOver)
    #expect(first != nil)
    let time = harness.seconds(until: 10) { $0.isMesh(Array(0..<8)) }
    #expect(try #require(time) <= 2)
  }

  @Test("a machine that slept for a minute notices within five seconds that another one died meanwhile")
  func sleepDoesNotHideADeath() {
    var harness = SessionHarness.joined(3)
    harness.apply(.stop(0, asleep: true))
    harness.run(60)
    harness.apply(.resume(0))
    harness.run(10)
    harness.apply(.stop(0, asleep: true))
    harness.run(1)
    harness.apply(.crash(1, silently: true))
    harness.run(59)
    harness.apply(.resume(0))
    let isNoticed: (SessionHarness) -> Bool = { harness in
      harness.node(0).memberSummaries.contains { $0.peerID == SessionPeer.identity(of: 1) && $0.status != .connected }
    }
    let time = harness.seconds(until: 5, isNoticed)
    #expect(time != nil)
  }
}
