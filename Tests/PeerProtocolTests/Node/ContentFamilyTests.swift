import Basics
import Testing
import WorldModel

@testable import PeerProtocol

/// Maps and resources share the frames about chunks, whose first byte says whose the content is.
@Suite struct ContentFamilyTests {
  private let other = NodeProbe.peer(1)

  @Test func `a resource offered under the id of a map takes none of the frames about the map`() throws {
    var probe = NodeProbe()
    let link = probe.join(1, other)
    let liar = probe.join(2, NodeProbe.peer(2))
    let map = MapPackage(map: [UInt8](repeating: 7, count: 1000))
    let manifest = ContentManifest(.map, epoch: 1, revision: 1, names: map.names)
    let head = ContentHead(
      id: ContentID(.resource, manifest.id.digest), epoch: 7, revision: 1, size: 262_145, chunks: 2)
    probe.send(.resourceOffer, on: liar) { ResourceAnnouncement(head: head, name: "x").write(to: &$0) }
    probe.input(.answerResource(ResourceID(head.id), accepts: true))
    let announcement = MapAnnouncement(manifest, provider: other, isPrivate: false)
    probe.send(.mapAnnounce, on: link) { announcement.write(to: &$0) }
    // As many bits as the map has chunks: of the resource this would be a broken frame.
    let all = ContentHave(content: manifest.id, chunks: .all(map.names.count))
    probe.send(.chunkHave, on: link) { all.write(to: &$0) }
    probe.send(.manifest, on: link) {
      ManifestPart(content: manifest.id, first: 0, names: manifest.names).write(to: &$0)
    }
    probe.sendFirstChunk(of: map, as: manifest.id, on: link)
    #expect(probe.node.currentMap?.content == manifest.id)
    #expect(try probe.goodbye(on: link) == nil)
  }

  @Test(arguments: [FrameType.manifestRequest, .manifest, .chunkRequest, .chunkPiece, .chunkHave])
  func `a frame about chunks of an unknown family is skipped, and one without a family is refused`(
    _ type: FrameType
  ) throws {
    var probe = NodeProbe()
    let link = probe.join(1, other)
    probe.send(type, on: link) { $0.write(bytes: [2, 0]) }
    #expect(try probe.goodbye(on: link) == nil)
    probe.send(type, on: link)
    #expect(try probe.goodbye(on: link) == .protocolError)
  }
}
