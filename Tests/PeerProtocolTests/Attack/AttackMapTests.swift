import Basics
import Testing
import WorldModel

@testable import PeerProtocol

/// What one member's announcements of maps cost a node and all the others.
@Suite struct AttackMapTests {
  private static let other = NodeProbe.peer(1)

  /// A map of as many chunks as there may be, that nobody has.
  private static func map(_ number: Int) -> MapAnnouncement {
    MapAnnouncement(
      id: MapID(SHA256Digest(hashing: Array("map \(number)".utf8))), epoch: 1, revision: UInt64(number + 1),
      size: 2 * ProtocolLimits.chunks, chunks: ProtocolLimits.chunks, provider: other, isPrivate: false)
  }

  /// The maps that a node asks for on a link, in order.
  private static func asked(_ probe: inout NodeProbe, on link: LinkID) throws -> [MapID] {
    try probe.frames(on: link).filter { $0.type == .manifestRequest }.map { frame in
      return MapID(try ManifestRequest(body: frame.body.span.bytes).content)
    }
  }

  @Test func `of 1,000 maps that one member announces in a second eight are looked at, and later the last`() throws {
    var probe = NodeProbe()
    let link = probe.join(1, Self.other)
    _ = try probe.frames(on: link)
    for number in 0..<1_000 { probe.send(.mapAnnounce, on: link) { Self.map(number).write(to: &$0) } }
    #expect(try Self.asked(&probe, on: link).count == ProtocolLimits.announcements)
    for _ in 0..<6 {
      probe.wait(.seconds(1))
      probe.send(.ping, on: link) { $0.write(UInt64(1)) }
    }
    #expect(try Self.asked(&probe, on: link).last == Self.map(999).id)
    #expect(probe.closed.isEmpty)
  }

  @Test func `a map of 65,536 chunks takes no place for them before their names are here`() {
    let holding = MapHolding(fetching: Self.map(0))
    #expect(holding.chunks.isEmpty)
    #expect(holding.verified == ChunkSet(capacity: ProtocolLimits.chunks))
  }

  @Test func `maps that are announced beside the session's own are together no larger than twice the limit`() {
    let limit = 1_000_000
    var library = MapLibrary(memoryLimit: limit)
    for number in 0..<4 {
      var map = Self.map(number)
      (map.isPrivate, map.size) = (true, limit)
      _ = library.announce(map, by: Self.other, at: .zero)
      #expect(library.holdings.reduce(0) { $0 + $1.announcement.size } <= 2 * limit)
      #expect(library[map.id] != nil)
    }
  }

  @Test func `who has a chunk of a map of many is told of so many that the bits stay few`() {
    let few = MapHolding(
      fetching: MapAnnouncement(
        id: Self.map(0).id, epoch: 1, revision: 1, size: 100, chunks: 100, provider: Self.other, isPrivate: false))
    #expect(few.chunksBetweenTells == ProtocolLimits.chunksBetweenTells)
    #expect(MapHolding(fetching: Self.map(0)).chunksBetweenTells == ProtocolLimits.chunks / 64)
  }
}
