import Basics
package import WorldModel

/// One map that is held, whole or in part, and from whom the rest comes.
package struct MapHolding: Sendable {
  /// The announcement.
  package let announcement: MapAnnouncement
  /// The manifest, once all of it has arrived and matches the announced id.
  package private(set) var manifest: MapManifest?
  /// The verified chunks, by their numbers; no places before the manifest is here, which pays for them with its bytes.
  package private(set) var chunks: [StoredChunk?] = []
  /// The numbers of the verified chunks.
  package private(set) var verified: ChunkSet
  /// Bytes of raw map verified so far.
  package private(set) var verifiedBytes = 0

  /// Members that announced it and are linked, in the order of their ids.
  var sources: [MapSource] = []
  /// Members that sent a wrong chunk.
  var refused: Set<PeerID> = []
  /// Chunks that are neither here nor asked for.
  var missing: ChunkSet
  /// Chunks that are asked for or being proven.
  var requests: [Int: ChunkRequest] = [:]
  /// How many of those are being proven.
  var unchecked = 0
  /// Where asking begins, other for each peer, so that joiners that come together soon have something to give.
  let firstWanted: Int
  /// The fetched part of it.
  package internal(set) var traffic = MapTraffic()
  var rate = TransferRate()
  /// Until when the cache may look for chunks before they are asked of others; nil when it does not.
  var searchEnds: Instant?
  /// Chunks verified since the others were last told.
  var untold = 0

  /// Verified chunks after which the others are told: of a map of many chunks more, so that the bits told of a chunk are
  /// a bounded number whatever the size of the chunks.
  package var chunksBetweenTells: Int { max(ProtocolLimits.chunksBetweenTells, announcement.chunks / 64) }

  /// The peer that is asked for the manifest.
  private(set) var manifestSource: PeerID?
  /// The part of it that has come, and its size at the last look; nil when there was none.
  private var names: [ChunkName] = []
  private var namesSeen: Int?

  /// A map to be fetched, from the chunk at `start` on.
  package init(fetching announcement: MapAnnouncement, from start: Int = 0) {
    self.announcement = announcement
    verified = ChunkSet(capacity: announcement.chunks)
    missing = ChunkSet(capacity: announcement.chunks)
    firstWanted = start % announcement.chunks
  }

  /// A map that is held whole.
  package init(_ package: MapPackage, manifest: MapManifest, announcement: MapAnnouncement) {
    self.announcement = announcement
    self.manifest = manifest
    chunks = package.chunks
    verified = .all(package.chunks.count)
    verifiedBytes = package.size
    missing = ChunkSet(capacity: package.chunks.count)
    firstWanted = 0
  }

  /// Whether every chunk is here.
  package var isComplete: Bool { manifest != nil && verifiedBytes == announcement.size }

  /// The map's parts; nil until it is complete.
  package var package: MapPackage? {
    guard isComplete, let manifest else { return nil }
    return MapPackage(names: manifest.names, chunks: chunks.compactMap { $0 })
  }

  /// The peer to ask for the manifest now, from its beginning; nil when one is asked.
  ///
  /// One source at a time, so that who sends wrong parts is known and spoils nobody else's.
  /// - Parameter isLate: Whether one that has sent nothing between two calls with it is passed over for the next.
  package mutating func askForManifest(isLate: Bool = false) -> PeerID? {
    guard manifest == nil, let foremost = sources.first?.peer else { return nil }
    if let asked = manifestSource {
      guard isLate, names.count == namesSeen else {
        if isLate { namesSeen = names.count }
        return nil
      }
      forgetNames()
      manifestSource = sources.first { $0.peer > asked }?.peer ?? foremost
    } else {
      manifestSource = foremost
    }
    return manifestSource
  }

  /// Takes what `source` says of the chunks from `first` on.
  ///
  /// Returns how many chunks are named by now, all of them when the manifest is complete; nil when it was not wanted.
  ///
  /// - Throws: ``ChunkFailure/wrongHash`` when the whole does not match the announced id; it is then forgotten.
  package mutating func takeNames(
    _ more: [ChunkName], first: Int, from source: PeerID
  ) throws(ChunkFailure) -> Int? {
    guard manifest == nil, source == manifestSource, !more.isEmpty, first == names.count,
      names.count + more.count <= announcement.chunks
    else { return nil }
    names += more
    guard names.count == announcement.chunks else { return names.count }
    let whole = MapManifest(epoch: announcement.epoch, revision: announcement.revision, names: names)
    forgetNames()
    guard whole.id == announcement.id, whole.size == announcement.size else { throw .wrongHash }
    manifest = whole
    chunks = Array(repeating: nil, count: announcement.chunks)
    missing = .all(announcement.chunks)
    return announcement.chunks
  }

  /// Asks nobody for the manifest any more.
  mutating func forgetNames() {
    manifestSource = nil
    names = []
    namesSeen = nil
  }

  /// The missing chunks that the cache may have; nil when nothing is missing.
  var search: ChunkSearch? {
    guard let manifest, !isComplete else { return nil }
    let wanted = chunks.indices.filter { chunks[$0] == nil }.map { index in
      ChunkSearch.Wanted(index: index, name: manifest.names[index])
    }
    return ChunkSearch(map: announcement.id, wanted: wanted)
  }

  /// Takes over chunks that another map already has.
  mutating func reuse(_ known: [ChunkName: StoredChunk]) {
    guard let manifest else { return }
    for (index, name) in manifest.names.enumerated() where chunks[index] == nil {
      if let chunk = known[name] { keep(chunk, at: index) }
    }
  }

  /// The verified chunks.
  var known: [(ChunkName, StoredChunk)] {
    guard let manifest else { return [] }
    return zip(manifest.names, chunks).compactMap { name, chunk in chunk.map { (name, $0) } }
  }

  /// Keeps a chunk that is proven.
  mutating func keep(_ chunk: StoredChunk, at index: Int) {
    guard let manifest, chunks[index] == nil else { return }
    chunks[index] = chunk
    missing.remove(index)
    verified.insert(index)
    verifiedBytes += manifest.names[index].size
  }
}

/// The part of a map that was fetched over the network.
package struct MapTraffic: Sendable, Hashable {
  /// Bytes of raw map asked for; a chunk that had to be asked for again counts again.
  package var requestedBytes = 0
  /// Bytes of chunks that arrived, as they were stored, whatever became of them.
  package var receivedBytes = 0

  package init(requestedBytes: Int = 0, receivedBytes: Int = 0) {
    self.requestedBytes = requestedBytes
    self.receivedBytes = receivedBytes
  }
}
