import PeerProtocol
import Testing
import WorldModel

@Suite("Map holding")
struct MapHoldingTests {
  private static let map: [UInt8] = {
    var random = SeededRandom(seed: 3)
    // The first half does not compress, the second does.
    return (0..<700_000).map { $0 < 350_000 ? UInt8(truncatingIfNeeded: random.next()) : UInt8($0 & 3) }
  }()
  private static let package = MapPackage(map: map)
  private let alice = Sample.alice
  private let bob = Sample.bob

  private func announced() -> (MapHolding, MapManifest) {
    let manifest = MapManifest(revision: 1, size: Self.map.count, hashes: Self.package.hashes)
    let announcement = MapAnnouncement(
      id: manifest.id, revision: 1, size: Self.map.count, provider: alice, isPrivate: false)
    var holding = MapHolding(fetching: announcement)
    holding.addHolder(alice)
    holding.addHolder(bob)
    return (holding, manifest)
  }

  private func pieces(of index: Int, map: MapID) -> [MapPiece] {
    let chunk = Self.package.chunks[index]
    return stride(from: 0, to: chunk.bytes.count, by: ProtocolLimits.bulkPiece).map { offset in
      let end = min(offset + ProtocolLimits.bulkPiece, chunk.bytes.count)
      return MapPiece(
        map: map, chunk: index, codec: chunk.codec, storedSize: chunk.bytes.count, offset: offset,
        bytes: Array(chunk.bytes[offset..<end]))
    }
  }

  @Test("a package puts the map together again and compresses only what gains from it")
  func packageRoundTrips() throws {
    #expect(try Self.package.assembled() == Self.map)
    #expect(Self.package.chunks.map(\.codec) == [.raw, .zstd, .zstd])
  }

  @Test("chunks are shared out among the holders and verified one by one")
  func fetchesFromAllHolders() throws {
    var (holding, manifest) = announced()
    let isWhole = try holding.takeHashes(manifest.hashes, first: 0)
    #expect(isWhole)
    let plan = holding.nextRequests(at: .zero)
    #expect(plan.flatMap(\.chunks).sorted() == [0, 1, 2])
    let again = holding.nextRequests(at: .zero)
    #expect(again.isEmpty)
    var verified = 0
    for (source, chunks) in plan {
      for piece in chunks.flatMap({ pieces(of: $0, map: manifest.id) }) {
        if try holding.take(piece, from: source, at: .zero) { verified += 1 }
      }
    }
    #expect(verified == 3)
    #expect(holding.isComplete && holding.verifiedBytes == Self.map.count)
    #expect(try holding.package?.assembled() == Self.map)
  }

  @Test("a lost source's chunks are asked of the others, and what is verified is kept")
  func resumesWithAnotherHolder() throws {
    var (holding, manifest) = announced()
    holding.removeHolder(bob)
    _ = try holding.takeHashes(manifest.hashes, first: 0)
    _ = holding.nextRequests(at: .zero)
    for piece in pieces(of: 0, map: manifest.id) { _ = try holding.take(piece, from: alice, at: .zero) }
    holding.removeHolder(alice)
    holding.addHolder(bob)
    let plan = holding.nextRequests(at: .zero)
    #expect(plan.map(\.source) == [bob])
    #expect(plan.flatMap(\.chunks) == [1, 2])
  }

  @Test("Fault 24: a flipped bit, a lying size and a zstd bomb are refused, and nothing of them is kept")
  func refusesWrongChunks() throws {
    var (holding, manifest) = announced()
    _ = try holding.takeHashes(manifest.hashes, first: 0)
    let plan = holding.nextRequests(at: .zero)
    let source = try #require(plan.first { $0.chunks.contains(0) }).source
    var flipped = pieces(of: 0, map: manifest.id)
    flipped[0].bytes[17] ^= 1
    #expect(throws: ChunkFailure.wrongHash) {
      for piece in flipped { _ = try holding.take(piece, from: source, at: .zero) }
    }
    #expect(holding.chunks[0] == nil && holding.verifiedBytes == 0)
    let lying = MapPiece(
      map: manifest.id, chunk: 1, codec: .raw, storedSize: ProtocolLimits.chunk + 1, offset: 0, bytes: [0])
    let other = holding.holders.first { $0 != source } ?? source
    #expect(throws: ChunkFailure.wrongSize) {
      for holder in [source, other] { _ = try holding.take(lying, from: holder, at: .zero) }
    }
    let bomb = StoredChunk(compressing: [UInt8](repeating: 0, count: 4 << 20)[...])
    #expect(throws: ChunkFailure.wrongSize) { try bomb.expanded(to: ProtocolLimits.chunk) }
  }

  @Test("a manifest that does not match its id is refused")
  func refusesWrongManifest() {
    var (holding, manifest) = announced()
    #expect(throws: ChunkFailure.wrongHash) {
      try holding.takeHashes(Array(manifest.hashes.reversed()), first: 0)
    }
    #expect(holding.manifest == nil)
  }

  @Test("a new revision takes over the chunks that did not change")
  func reusesChunks() throws {
    var library = MapLibrary()
    let old = MapManifest(revision: 1, size: Self.map.count, hashes: Self.package.hashes)
    let oldAnnouncement = MapAnnouncement(
      id: old.id, revision: 1, size: old.size, provider: alice, isPrivate: false)
    library.insert(MapHolding(Self.package, manifest: old, announcement: oldAnnouncement))
    var changed = Self.map
    changed[ProtocolLimits.chunk + 5] ^= 1
    let package = MapPackage(map: changed)
    let new = MapManifest(revision: library.nextRevision, size: changed.count, hashes: package.hashes)
    let announcement = MapAnnouncement(id: new.id, revision: 2, size: new.size, provider: alice, isPrivate: false)
    let isWanted = library.announce(announcement, by: alice)
    #expect(isWanted)
    _ = try library.change(new.id) { (holding) throws(ChunkFailure) in try holding.takeHashes(new.hashes, first: 0) }
    library.reuseChunks(for: new.id)
    let plan = library.change(new.id) { $0.nextRequests(at: .zero) }
    #expect(plan?.flatMap(\.chunks) == [1])
  }
}
