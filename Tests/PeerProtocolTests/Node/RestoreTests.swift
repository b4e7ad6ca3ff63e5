import AnchorReplication
import PeerProtocol
import Simulator
import Testing
import WorldModel

@Suite("A restored world")
struct RestoreTests {
  /// A state in which another start of peer `index` has placed an anchor at a late session time.
  private func kept(by index: Int, at milliseconds: UInt64) throws -> [UInt8] {
    let peer = SessionPeer.identity(of: index)
    var set = AnchorSet(actor: ActorID(peer: peer, incarnation: 77), peer: peer)
    _ = try set.place(Anchor(id: AnchorID(high: 4, low: 4), name: "kept"), at: milliseconds)
    return set.encodeSnapshot()
  }

  @Test(
    "who comes back with one into a younger session spreads it, and session time goes on after it", arguments: 0...2)
  func joinsYoungerSession(_ index: Int) throws {
    var session = try TestSession(3)
    session.apply(.crash(index, silently: false))
    session.run(.seconds(5))
    session.apply(.start(index))
    // Ten days of an earlier session.
    let bytes = try kept(by: index, at: 864_000_000)
    try session.perform(index) { node, now in
      try node.handle(.restoreAnchors([.wholeSet(bytes)]), at: now).check()
      try node.edit(.place(Anchor(id: AnchorID(high: 5, low: 5), name: "new")), at: now)
    }
    session.run(.seconds(15))
    let digest = try session.digest(index)
    for other in 0..<3 {
      #expect(try session.node(other).anchors.count == 2)
      #expect(try session.digest(other) == digest)
      #expect(try session.node(other).sessionTime(at: session.simulation.localTime(other)) >= 864_000_000)
    }
  }

  @Test("two sessions of very different age become one")
  func unlikeAges() throws {
    var session = try TestSession(4)
    session.apply(.split([0, 0, 1, 1]))
    session.run(.seconds(15))
    let bytes = try kept(by: 0, at: 864_000_000)
    try session.perform(0) { node, now in try node.handle(.restoreAnchors([.wholeSet(bytes)]), at: now).check() }
    for index in [1, 2] { _ = try session.place(index) }
    session.run(.seconds(10))
    session.forgetEvents()
    session.apply(.heal)
    session.run(.seconds(30))
    let digest = try session.digest(0)
    for other in 0..<4 {
      #expect(try session.node(other).anchors.count == 3)
      #expect(try session.digest(other) == digest)
      #expect(try session.node(other).host == session.node(0).host)
    }
  }
}
