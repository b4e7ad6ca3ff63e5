import Basics
import PeerProtocol
import Testing
import WorldModel

@Suite("Records that are not believed")
struct DisputeTests {
  private let victim = NodeProbe.peer(1)
  private let liar = NodeProbe.peer(2)

  /// A probe with two members, and the links to them.
  private func session() -> (NodeProbe, LinkID, LinkID) {
    var probe = NodeProbe()
    let first = probe.join(1, victim)
    let second = probe.join(2, liar)
    _ = probe.takeEvents()
    return (probe, first, second)
  }

  private func slander(
    _ probe: inout NodeProbe, _ status: RosterEntry.Status, of peer: PeerID, incarnation: UInt64? = nil, on link: LinkID
  ) throws {
    var entry = try #require(probe.node.roster[peer])
    entry.status = status
    entry.version += 1
    entry.incarnation = incarnation ?? entry.incarnation
    probe.send(bytes: Self.frames([entry]), on: link)
  }

  private static func frames(_ entries: [RosterEntry]) -> [UInt8] {
    var writer = ByteWriter()
    Roster.writeFrames(entries, to: &writer)
    return writer.bytes
  }

  /// Lets time pass while both members show that they are alive.
  private func wait(_ probe: inout NodeProbe, seconds: Int, on links: [LinkID]) {
    for _ in 0..<seconds {
      probe.wait(.seconds(1))
      for link in links { probe.send(.ping, on: link) { $0.write(UInt64(1)) } }
    }
  }

  @Test("who is linked to this node has not left, whoever says so, and the record is corrected")
  func forgedDepartureIsContradicted() throws {
    var (probe, first, second) = session()
    try slander(&probe, .left, of: victim, on: second)
    #expect(probe.node.roster[victim]?.status == .present)
    let said = try #require(probe.node.roster[victim]).version + 1
    _ = try probe.frames(on: second)
    wait(&probe, seconds: 8, on: [first, second])
    #expect(try #require(probe.node.roster[victim]).version > said)
    #expect(try probe.frames(on: second).contains { $0.type == .roster })
    #expect(!probe.takeEvents().contains { if case .peerLeft = $0 { true } else { false } })
  }

  @Test("a departure that another member tells of first is believed once the link is gone")
  func trueDepartureIsBelieved() throws {
    var (probe, first, second) = session()
    try slander(&probe, .left, of: victim, on: second)
    probe.input(.linkClosed(first))
    wait(&probe, seconds: 8, on: [second])
    #expect(probe.node.roster[victim]?.status == .left)
  }

  @Test("that an earlier start of a member has left says nothing of the one that was just here, until that is lost")
  func departureOfAnotherStart() throws {
    var (probe, first, second) = session()
    probe.input(.linkClosed(first))
    try slander(&probe, .left, of: victim, incarnation: 6, on: second)
    #expect(probe.node.roster[victim]?.status == .present)
    wait(&probe, seconds: 20, on: [second])
    #expect(probe.node.memberSummaries.first { $0.peerID == victim }?.status == .lost)
    try slander(&probe, .left, of: victim, incarnation: 6, on: second)
    #expect(probe.node.roster[victim]?.status == .left)
  }

  @Test("a removal that an ordinary member tells of puts nobody out, neither another one nor this node")
  func forgedRemovalIsNotBelieved() throws {
    var (probe, first, second) = session()
    try slander(&probe, .kicked, of: victim, on: second)
    try slander(&probe, .kicked, of: NodeProbe.me, on: second)
    wait(&probe, seconds: 8, on: [first, second])
    #expect(probe.node.roster[victim]?.status == .present)
    #expect(probe.node.roster[NodeProbe.me]?.status == .present)
    #expect(!probe.takeEvents().contains { if case .ended = $0 { true } else { false } })
  }

  @Test("a goodbye that says kicked, of an ordinary member, costs that one link and nothing else")
  func forgedGoodbyeEndsOneLink() throws {
    var (probe, first, second) = session()
    probe.send(.goodbye, on: second) { Goodbye(.kicked).write(to: &$0) }
    #expect(probe.closed == [second])
    wait(&probe, seconds: 3, on: [first])
    #expect(!probe.takeEvents().contains { if case .ended = $0 { true } else { false } })
  }

  @Test("who was removed stays out although a member says otherwise")
  func removalIsFinal() throws {
    var (probe, first, second) = session()
    wait(&probe, seconds: 5, on: [first, second])
    #expect(probe.node.mayRule)
    probe.input(.kick(victim))
    var entry = try #require(probe.node.roster[victim])
    entry.status = .present
    entry.version += 1
    probe.send(bytes: Self.frames([entry]), on: second)
    wait(&probe, seconds: 8, on: [second])
    #expect(probe.node.roster[victim]?.status == .kicked)
  }
}
