import AnchorReplication
import Basics
import Testing
import WorldModel

@testable import PeerProtocol

@Suite("Streams of frames")
struct StreamTests {
  private let other = NodeProbe.peer(1)

  /// A member that has told that it has nothing yet, so that operations flow to it.
  private func member(of probe: inout NodeProbe, _ number: UInt64 = 1) throws -> LinkID {
    let link = probe.join(number, NodeProbe.peer(Int(number)), incarnation: 6 + number)
    probe.send(bytes: frames(telling: VersionVector()), on: link)
    _ = try probe.frames(on: link)
    return link
  }

  /// What a member sends that has `vector`.
  private func frames(telling vector: VersionVector, digest: SHA256Digest = SHA256Digest(words: .zero)) -> [UInt8] {
    var message = ByteWriter()
    message.write(UInt8(0))
    message.write(digest)
    vector.encode(into: &message)
    return frames(.vector, SnapshotChunks(message.bytes))
  }

  private func frames(_ type: FrameType, _ chunks: SnapshotChunks) -> [UInt8] {
    var (writer, parts) = (ByteWriter(), chunks)
    while !parts.isAtEnd { writer.writeFrame(type) { _ = parts.next(limit: ProtocolLimits.statePart, into: &$0) } }
    return writer.bytes
  }

  @Test("one update of an idle session leaves at once, in a frame of its own, on every link")
  func idleUpdateLeavesAtOnce() throws {
    var probe = NodeProbe()
    let links = try (1...3).map { try member(of: &probe, $0) }
    for link in links { _ = try probe.frames(on: link) }
    try probe.edit(.place(Anchor(name: "lamp")))
    for link in links { #expect(try probe.frames(on: link).map(\.type) == [.operations]) }
  }

  @Test("updates made in one turn leave in one frame")
  func updatesShareFrames() throws {
    var probe = NodeProbe()
    let link = try member(of: &probe)
    probe.input(.edits((0..<100).map { .place(Anchor(name: "lamp \($0)")) }))
    #expect(try probe.frames(on: link).map(\.type) == [.operations])
  }

  @Test("a snapshot that came is answered with the operations its sender lacks, not with another snapshot")
  func snapshotIsNotReturned() throws {
    var probe = NodeProbe()
    try probe.edit(.place(Anchor(name: "lamp")))
    var theirs = AnchorSet(actor: ActorID(peer: other, incarnation: 1), peer: other)
    _ = try theirs.place(Anchor(name: "desk"), at: 1)
    let link = probe.join(1, other)
    _ = try probe.frames(on: link)
    // Both come before this side's turn to send.
    let snapshot = frames(.snapshot, SnapshotChunks(theirs.encodeSnapshot()))
    probe.send(bytes: frames(telling: theirs.vector) + snapshot, on: link)
    #expect(try probe.frames(on: link).map(\.type) == [.operations])
    #expect(probe.node.anchors.count == 2)
  }

  @Test("a value that a snapshot replaces is told as lost if its sender did not have it when the link came up")
  func lostToSnapshot() throws {
    var probe = NodeProbe()
    let lamp = Anchor(name: "lamp")
    try probe.edit(.place(lamp))
    var theirs = AnchorSet(actor: ActorID(peer: other, incarnation: 1), peer: other)
    try theirs.merge(snapshot: probe.node.anchors.encodeSnapshot().span.bytes)
    let before = theirs.vector
    try probe.edit(.rename(lamp.id, to: "mine"))
    _ = try theirs.rename(lamp.id, to: "theirs", at: 1_000)
    // They got this side's name on another way, which says nothing of what they knew when they wrote theirs.
    try theirs.merge(snapshot: probe.node.anchors.encodeSnapshot().span.bytes)
    let link = probe.join(1, other)
    _ = probe.takeEvents()
    probe.send(
      bytes: frames(telling: before) + frames(.snapshot, SnapshotChunks(theirs.encodeSnapshot())), on: link)
    let kinds = probe.takeEvents().flatMap { event -> [SetChange.Kind] in
      if case .anchors(let changes) = event { changes.map(\.kind) } else { [] }
    }
    #expect(kinds == [.fieldOverwritten(.name("mine")), .updated(.name)])
  }

  @Test("equal vectors under unequal digests are told as a divergence and answered with everything, equal ones not")
  func divergence() throws {
    var probe = NodeProbe()
    try probe.edit(.place(Anchor(name: "lamp")))
    let link = probe.join(1, other)
    for (digest, isDivergence) in [(probe.node.digest, false), (SHA256Digest(words: .zero), true)] {
      _ = (probe.takeEvents(), try probe.frames(on: link))
      probe.send(bytes: frames(telling: probe.node.anchors.vector, digest: digest), on: link)
      let told = probe.takeEvents().contains { if case .divergence(other) = $0 { true } else { false } }
      #expect(told == isDivergence)
      let answers = try probe.frames(on: link).filter { $0.type == .snapshot }
      #expect(answers.isEmpty != isDivergence)
      // What comes back is merged, and changes nothing where the two are the same after all.
      probe.send(bytes: frames(.snapshot, SnapshotChunks(probe.node.anchors.encodeSnapshot())), on: link)
      #expect(probe.node.anchors.count == 1 && probe.closed.isEmpty)
    }
  }

  private var greeting: [UInt8] {
    var writer = ByteWriter()
    writer.writeFrame(.hello) { NodeProbe.hello(other).write(to: &$0) }
    writer.writeFrame(.invite) { Invite(number: 5, wait: 30_000, context: [1, 2, 3]).write(to: &$0) }
    writer.writeFrame(.inviteCancel) { $0.write(UInt64(5)) }
    return writer.bytes
  }

  private func names(of probe: inout NodeProbe) -> [String] {
    probe.takeEvents().compactMap { event in
      switch event {
      case .peerIdentified: "identified"
      case .invitationReceived(_, _, _, let context): "invited \(context)"
      case .invitationWithdrawn: "withdrawn"
      default: nil
      }
    }
  }

  @Test("frames are found wherever the stream is cut")
  func anyCut() {
    let bytes = greeting
    for cut in 0...bytes.count {
      var probe = NodeProbe()
      let link = probe.open(1, other)
      for part in [bytes[..<cut], bytes[cut...]] where !part.isEmpty { probe.send(bytes: Array(part), on: link) }
      #expect(names(of: &probe) == ["identified", "invited [1, 2, 3]", "withdrawn"], "cut at \(cut)")
    }
  }

  @Test("frames are found in a stream that comes byte by byte, and one that is too long ends the link at its head")
  func byteByByte() throws {
    var probe = NodeProbe()
    let link = probe.open(1, other)
    for byte in greeting { probe.send(bytes: [byte], on: link) }
    #expect(names(of: &probe) == ["identified", "invited [1, 2, 3]", "withdrawn"])
    var head = ByteWriter()
    head.write(UInt32(ProtocolLimits.strangerFrame + 1))
    for byte in head.bytes { probe.send(bytes: [byte], on: link) }
    #expect(!probe.closed.contains(link))
    probe.send(bytes: [FrameType.invite.rawValue], on: link)
    #expect(try probe.goodbye(on: link) == .protocolError)
  }

  @Test("what a neighbour tells goes on at once to one that depends on it, though who does is only looked up then")
  func relaysAtOnce() throws {
    var probe = NodeProbe()
    let (author, reader) = (try member(of: &probe, 1), try member(of: &probe, 2))
    var theirs = AnchorSet(actor: ActorID(peer: NodeProbe.peer(1), incarnation: 7), peer: NodeProbe.peer(1))
    _ = try theirs.place(Anchor(name: "lamp"), at: 1)
    guard case .log(var cursor) = theirs.cursorForPeer(with: VersionVector()) else {
      Issue.record("no log")
      return
    }
    // An announcement that changes the graph comes right before: what was known of who depends on whom is void.
    var state = LinkState(node: NodeID(peer: NodeProbe.peer(1), incarnation: 7), configuration: ElectionConfiguration())
    state.version = 1
    state.neighbors = [1]
    var writer = ByteWriter()
    writer.writeFrame(.linkAnnouncement) { state.write(to: &$0) }
    writer.writeFrame(.operations) { _ = theirs.readLog(&cursor, limit: 1000, into: &$0) }
    probe.send(bytes: writer.bytes, on: author)
    #expect(try probe.frames(on: reader).map(\.type).contains(.operations))
  }
}
