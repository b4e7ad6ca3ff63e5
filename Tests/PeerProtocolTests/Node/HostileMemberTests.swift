import AnchorReplication
import Basics
import PeerProtocol
import Testing
import WorldModel

/// What a member may not send: the faults 22 to 24 of Documentation/faults.md, at the link of a whole node.
@Suite("A hostile member")
struct HostileMemberTests {
  private static let other = NodeProbe.peer(1)
  private static let actor = ActorID(peer: other, incarnation: 7)

  /// A lone host with one anchor of its own, linked to a member for so long that its clock is judged.
  private struct Meeting {
    var probe = NodeProbe()
    let link: LinkID
    private(set) var before: [UInt8]

    init() throws {
      probe.wait(.seconds(3))
      try probe.edit(.place(Anchor(name: "mine")))
      link = probe.join(1, HostileMemberTests.other)
      before = []
      probe.wait(seconds: 14, keeping: [link])
      before = probe.node.anchors.encodeSnapshot()
      #expect(probe.node.host != nil)
    }

    mutating func send(_ operations: AnchorOperation...) {
      probe.send(.operations, on: link) { AnchorDelta(operations).encode(into: &$0) }
    }

    mutating func send(_ anchors: AnchorSet) { probe.send(stateOf: anchors, on: link) }

    mutating func sendVector(_ vector: VersionVector) { probe.send(vector, on: link) }

    /// The link is closed for a breach of the protocol, and nothing of what came is kept.
    mutating func expectRefusal() throws {
      #expect(try probe.goodbye(on: link) == .protocolError)
      #expect(probe.closed == [link])
      #expect(probe.node.anchors.encodeSnapshot() == before)
    }
  }

  private static func add(_ sequence: UInt64, by actor: ActorID = actor, clock: UInt64 = 1) throws -> AnchorOperation {
    let anchor = NewAnchor(
      id: AnchorID(high: 9, low: sequence), creator: nil, pose: try #require(Pose(.identity)), name: "theirs")
    return AnchorOperation(dot: Dot(actor: actor, sequence: sequence), clock: clock, action: .add(anchor))
  }

  @Test("fault 22: a gap in an author's own operations closes its link")
  func gap() throws {
    var meeting = try Meeting()
    meeting.send(try Self.add(2))
    try meeting.expectRefusal()
  }

  @Test("fault 22: a duplicate is ignored and the link stays")
  func duplicate() throws {
    var meeting = try Meeting()
    meeting.send(try Self.add(1))
    meeting.send(try Self.add(1), try Self.add(2))
    #expect(meeting.probe.closed == [])
    #expect(meeting.probe.node.anchors.count == 3)
  }

  @Test("fault 22: an operation in this node's name that it never wrote closes the link")
  func forgery() throws {
    var meeting = try Meeting()
    let mine = meeting.probe.node.anchors.actor
    meeting.send(try Self.add(2, by: mine))
    try meeting.expectRefusal()
  }

  @Test("a vector that covers operations which this node never wrote closes the link", arguments: [0, 1] as [UInt64])
  func forgedVector(surplus: UInt64) throws {
    var meeting = try Meeting()
    let mine = meeting.probe.node.anchors.actor
    let last = meeting.probe.node.anchors.vector[mine]
    meeting.sendVector(VersionVector(covering: [Dot(actor: mine, sequence: last + surplus)]))
    if surplus > 0 { try meeting.expectRefusal() } else { #expect(meeting.probe.closed.isEmpty) }
  }

  @Test("a snapshot that covers operations which this node never wrote closes the link")
  func forgedSnapshot() throws {
    var meeting = try Meeting()
    let mine = meeting.probe.node.anchors.actor
    var forged = AnchorSet(actor: mine, peer: NodeProbe.me)
    for number in 0..<3 { _ = try forged.place(Anchor(name: "forged \(number)"), at: 1) }
    meeting.send(forged)
    try meeting.expectRefusal()
  }

  @Test("a member that places an anchor for another participant loses its link; for itself it may")
  func forgedParticipant() throws {
    for (peer, isHonest) in [(Self.other, true), (NodeProbe.me, false), (NodeProbe.peer(8), false)] {
      var meeting = try Meeting()
      var anchor = NewAnchor(
        id: AnchorID(high: 9, low: 9), creator: nil, pose: try #require(Pose(.identity)), name: "where you are")
      anchor.kind = .participant(peer)
      meeting.send(AnchorOperation(dot: Dot(actor: Self.actor, sequence: 1), clock: 1, action: .add(anchor)))
      if isHonest { #expect(meeting.probe.closed.isEmpty) } else { try meeting.expectRefusal() }
    }
  }

  @Test("fault 23: an operation of the year 2099 on its author's link is left out, and closes it after ten seconds")
  func farFuture() throws {
    var meeting = try Meeting()
    // Milliseconds from 1970 to 2099, as a peer would send that takes wall time for session time.
    for _ in 0..<10 {
      meeting.send(try Self.add(1, clock: 4_070_908_800_000 << 16))
      #expect(meeting.probe.closed == [])
      meeting.probe.wait(seconds: 1, keeping: [meeting.link])
    }
    meeting.send(try Self.add(1, clock: 4_070_908_800_000 << 16))
    try meeting.expectRefusal()
  }

  @Test("an author that goes by a time which has not come here yet keeps its link, and what it wrote comes again")
  func earlyTime() throws {
    var meeting = try Meeting()
    let limit = meeting.probe.node.sessionTime(at: meeting.probe.now) + 60_000
    let early = try Self.add(1, clock: (limit + 500) << 16)
    meeting.send(early)
    meeting.send(try Self.add(2, clock: (limit + 600) << 16))
    // A word of its own that is not ahead comes behind the gap.
    meeting.send(try Self.add(3, clock: limit << 16))
    #expect(meeting.probe.closed == [])
    #expect(meeting.probe.node.anchors.encodeSnapshot() == meeting.before)
    meeting.probe.wait(seconds: 1, keeping: [meeting.link])
    meeting.send(early)
    #expect(meeting.probe.closed == [])
    #expect(meeting.probe.node.anchors.appliedCount(of: Self.actor) == 1)
  }

  enum Taken: CaseIterable {
    case operation
    case snapshot
  }

  @Test("what is taken between two stamps ahead of time ends the ten seconds", arguments: Taken.allCases)
  func takenBetween(_ taken: Taken) throws {
    var meeting = try Meeting()
    let limit = meeting.probe.node.sessionTime(at: meeting.probe.now) + 60_000
    let early = AnchorOperation(
      dot: Dot(actor: Self.actor, sequence: 9), clock: (limit + 90_000) << 16,
      action: .set(key: Dot(actor: Self.actor, sequence: 1), base: 1, .name("early")))
    meeting.send(try Self.add(1, clock: limit << 16))
    meeting.send(early)
    meeting.probe.wait(seconds: 6, keeping: [meeting.link])
    switch taken {
    case .operation: meeting.send(try Self.add(2, clock: limit << 16))
    case .snapshot:
      // That of another start, since a set writes nothing in the name of one that it has heard of.
      var theirs = AnchorSet(actor: ActorID(peer: Self.other, incarnation: 8), peer: Self.other)
      try theirs.merge(snapshot: meeting.probe.node.anchors.encodeSnapshot().span.bytes)
      _ = try theirs.place(Anchor(name: "late"), at: limit)
      meeting.send(theirs)
    }
    meeting.probe.wait(seconds: 6, keeping: [meeting.link])
    meeting.send(early)
    #expect(meeting.probe.closed == [])
    meeting.probe.wait(seconds: 10, keeping: [meeting.link])
    meeting.send(early)
    #expect(meeting.probe.closed == [meeting.link])
  }

  @Test("an author that has seen a stamp of the future, which somebody made up, may write after it")
  func draggedClock() throws {
    var meeting = try Meeting()
    let future = (meeting.probe.node.sessionTime(at: meeting.probe.now) + 600_000) << 16
    meeting.send(try Self.add(1, by: ActorID(peer: NodeProbe.peer(8), incarnation: 1), clock: future))
    meeting.send(try Self.add(1, clock: future + 1))
    #expect(meeting.probe.closed == [])
    #expect(meeting.probe.node.anchors.appliedCount(of: Self.actor) == 1)
  }

  @Test("who makes this node write and reads nothing loses its link, member or stranger", arguments: [true, false])
  func silentReader(isMember: Bool) throws {
    var probe = NodeProbe()
    probe.isSlow = true
    let link = isMember ? probe.join(1, Self.other) : probe.greet(1, Self.other)
    var pings = ByteWriter()
    for _ in 0..<10_000 { pings.writeFrame(.ping) { $0.write(UInt64(1)) } }
    // Each is answered by a pong of its own size; the first 64 KiB are on their way.
    let most = (ProtocolLimits.controlQueue + 2 * ProtocolLimits.transmitWindow) / pings.count + 1
    for _ in 0..<most { probe.send(bytes: pings.bytes, on: link) }
    #expect(probe.closed == [link])
    #expect(try probe.goodbye(on: link) == .limitExceeded)
  }

  @Test(
    "fault 23: a pose that is not finite, subnormal or not rigid closes the link",
    arguments: [Float.nan, .infinity, -.infinity, .leastNonzeroMagnitude, 1.5, 0])
  func poses(value: Float) throws {
    var meeting = try Meeting()
    let move = AnchorOperation(
      dot: Dot(actor: Self.actor, sequence: 2), clock: 2,
      action: .set(key: Dot(actor: Self.actor, sequence: 1), base: 1, .pose(try #require(Pose(.identity)))))
    var batch = ByteWriter()
    AnchorDelta([try Self.add(1), move]).encode(into: &batch)
    var broken = ByteWriter()
    broken.write(value)
    // The last pose: its first number is the x of the x axis.
    let bytes = Array(batch.bytes.dropLast(48) + broken.bytes + batch.bytes.suffix(44))
    meeting.probe.send(.operations, on: meeting.link) { $0.write(bytes: bytes) }
    try meeting.expectRefusal()
  }
}
