import Basics
import PeerProtocol
import Simulator
import Testing
import WorldModel

/// What members that lie achieve in an owned session; the node under test is its creator.
@Suite struct AttackOwnedTests {
  private typealias Meeting = RemovalTests.Session

  private static func statement(
    _ kind: Statement.Kind, of peer: PeerID, by node: NodeID, in meeting: Meeting, signedBy signer: PeerID? = nil
  ) throws -> Statement {
    let session = try #require(meeting.probe.node.ownedSession.session)
    let statement = Statement(key: node.peer.bytes, kind, of: peer, serial: 5)
    return try #require(statement.signed(by: Signatures(simulating: signer ?? node.peer), in: session))
  }

  /// Says on a member's link that it is in the session, and these statements.
  private static func say(_ statements: [Statement], by node: NodeID, in meeting: inout Meeting) throws {
    let link = try #require(meeting.links[node])
    let genesis = try #require(meeting.probe.node.ownedSession.record?.genesis)
    meeting.probe.send(.charter, on: link) { Charter(genesis, []).write(to: &$0) }
    meeting.probe.send(.statements, on: link) { StatementsFrame(statements).write(to: &$0) }
  }

  @Test func `a member that lies its way into hosting removes nobody, locks nothing and lets nobody in`() throws {
    var meeting = try Meeting(host: RemovalTests.liar, isOwned: true)
    try meeting.say(.kicked, of: RemovalTests.victim.peer, by: RemovalTests.liar)
    #expect(meeting.status(of: RemovalTests.victim) == .present)
    try meeting.tell(7, isLocked: true, by: RemovalTests.liar)
    #expect(!meeting.probe.node.rules.isLocked)
    let stranger = RosterEntry(
      peerID: NodeProbe.peer(50), version: 1, incarnation: 1, name: "stranger", addresses: [])
    meeting.probe.tell([stranger], on: try #require(meeting.links[RemovalTests.liar]))
    #expect(!meeting.probe.node.roster.admits(stranger.peerID))
    try meeting.goodbye(.kicked, by: RemovalTests.liar)
    #expect(!meeting.hasEnded)
  }

  @Test func `the same lies count in an open session`() throws {
    var meeting = try Meeting(host: RemovalTests.liar)
    try meeting.say(.kicked, of: RemovalTests.victim.peer, by: RemovalTests.liar)
    #expect(meeting.status(of: RemovalTests.victim) == .kicked)
  }

  @Test func `a removal that a member signs has no effect, and one with a false signature ends its link`() throws {
    var meeting = try Meeting(isOwned: true)
    let victim = RemovalTests.victim.peer
    let own = try Self.statement(.removal, of: victim, by: RemovalTests.liar, in: meeting)
    try Self.say([own], by: RemovalTests.liar, in: &meeting)
    #expect(meeting.status(of: RemovalTests.victim) == .present)
    let link = try #require(meeting.links[RemovalTests.liar])
    #expect(!meeting.probe.closed.contains(link))
    meeting.probe.input(.setRole(.moderator, of: RemovalTests.liar.peer))
    let forged = try Self.statement(
      .removal, of: victim, by: RemovalTests.liar, in: meeting, signedBy: RemovalTests.other.peer)
    try Self.say([forged], by: RemovalTests.liar, in: &meeting)
    #expect(meeting.status(of: RemovalTests.victim) == .present)
    #expect(meeting.probe.closed.contains(link))
  }

  @Test func `a moderator removes members, and neither the creator nor other moderators`() throws {
    var meeting = try Meeting(isOwned: true)
    for node in [RemovalTests.liar, RemovalTests.other] { meeting.probe.input(.setRole(.moderator, of: node.peer)) }
    let removals = try [RemovalTests.victim.peer, RemovalTests.other.peer, NodeProbe.me].map {
      try Self.statement(.removal, of: $0, by: RemovalTests.liar, in: meeting)
    }
    try Self.say(removals, by: RemovalTests.liar, in: &meeting)
    #expect(meeting.status(of: RemovalTests.victim) == .kicked)
    #expect(meeting.status(of: RemovalTests.other) == .present && !meeting.hasEnded)
  }

  @Test func `charters without end end the link`() throws {
    var meeting = try Meeting(isOwned: true)
    for _ in 0..<17 { try Self.say([], by: RemovalTests.liar, in: &meeting) }
    #expect(meeting.probe.closed.contains(try #require(meeting.links[RemovalTests.liar])))
  }
}
