import Basics
@testable import PeerProtocol
import Testing
import WorldModel

/// What makes a member host, and who comes into a session that is closed.
@Suite struct AttackHostTests {
  private typealias Meeting = RemovalTests.Session

  private static let stranger = RosterEntry(
    peerID: NodeProbe.peer(50), version: 1, incarnation: 1, name: "stranger", addresses: [])

  private static func tell(_ entry: RosterEntry, by node: NodeID, in meeting: inout Meeting) throws {
    meeting.probe.tell([entry], on: try #require(meeting.links[node]))
  }

  /// Lets time pass in which all members show that they follow this node.
  private static func follow(_ meeting: inout Meeting, seconds: Int) throws {
    for _ in 0..<seconds {
      meeting.wait(seconds: 1)
      for node in [RemovalTests.victim, RemovalTests.liar, RemovalTests.other] { try meeting.acknowledge(by: node) }
    }
  }

  @Test func `a request makes nobody host, whatever priority it claims, and is answered with who hosts`() throws {
    var meeting = try Meeting()
    let me = meeting.probe.node.me
    _ = try meeting.frames(to: RemovalTests.liar)
    try meeting.elect(RemovalTests.liar, .request(.init(priority: 255, isExplicit: true)))
    #expect(try meeting.frames(to: RemovalTests.liar).contains(.election))
    meeting.wait(seconds: 5)
    #expect(meeting.probe.node.host == me)
  }

  @Test func `a present record of a stranger is not believed in a locked session, unless the host says so`() throws {
    var meeting = try Meeting(host: RemovalTests.other)
    try meeting.tell(1, isLocked: true, by: RemovalTests.other)
    try Self.tell(Self.stranger, by: RemovalTests.liar, in: &meeting)
    #expect(!meeting.probe.node.roster.admits(Self.stranger.peerID))
    try Self.tell(Self.stranger, by: RemovalTests.other, in: &meeting)
    #expect(meeting.probe.node.roster.admits(Self.stranger.peerID))
  }

  @Test func `nor is one that was first said to have left`() throws {
    var meeting = try Meeting(host: RemovalTests.other)
    try meeting.tell(1, isLocked: true, by: RemovalTests.other)
    var entry = Self.stranger
    entry.status = .left
    try Self.tell(entry, by: RemovalTests.liar, in: &meeting)
    (entry.status, entry.version) = (.present, 2)
    try Self.tell(entry, by: RemovalTests.liar, in: &meeting)
    #expect(meeting.probe.node.roster[entry.peerID]?.status == .left)
  }

  @Test func `the host of a locked session believes a follower of longer standing only for what it may not have known`()
    throws
  {
    var meeting = try Meeting()
    try Self.follow(&meeting, seconds: 31)
    meeting.probe.input(.setLocked(true))
    // Admitted before the lock was heard of.
    try Self.tell(Self.stranger, by: RemovalTests.liar, in: &meeting)
    #expect(meeting.probe.node.roster.admits(Self.stranger.peerID))
    try Self.follow(&meeting, seconds: 16)
    var late = Self.stranger
    late.peerID = NodeProbe.peer(51)
    try Self.tell(late, by: RemovalTests.liar, in: &meeting)
    try Self.follow(&meeting, seconds: 8)
    #expect(!meeting.probe.node.roster.admits(late.peerID))
  }

  @Test func `a full session has no place for a stranger that a member names`() throws {
    var meeting = try Meeting(host: RemovalTests.other)
    meeting.probe.send(.rules, on: try #require(meeting.links[RemovalTests.other])) { body in
      body.write(UInt32(1))
      body.write(UInt8(0))
      body.write(UInt8(4))
    }
    #expect(meeting.probe.node.rules.limit == 4 && meeting.probe.node.roster.presentCount == 4)
    try Self.tell(Self.stranger, by: RemovalTests.liar, in: &meeting)
    #expect(!meeting.probe.node.roster.admits(Self.stranger.peerID))
  }
}
