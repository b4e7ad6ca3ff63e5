import AnchorReplication
import PeerProtocol
import Testing
import WorldModel

@Suite("Streams of frames")
struct StreamTests {
  private let other = NodeProbe.peer(1)

  /// A member that has told that it has nothing yet, so that operations flow to it.
  private func member(of probe: inout NodeProbe, _ number: UInt64 = 1) throws -> LinkID {
    let peer = NodeProbe.peer(Int(number))
    let link = probe.join(number, peer)
    var vector = ByteWriter()
    vector.write(UInt8(0))
    vector.write(SHA256Digest(words: .zero))
    VersionVector().encode(into: &vector)
    var parts = SnapshotChunks(vector.bytes)
    probe.send(.vector, on: link) { _ = parts.next(limit: ProtocolLimits.statePart, into: &$0) }
    _ = try probe.frames(on: link)
    return link
  }

  @Test("one update of an idle session leaves at once, in a frame of its own, on every link")
  func idleUpdateLeavesAtOnce() throws {
    var probe = NodeProbe()
    let links = try (1...3).map { try member(of: &probe, $0) }
    for link in links { _ = try probe.frames(on: link) }
    try probe.edit { anchors, time throws(AnchorError) in _ = try anchors.place(Anchor(name: "lamp"), at: time) }
    for link in links { #expect(try probe.frames(on: link).map(\.type) == [.operations]) }
  }

  @Test("updates made in one turn leave in one frame")
  func updatesShareFrames() throws {
    var probe = NodeProbe()
    let link = try member(of: &probe)
    try probe.edit { anchors, time throws(AnchorError) in
      for number in 0..<100 { _ = try anchors.place(Anchor(name: "lamp \(number)"), at: time) }
    }
    #expect(try probe.frames(on: link).map(\.type) == [.operations])
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
}
