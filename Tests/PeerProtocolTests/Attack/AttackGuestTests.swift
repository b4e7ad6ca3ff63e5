import AnchorReplication
import Basics
import Simulator
import Testing
import WorldModel

@testable import PeerProtocol

/// What a guest that writes achieves in an owned session, and a member that hands on what it wrote; the node under test is the creator.
@Suite struct AttackGuestTests {
  private static let guest = RemovalTests.victim
  private static let accomplice = RemovalTests.liar
  private static let actor = ActorID(peer: guest.peer, incarnation: guest.incarnation)

  /// The session with the guest, before or after it became one.
  private static func meeting(isGuest: Bool = true, curates: Bool = false) throws -> RemovalTests.Session {
    var meeting = try RemovalTests.Session(isOwned: true, curates: curates)
    if isGuest { demote(in: &meeting) }
    return meeting
  }

  private static func demote(in meeting: inout RemovalTests.Session) {
    #expect(meeting.probe.input(.setRole(.guest, of: guest.peer)) == .done)
  }

  private static func addition(_ sequence: UInt64) throws -> AnchorOperation {
    let anchor = NewAnchor(
      id: AnchorID(high: 9, low: sequence), creator: nil, pose: try #require(Pose(.identity)), name: "theirs")
    return AnchorOperation(dot: Dot(actor: actor, sequence: sequence), clock: 1, action: .add(anchor))
  }

  private static func write(
    _ sequences: ClosedRange<UInt64>, by node: NodeID, in meeting: inout RemovalTests.Session
  ) throws {
    let link = try #require(meeting.links[node])
    let operations = try sequences.map { try addition($0) }
    meeting.probe.send(.operations, on: link) { AnchorDelta(operations).encode(into: &$0) }
  }

  @Test(arguments: [guest, accomplice]) func `anchors of a guest are neither applied nor passed on`(by: NodeID) throws {
    var meeting = try Self.meeting()
    _ = try meeting.frames(to: RemovalTests.other)
    try Self.write(1...2, by: by, in: &meeting)
    #expect(meeting.probe.node.anchors.applied(of: Self.guest.peer).isEmpty)
    #expect(try !meeting.frames(to: RemovalTests.other).contains(.operations))
    // It is no breach: the link of a member that does not know yet stays.
    #expect(meeting.probe.closed.isEmpty)
  }

  @Test func `a snapshot with more of a guest than counts leaves a gap that is not its sender's fault`() throws {
    var meeting = try Self.meeting()
    let other = RemovalTests.other
    let link = try #require(meeting.links[other])
    var theirs = AnchorSet(actor: ActorID(peer: other.peer, incarnation: other.incarnation), peer: other.peer)
    var batch = ByteWriter()
    AnchorDelta([try Self.addition(1)]).encode(into: &batch)
    let operations = batch.bytes
    var assembly = OperationAssembly()
    try theirs.apply(operations: operations.span.bytes, assembly: &assembly, judging: nil)
    _ = try theirs.place(Anchor(name: "before"), at: 1)
    meeting.probe.send(stateOf: theirs, on: link)
    // It goes on behind its snapshot, since it has not heard that one of its authors is a guest.
    guard case .log(var cursor) = theirs.cursorForPeer(with: theirs.vector) else { return }
    _ = try theirs.place(Anchor(name: "after"), at: 2)
    meeting.probe.send(.operations, on: link) { _ = theirs.readLog(&cursor, limit: 1 << 16, into: &$0) }
    #expect(meeting.probe.closed.isEmpty)
    #expect(meeting.probe.node.anchors.appliedCount(of: theirs.actor) == 0)
  }

  @Test func `what a member wrote before it became a guest stays, and counts again when it is a member`() throws {
    var meeting = try Self.meeting(isGuest: false)
    try Self.write(1...2, by: Self.guest, in: &meeting)
    Self.demote(in: &meeting)
    try Self.write(3...3, by: Self.accomplice, in: &meeting)
    #expect(meeting.probe.node.anchors.applied(of: Self.guest.peer) == [Self.guest.incarnation: 2])
    #expect(meeting.probe.input(.setRole(.member, of: Self.guest.peer)) == .done)
    try Self.write(3...3, by: Self.guest, in: &meeting)
    #expect(meeting.probe.node.anchors.applied(of: Self.guest.peer) == [Self.guest.incarnation: 3])
  }

  @Test func `a raise of its cut that a guest signs itself does not count`() throws {
    var meeting = try Self.meeting()
    let record = try #require(meeting.probe.node.ownedSession.record)
    let admission = try #require(record.statements.first { $0.role == .guest })
    let raise = Statement(
      key: Self.guest.peer.bytes, .raise, of: Self.guest.peer, serial: 0, naming: [admission.hash],
      cuts: [Statement.Cut(incarnation: Self.guest.incarnation, sequence: 9)])
    let signed = try #require(
      raise.signed(by: Signatures(simulating: Self.guest.peer), in: record.genesis.session))
    let link = try #require(meeting.links[Self.guest])
    meeting.probe.send(.charter, on: link) { Charter(record.genesis, []).write(to: &$0) }
    meeting.probe.send(.statements, on: link) { StatementsFrame([signed]).write(to: &$0) }
    try Self.write(1...1, by: Self.accomplice, in: &meeting)
    #expect(meeting.probe.node.anchors.applied(of: Self.guest.peer).isEmpty)
  }

  @Test func `drags and attachments of a guest are ignored, and its pose is not`() throws {
    var meeting = try Self.meeting()
    let floor = Anchor(name: "floor", kind: .plane(Anchor.Plane(alignment: .horizontal, extent: [1, 1])))
    try meeting.probe.edit(.place(floor))
    let link = try #require(meeting.links[Self.guest])
    let pose = try #require(Pose(.identity))
    for (number, subject) in [EphemeralSubject.anchor(floor.id), .participant].enumerated() {
      let update = EphemeralUpdate(
        origin: Self.guest, subject: subject, sequence: UInt64(number + 1), sessionTime: 1, pose: pose)
      meeting.probe.send(.ephemeral, on: link) { update.write(to: &$0) }
    }
    #expect(meeting.probe.node.livePoses.map(\.subject) == [.participant])
    let head = ContentHead(
      id: ContentID(.resource, SHA256Digest(hashing: [1])), epoch: Self.guest.incarnation, revision: 1, size: 9,
      chunks: 1)
    let word = SpreadWord(attaching: [AttachmentFact(head: head, name: "a")], by: Self.guest)
    meeting.probe.say([word], on: link)
    #expect(meeting.probe.node.attachments.isEmpty)
    #expect(!meeting.probe.takeEvents().contains { if case .resource = $0 { true } else { false } })
  }

  private static func map(of provider: NodeID) -> MapAnnouncement {
    MapAnnouncement(
      id: MapID(SHA256Digest(hashing: provider.peer.bytes)), epoch: 1, revision: 1, size: 10, chunks: 1,
      provider: provider.peer, isPrivate: false)
  }

  /// Whether the node asks for a map that a member announces.
  private static func isWanted(
    of provider: NodeID, by teller: NodeID, in meeting: inout RemovalTests.Session
  ) throws -> Bool {
    _ = try meeting.frames(to: teller)
    meeting.probe.send(.mapAnnounce, on: try #require(meeting.links[teller])) { map(of: provider).write(to: &$0) }
    return try meeting.frames(to: teller).contains(.manifestRequest)
  }

  @Test func `maps of a guest are refused, whoever announces them, and members share theirs`() throws {
    var meeting = try Self.meeting()
    #expect(try !Self.isWanted(of: Self.guest, by: Self.guest, in: &meeting))
    #expect(try !Self.isWanted(of: Self.guest, by: Self.accomplice, in: &meeting))
    #expect(try Self.isWanted(of: RemovalTests.other, by: Self.accomplice, in: &meeting))
  }

  @Test func `in a curated session maps of members are refused, and those of publishers and moderators not`() throws {
    var meeting = try Self.meeting(curates: true)
    #expect(try !Self.isWanted(of: RemovalTests.other, by: RemovalTests.other, in: &meeting))
    #expect(meeting.probe.input(.setRole(.publisher, of: RemovalTests.other.peer)) == .done)
    #expect(try Self.isWanted(of: RemovalTests.other, by: Self.accomplice, in: &meeting))
    #expect(try !Self.isWanted(of: Self.accomplice, by: RemovalTests.other, in: &meeting))
    #expect(meeting.probe.input(.setRole(.moderator, of: Self.accomplice.peer)) == .done)
    #expect(try Self.isWanted(of: Self.accomplice, by: RemovalTests.other, in: &meeting))
  }

  @Test func `a host grants a guest nothing`() throws {
    var meeting = try Self.meeting()
    let lamp = Anchor(name: "lamp")
    try meeting.probe.edit(.place(lamp))
    let link = try #require(meeting.links[Self.guest])
    let request = OwnershipFrame(
      kind: .request, from: Self.guest, to: meeting.probe.node.me, anchor: lamp.id, number: 1, subject: Self.guest.peer)
    meeting.probe.send(.ownership, on: link) { request.write(to: &$0) }
    #expect(meeting.probe.node.anchors.lock(of: lamp.id)?.owner != Self.guest.peer)
    let answers = try meeting.probe.frames(on: link).filter { $0.type == .ownership }
    #expect(try answers.map { try OwnershipFrame(body: $0.body.span.bytes).kind } == [.refusal])
  }

  @Test func `an admission that ends is over at its time, and no sooner`() throws {
    var meeting = try Self.meeting(isGuest: false)
    #expect(meeting.probe.input(.setRole(.member, of: Self.guest.peer, for: .seconds(10))) == .done)
    try Self.write(1...1, by: Self.guest, in: &meeting)
    meeting.wait(seconds: 9)
    #expect(meeting.status(of: Self.guest) == .present)
    meeting.wait(seconds: 2)
    #expect(meeting.status(of: Self.guest) == .kicked)
    #expect(meeting.probe.closed.contains(try #require(meeting.links[Self.guest])))
    try Self.write(2...2, by: Self.accomplice, in: &meeting)
    #expect(meeting.probe.node.anchors.applied(of: Self.guest.peer) == [Self.guest.incarnation: 1])
    // It comes back by another admission.
    #expect(meeting.probe.input(.setRole(.member, of: Self.guest.peer)) == .done)
    try Self.write(2...2, by: Self.accomplice, in: &meeting)
    #expect(meeting.probe.node.anchors.applied(of: Self.guest.peer) == [Self.guest.incarnation: 2])
  }

  @Test func `the time in which a machine sleeps counts for an admission that ends`() throws {
    var meeting = try Self.meeting(isGuest: false)
    #expect(meeting.probe.input(.setRole(.member, of: Self.guest.peer, for: .seconds(3600))) == .done)
    meeting.probe.input(.clockJumped(by: .seconds(3599)))
    #expect(meeting.probe.node.ownedSession.roles[Self.guest.peer] == .member)
    meeting.probe.input(.clockJumped(by: .seconds(2)))
    #expect(meeting.probe.node.ownedSession.roles[Self.guest.peer] == nil)
  }
}
