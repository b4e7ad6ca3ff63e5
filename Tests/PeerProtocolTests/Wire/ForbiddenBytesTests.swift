import Basics
import Testing
import WorldModel

@testable import PeerProtocol

/// Bytes that the pages of the protocol forbid end the link, and their neighbours do not.
@Suite struct ForbiddenBytesTests {
  private static func bytes(_ build: (inout ByteWriter) -> Void) -> [UInt8] {
    var writer = ByteWriter()
    build(&writer)
    return writer.bytes
  }

  private static func isRefused<Body: FrameBody>(_ type: Body.Type, _ bytes: [UInt8]) -> Bool {
    do throws(DecodingFailure) {
      _ = try Body(body: bytes.span.bytes)
      return false
    } catch {
      return true
    }
  }

  @Test func `records and link announcements count from 1`() {
    for version in [0, 1] as [UInt32] {
      let entry = RosterEntry(
        peerID: NodeProbe.peer(1), version: version, incarnation: 1, name: "", addresses: [])
      let roster = Self.bytes { body in
        body.writeVarint(1)
        entry.write(to: &body)
      }
      #expect(Self.isRefused(RosterFrame.self, roster) == (version == 0))
      var state = LinkState(
        node: NodeID(peer: NodeProbe.peer(1), incarnation: 1), configuration: ElectionConfiguration())
      state.version = version
      #expect(Self.isRefused(LinkState.self, Self.bytes { state.write(to: &$0) }) == (version == 0))
    }
  }

  @Test func `one waits for a millisecond at least to try a passcode`() {
    for time in [0, 1] as [UInt32] {
      #expect(Self.isRefused(PasscodeWait.self, Self.bytes { $0.write(time) }) == (time == 0))
    }
  }

  @Test func `a manifest names at most 450 chunks`() {
    let content = ContentID(.map, SHA256Digest(words: .zero))
    for count in [450, 451] {
      let names = (0..<count).map { ChunkName(size: 1 + $0, hash: SHA256Digest(words: .zero)) }
      let part = Self.bytes { ManifestPart(content: content, first: 0, names: names).write(to: &$0) }
      #expect(Self.isRefused(ManifestPart.self, part) == (count == 451))
    }
  }

  @Test(arguments: [(1, 1), (262_144, 1), (262_145, 1), (0, 1), (1, 0)])
  func `a piece has bytes, of a chunk of 1 to 262,144`(storedSize: Int, count: Int) throws {
    let piece = ChunkPiece(
      content: ContentID(.map, SHA256Digest(words: .zero)), chunk: 0, codec: .raw, storedSize: storedSize, offset: 0)
    let bytes = Self.bytes { piece.write(to: &$0) } + [UInt8](repeating: 1, count: count)
    var probe = NodeProbe()
    let link = probe.join(1, NodeProbe.peer(1))
    probe.send(.chunkPiece, on: link) { $0.write(bytes: bytes) }
    let isAllowed = (1...262_144).contains(storedSize) && count > 0
    #expect(try probe.goodbye(on: link) == (isAllowed ? nil : .protocolError))
  }

  @Test func `resources count from 1`() {
    for number in [0, 1] as [UInt64] {
      let manifest = ContentManifest(
        .resource, epoch: 1, revision: number, names: [ChunkName(size: 1, hash: SHA256Digest(words: .zero))])
      let offer = Self.bytes { ResourceAnnouncement(head: manifest.head, name: "x").write(to: &$0) }
      #expect(Self.isRefused(ResourceAnnouncement.self, offer) == (number == 0))
    }
  }

  @Test func `a question says nothing of its own`() {
    var reports = (0..<4).map { _ in MessageReport(.question) }
    (reports[1].chain, reports[2].last, reports[3].window) = (1, 1, 1)
    let refused = reports.map { report in Self.isRefused(MessageReport.self, Self.bytes { report.write(to: &$0) }) }
    #expect(refused == [false, true, true, true])
  }

  @Test func `a member gets 512 parts of manifests in a second`() {
    var uploads = Uploads()
    for second in 0..<2 {
      let granted = (0..<600).count { _ in uploads.mayAskManifest(at: .zero + .seconds(second)) }
      #expect(granted == ProtocolLimits.manifestRequests)
    }
  }
}
