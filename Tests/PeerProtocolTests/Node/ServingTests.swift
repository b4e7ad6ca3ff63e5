import AnchorReplication
import Basics
import PeerProtocol
import Testing
import WorldModel

@Suite("A holder of a map")
struct ServingTests {
  /// A node that has shared a map, asked for all of it by a member that is slow to read.
  private struct Serving {
    var probe = NodeProbe()
    let link: LinkID
    let map: MapID

    init() throws {
      var random = SeededRandom(seed: 5)
      let bytes = (0..<4 * ProtocolLimits.chunk).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      let package = MapPackage(map: bytes)
      link = probe.join(1, NodeProbe.peer(1))
      probe.send(.vector, on: link) { body in
        // The member has nothing: flags, digest and vector in one chunk.
        body.write(UInt32(34))
        body.write(UInt32(0))
        body.write(bytes: [UInt8](repeating: 0, count: 34))
      }
      probe.input(.share(package, anchors: [], with: nil))
      map = try #require(probe.node.currentMap)
      _ = try probe.frames(on: link)
      probe.isSlow = true
      ask(for: [0, 1, 2, 3])
    }

    mutating func ask(for chunks: [UInt32]) {
      probe.send(.chunkRequest, on: link) { body in
        map.content.write(to: &body)
        for chunk in chunks { body.write(chunk) }
      }
    }

    /// What leaves once the member has read everything that is on its way.
    mutating func next() throws -> [FrameType?] {
      probe.input(.writable(link))
      return try probe.frames(on: link).map(\.type)
    }
  }

  @Test("what is on its way is bounded, and after a cancel nothing more of the map leaves")
  func cancelTakesEffectAtOnce() throws {
    var serving = try Serving()
    let first = try serving.probe.frames(on: serving.link)
    #expect(!first.isEmpty && first.allSatisfy { $0.type == .chunkPiece })
    #expect(first.reduce(0) { $0 + $1.body.count + FrameHead.size } <= ProtocolLimits.transmitWindow)
    #expect(try serving.next().contains(.chunkPiece))
    serving.probe.send(.mapCancel, on: serving.link) { $0.write(bytes: serving.map.digest.bytes) }
    #expect(try serving.next().isEmpty)
    serving.ask(for: [0])
    #expect(try serving.probe.frames(on: serving.link).contains { $0.type == .chunkPiece })
  }

  @Test("what comes while a map fills the link leaves before the rest of it: control, operations, poses")
  func lanesAreStrict() throws {
    var serving = try Serving()
    // Now the window is full: whole pieces leave as long as it is not.
    serving.ask(for: [])
    _ = try serving.probe.frames(on: serving.link)
    let now = serving.probe.now
    try serving.probe.node.updatePose(.identity, at: now)
    try serving.probe.edit(.place(Anchor(name: "lamp")))
    serving.probe.send(.ping, on: serving.link) { $0.write(UInt64(1)) }
    #expect(try serving.probe.frames(on: serving.link).isEmpty)
    let types = try serving.next()
    #expect(Array(types.prefix(4)) == [.pong, .operations, .ephemeral, .chunkPiece])
    #expect(types.dropFirst(4).allSatisfy { $0 == .chunkPiece })
  }
}
