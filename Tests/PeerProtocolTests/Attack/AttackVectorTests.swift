import AnchorReplication
import Basics
import PeerProtocol
import Testing
import WorldModel

/// What small frames about large states cost.
@Suite struct AttackVectorTests {
  private static func snapshots(_ probe: inout NodeProbe, on link: LinkID) throws -> Int {
    try probe.frames(on: link).count { $0.type == .snapshot }
  }

  /// A node with an anchor whose log is pruned, since its one member has all of it.
  private static func pruned() throws -> (NodeProbe, LinkID) {
    var probe = NodeProbe()
    let link = probe.join(1, NodeProbe.peer(1))
    try probe.edit(.place(Anchor(name: "mine")))
    for _ in 0..<12 {
      probe.wait(.seconds(1))
      probe.send(.ping, on: link) { $0.write(UInt64(1)) }
      probe.send(probe.node.anchors.vector, on: link)
    }
    probe.wait(.seconds(1))
    _ = (probe.takeEvents(), try probe.frames(on: link))
    return (probe, link)
  }

  @Test func `100 empty vectors make one snapshot a second leave`() throws {
    var (probe, link) = try Self.pruned()
    for second in 0..<2 {
      for _ in 0..<100 { probe.send(VersionVector(), on: link) }
      #expect(try Self.snapshots(&probe, on: link) == 1, "second \(second)")
      probe.wait(.seconds(1))
    }
    #expect(probe.closed.isEmpty)
  }

  @Test func `100 false digests make one snapshot leave and are told once`() throws {
    var (probe, link) = try Self.pruned()
    for _ in 0..<100 { probe.send(probe.node.anchors.vector, on: link) }
    #expect(try Self.snapshots(&probe, on: link) == 1)
    #expect(probe.takeEvents().count { if case .divergence = $0 { true } else { false } } == 1)
  }
}
