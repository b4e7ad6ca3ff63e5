import Basics
import Testing
import WorldFormats
import WorldModel

@testable import PeerProtocol

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

  private static let manifest = ContentManifest(.map, epoch: 2, revision: 1, names: package.names)
  private static let announcement = MapAnnouncement(
    manifest, provider: Sample.alice, isPrivate: false)

  private func announced() throws -> MapHolding {
    var holding = MapHolding(fetching: Self.announcement)
    holding.content.addHolder(alice)
    holding.content.addHolder(bob)
    try takeManifest(&holding)
    return holding
  }

  /// Lets the asked holder send the manifest.
  private func takeManifest(_ holding: inout MapHolding, names: [ChunkName] = manifest.names) throws {
    let answer = holding.content.askForManifest()
    let asked = try #require(answer)
    let received = try holding.content.takeNames(names, first: 0, from: asked)
    #expect(received == names.count && holding.manifest != nil)
  }

  /// A chunk cut into the pieces in which it travels.
  private func pieces(of index: Int) -> [(ChunkPiece, [UInt8])] {
    let chunk = Self.package.chunks[index]
    return stride(from: 0, to: chunk.bytes.count, by: ProtocolLimits.bulkPiece).map { offset in
      let end = min(offset + ProtocolLimits.bulkPiece, chunk.bytes.count)
      let piece = ChunkPiece(
        content: Self.manifest.id, chunk: index, codec: chunk.codec, storedSize: chunk.bytes.count, offset: offset)
      return (piece, Array(chunk.bytes[offset..<end]))
    }
  }

  @Test("a package puts the map together again and compresses only what gains from it")
  func packageRoundTrips() throws {
    #expect(try Self.package.assembled() == Self.map)
    #expect(Self.package.chunks.map(\.codec) == [.raw, .zstd, .zstd])
  }

  @Test("chunks are shared out among the holders and verified one by one")
  func fetchesFromAllHolders() throws {
    var holding = try announced()
    let plan = holding.content.nextRequests(at: .zero)
    #expect(Set(plan.map(\.source)) == [alice, bob])
    #expect(plan.flatMap(\.chunks).sorted() == [0, 1, 2])
    let again = holding.content.nextRequests(at: .zero)
    #expect(again.isEmpty)
    var verified = 0
    for (source, chunks) in plan {
      for chunk in chunks where try deliver(pieces(of: chunk), from: source, to: &holding) { verified += 1 }
    }
    #expect(verified == 3)
    #expect(holding.isComplete && holding.verifiedBytes == Self.map.count)
    #expect(try holding.package?.assembled() == Self.map)
    #expect(holding.traffic.requestedBytes == Self.map.count)
    #expect(holding.traffic.receivedBytes == Self.package.chunks.reduce(0) { $0 + $1.bytes.count })
  }

  @Test("a holder of a part is asked only for what it has, and for more as soon as it has more")
  func fetchesFromPartialHolders() throws {
    var holding = MapHolding(fetching: Self.announcement)
    holding.content.addHolder(bob, have: ChunkSet(capacity: 3))
    try takeManifest(&holding)
    var have = ChunkSet(capacity: 3)
    have.insert(2)
    holding.content.addHolder(bob, have: have)
    let first = holding.content.nextRequests(at: .zero)
    #expect(first.map(\.chunks) == [[2]])
    have.insert(0)
    holding.content.addHolder(bob, have: have)
    let second = holding.content.nextRequests(at: .zero)
    #expect(second.map(\.chunks) == [[0]])
    holding.content.addHolder(alice)
    let third = holding.content.nextRequests(at: .zero)
    #expect(third.map(\.source) == [alice] && third.map(\.chunks) == [[1]])
  }

  @Test("what a holder owes and has no more is asked of the others, but for what is here and being proven")
  func goesElsewhere() throws {
    var holding = try announced()
    holding.content.removeHolder(alice)
    #expect(holding.content.nextRequests(at: .zero).flatMap(\.chunks) == [0, 1, 2])
    holding.content.addHolder(alice)
    var have = ChunkSet(capacity: 3)
    have.insert(1)
    holding.content.take(have, of: bob, at: .zero)
    let plan = holding.content.nextRequests(at: .zero)
    #expect(plan.map(\.source) == [alice] && plan.flatMap(\.chunks) == [0, 2])
    #expect(try deliver(pieces(of: 1), from: bob, to: &holding))
  }

  @Test("a lost source's chunks are asked of the others, and what is verified is kept")
  func resumesWithAnotherHolder() throws {
    var holding = try announced()
    holding.content.removeHolder(bob)
    _ = holding.content.nextRequests(at: .zero)
    _ = try deliver(pieces(of: 0), from: alice, to: &holding)
    _ = holding.content.nextRequests(at: .zero)
    holding.content.removeHolder(alice)
    holding.content.addHolder(bob)
    let plan = holding.content.nextRequests(at: .zero)
    #expect(plan.map(\.source) == [bob])
    #expect(plan.flatMap(\.chunks) == [1, 2])
  }

  @Test(
    "a holder that sends nothing for 30 s is passed over for those that do, and asked again when nobody else has it")
  func passesOverSlowHolders() throws {
    var holding = try announced()
    let first = holding.content.nextRequests(at: .zero)
    let slow = try #require(first.first)
    let other = try #require(first.last)
    let late = Instant.zero + ProtocolTimes.chunkTimeout
    for chunk in other.chunks { _ = try deliver(pieces(of: chunk), from: other.source, to: &holding, at: late) }
    holding.content.passOverSlowSources(at: late)
    let plan = holding.content.nextRequests(at: late)
    #expect(plan.map(\.source) == [other.source])
    #expect(plan.flatMap(\.chunks).sorted() == slow.chunks.sorted())
    holding.content.removeHolder(other.source)
    let last = holding.content.nextRequests(at: late)
    #expect(last.map(\.source) == [slow.source])
  }

  @Test("a source owes at most eight chunks at a time")
  func creditsAreBounded() throws {
    let names = (0..<20).map { ChunkName(size: ProtocolLimits.chunk, hash: SHA256Digest(hashing: [UInt8($0)])) }
    let manifest = ContentManifest(.map, epoch: 1, revision: 1, names: names)
    var holding = MapHolding(fetching: MapAnnouncement(manifest, provider: alice, isPrivate: false), from: 17)
    holding.content.addHolder(alice)
    try takeManifest(&holding, names: names)
    let asked = holding.content.nextRequests(at: .zero)
    #expect(asked.flatMap(\.chunks) == [17, 18, 19, 0, 1, 2, 3, 4])
    var uploads = Uploads()
    for map in 0..<6 {
      let id = MapID(SHA256Digest(hashing: [UInt8(map)]))
      for chunk in 0..<20 { uploads.add(id.content, chunk) }
    }
    #expect(uploads.count == ProtocolLimits.uploads * ProtocolLimits.outstandingChunks)
  }

  @Test("the rate is that of the last two seconds, and falls while nothing comes")
  func measuresRate() {
    var rate = TransferRate()
    #expect(rate.bytesPerSecond(with: 0, at: .zero) == 0)
    var now = Instant.zero
    for step in 0...50 {
      // The first half was ten times as fast.
      rate.record(step < 25 ? step * 10_000 : 225_000 + step * 1000, at: now)
      if step < 50 { now = now + .milliseconds(100) }
    }
    #expect(rate.bytesPerSecond(with: 275_000, at: now) == 10_000)
    #expect(rate.bytesPerSecond(with: 275_000, at: now + .seconds(3)) < 10_000)
  }

  @Test("Fault 24: a flipped bit, a lying size and a zstd bomb are refused, and nothing of them is kept")
  func refusesWrongChunks() throws {
    var holding = try announced()
    let plan = holding.content.nextRequests(at: .zero)
    let source = try #require(plan.first { $0.chunks.contains(0) }).source
    var flipped = pieces(of: 0)
    flipped[0].1[17] ^= 1
    #expect(throws: ChunkFailure.wrongHash) { try deliver(flipped, from: source, to: &holding) }
    #expect(holding.chunks[0] == nil && holding.verifiedBytes == 0)
    let asked = try #require(plan.flatMap { share in share.chunks.map { (share.source, $0) } }.first { $0.1 == 1 })
    let lying = ChunkPiece(
      content: Self.manifest.id, chunk: 1, codec: .raw, storedSize: ProtocolLimits.chunk + 1, offset: 0)
    #expect(throws: ChunkFailure.wrongSize) { try deliver([(lying, [0])], from: asked.0, to: &holding) }
    let bomb = StoredChunk(compressing: [UInt8](repeating: 0, count: 4 << 20)[...])
    #expect(throws: ChunkFailure.wrongSize) { try bomb.expanded(to: ProtocolLimits.chunk) }
    let size = bomb.bytes.count
    let packed = ChunkPiece(content: Self.manifest.id, chunk: 1, codec: .zstd, storedSize: size, offset: 0)
    #expect(throws: ChunkFailure.wrongSize) { try deliver([(packed, bomb.bytes)], from: asked.0, to: &holding) }
    #expect(holding.verifiedBytes == 0)
  }

  @Test("a refused source is not taken back, whatever it announces, and the others are asked for its chunks")
  func refusedSourceStaysOut() throws {
    var holding = try announced()
    _ = holding.content.nextRequests(at: .zero)
    holding.content.refuseHolder(alice)
    holding.content.addHolder(alice)
    #expect(holding.holders == [bob])
    let asked = holding.content.nextRequests(at: .zero)
    #expect(asked.map(\.source) == [bob])
    let more = holding.content.nextRequests(at: .zero)
    #expect(more.isEmpty)
  }

  @Test("a chunk whose source begins it anew is taken from the beginning, and a stray end of one is ignored")
  func restartsChunks() throws {
    var holding = try announced()
    holding.content.removeHolder(bob)
    _ = holding.content.nextRequests(at: .zero)
    let whole = pieces(of: 0)
    _ = try deliver(Array(whole.prefix(3)), from: alice, to: &holding)
    _ = try deliver(Array(whole.suffix(2)), from: alice, to: &holding)
    let isVerified = try deliver(whole, from: alice, to: &holding)
    #expect(isVerified)
  }

  /// Gives pieces to a holding and runs the checks it asks for at once.
  @discardableResult
  private func deliver(
    _ pieces: [(ChunkPiece, [UInt8])], from source: PeerID, to holding: inout MapHolding, at now: Instant = .zero
  ) throws -> Bool {
    var isVerified = false
    for (piece, bytes) in pieces {
      guard let check = try holding.content.take(piece, bytes.span.bytes, from: source, at: now) else { continue }
      isVerified = try holding.content.settle(check.run(), at: now)
    }
    return isVerified
  }

  @Test("a chunk that the cache brings late is not asked for again when its source goes")
  func lateAnswerOfTheCacheStands() throws {
    var holding = try announced()
    let chunks = Self.package.chunks
    let asked = Set(holding.content.nextRequests(at: .zero).flatMap(\.chunks))
    #expect(asked == Set(chunks.indices))
    for index in chunks.indices { holding.content.keep(chunks[index], at: index) }
    holding.content.removeHolder(alice)
    #expect(holding.isComplete && holding.content.missing.isEmpty)
    #expect(holding.content.nextRequests(at: .zero).isEmpty)
  }

  @Test("a manifest that does not match its id is refused")
  func refusesWrongManifest() {
    var holding = MapHolding(fetching: Self.announcement)
    holding.content.addHolder(alice)
    _ = holding.content.askForManifest()
    #expect(throws: ChunkFailure.wrongHash) {
      try holding.content.takeNames(Array(Self.manifest.names.reversed()), first: 0, from: alice)
    }
    #expect(holding.manifest == nil)
  }

  @Test("one holder at a time is asked for the manifest, the next one when it falls silent, and only its parts count")
  func asksOneForTheManifest() throws {
    var holding = MapHolding(fetching: Self.announcement)
    var asked = [holding.content.askForManifest()]
    holding.content.addHolder(alice)
    holding.content.addHolder(bob)
    let (names, first, other) = (Self.manifest.names, min(alice, bob), max(alice, bob))
    asked += [holding.content.askForManifest(), holding.content.askForManifest()]
    var received = [
      try holding.content.takeNames([names[1]], first: 0, from: other),
      try holding.content.takeNames([], first: 0, from: first),
      try holding.content.takeNames([names[0]], first: 0, from: first),
    ]
    asked += [holding.content.askForManifest(isLate: true), holding.content.askForManifest(isLate: true)]
    holding.content.removeHolder(other)
    asked.append(holding.content.askForManifest())
    received.append(try holding.content.takeNames(names, first: 0, from: first))
    asked.append(holding.content.askForManifest(isLate: true))
    #expect(asked == [nil, first, nil, nil, other, first, nil])
    #expect(received == [nil, nil, 1, names.count])
    #expect(holding.manifest == Self.manifest)
  }

  @Test("a new revision of a map is cut where its blocks begin: a change in one place leaves most chunks as they are")
  func cutsAtBlocks() throws {
    let cloud = SyntheticRoom(seed: 4, pointCount: 60_000).map().cloud
    let options = EncodingOptions(effort: .fast, arrangement: .inSpace)
    let old = MapPackage(map: try WorldMap(cloud: cloud).encoded(options))
    let corner = BoundingBox(ignoringOutliersOf: cloud.positions)?.minimum ?? .zero
    let byDistance = cloud.indices.sorted {
      (cloud.positions[$0] - corner).lengthSquared < (cloud.positions[$1] - corner).lengthSquared
    }
    let rest = cloud.selecting(byDistance.dropFirst(600).sorted())
    let bytes = try WorldMap(cloud: rest).encoded(options)
    let new = MapPackage(map: bytes)
    let kept = Set(new.names).intersection(old.names).reduce(0) { $0 + $1.size }
    #expect(kept > bytes.count / 2)
    #expect(try new.assembled() == bytes)
    #expect(new.names.allSatisfy { (1...ProtocolLimits.chunk).contains($0.size) })
  }

  @Test("a new revision takes over the chunks that did not change")
  func reusesChunks() throws {
    var library = MapLibrary()
    library.insert(MapHolding(Self.package, manifest: Self.manifest, announcement: Self.announcement))
    var changed = Self.map
    changed[ProtocolLimits.chunk + 5] ^= 1
    let package = MapPackage(map: changed)
    let new = ContentManifest(.map, epoch: 2, revision: library.nextNumbers(at: 2).revision, names: package.names)
    let announcement = MapAnnouncement(new, provider: alice, isPrivate: false)
    let isWanted = library.announce(announcement, by: alice, at: .zero)
    #expect(isWanted)
    _ = try library.change(announcement.id) { (holding) throws(ChunkFailure) in
      _ = holding.content.askForManifest()
      return try holding.content.takeNames(new.names, first: 0, from: alice)
    }
    library.reuseChunks(for: announcement.id)
    let plan = library.nextRequests(at: .zero)
    #expect(plan.flatMap(\.chunks) == [1])
  }

  @Test("a later revision that somebody has whole takes the place of one on its way, and ends it when it is here")
  func setsAside() throws {
    var library = MapLibrary()
    var newer = ContentManifest(.map, epoch: 2, revision: 2, names: Array(Self.manifest.names.reversed()))
    var announcement = MapAnnouncement(newer, provider: alice, isPrivate: false)
    func take(_ manifest: ContentManifest, from peer: PeerID, _ announcement: MapAnnouncement) throws {
      _ = library.announce(announcement, by: peer, at: .zero)
      _ = try library.change(MapID(manifest.id)) { (holding) throws(ChunkFailure) in
        guard let asked = holding.content.askForManifest() else { return }
        _ = try holding.content.takeNames(manifest.names, first: 0, from: asked)
      }
    }
    func asked() -> Set<MapID> { Set(library.nextRequests(at: .zero).map(\.map)) }
    try take(Self.manifest, from: alice, Self.announcement)
    #expect(asked() == [Self.announcement.id])
    announcement.isPartial = true
    try take(newer, from: bob, announcement)
    #expect(library.setAside().isEmpty)
    announcement.isPartial = false
    try take(newer, from: bob, announcement)
    let aside = library.setAside()
    #expect(aside.map(\.map) == [Self.announcement.id] && aside.map(\.sources) == [[alice]])
    #expect(asked() == [announcement.id] && library.setAside().isEmpty)
    // Nobody has it whole any more.
    library.removeHolder(bob)
    #expect(asked() == [Self.announcement.id])
    library.dropSuperseded()
    #expect(library[Self.announcement.id] != nil)
    newer = ContentManifest(.map, epoch: 2, revision: 3, names: Self.manifest.names)
    let here = MapAnnouncement(newer, provider: alice, isPrivate: false)
    library.insert(MapHolding(Self.package, manifest: newer, announcement: here))
    library.dropSuperseded()
    #expect(library.holdings.map(\.announcement.id) == [here.id])
  }

  @Test("of two maps that of the later epoch is current, then that of the higher revision, in whatever order they came")
  func ordersMaps() {
    func announcement(_ epoch: UInt64, _ revision: UInt64, _ provider: PeerID) -> MapAnnouncement {
      MapAnnouncement(
        id: MapID(SHA256Digest(hashing: [UInt8(epoch), UInt8(revision)] + provider.bytes)), epoch: epoch,
        revision: revision, size: 1, chunks: 1, provider: provider, isPrivate: false)
    }
    let rising = [
      announcement(1, 9, bob), announcement(2, 1, alice), announcement(2, 3, min(alice, bob)),
      announcement(2, 3, max(alice, bob)),
    ]
    for (low, lower) in rising.enumerated() {
      for (high, higher) in rising.enumerated() {
        #expect(higher.supersedes(lower) == (high > low))
      }
    }
  }

  @Test("a cancelled map is given up once, and no announcement brings it back")
  func cancelsForGood() throws {
    var library = MapLibrary()
    let isWanted = library.announce(Self.announcement, by: alice, at: .zero)
    let dropped = library.cancel(Self.announcement.id)
    let again = library.cancel(Self.announcement.id)
    let isBack = library.announce(Self.announcement, by: bob, at: .zero)
    #expect(isWanted && dropped == [alice] && again.isEmpty && !isBack)
    #expect(library[Self.announcement.id] == nil)
    library.insert(MapHolding(Self.package, manifest: Self.manifest, announcement: Self.announcement))
    let kept = library.cancel(Self.announcement.id)
    #expect(kept.isEmpty && library[Self.announcement.id]?.isComplete == true)
  }
}
