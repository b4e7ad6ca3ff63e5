import Basics
package import WorldModel

/// The part of a content that is known before its manifest is here.
package struct ContentHead: Sendable, Equatable {
  package let id: ContentID
  /// The two numbers of its ``ContentManifest``.
  package let epoch: UInt64
  package let revision: UInt64
  /// Raw bytes.
  package let size: Int
  /// Its chunks.
  package let chunks: Int
}

/// One content that is held, whole or in part, and from whom the rest comes.
///
/// A map of a hundred megabytes comes from members that leave, stall or lie. Fetched as a file from one of them it
/// starts over when that one goes, and a wrong byte is found at the end, when all is lost and nobody knows whose it
/// was. So a content is a list of chunks, and its id is the hash of the list of their hashes (as the info dictionary of
/// BitTorrent, BEP 3). The list is asked of one member at a time, and matches the id or is forgotten with its sender.
/// From then on each chunk is proven by itself, from whichever member it comes; what is verified stays, and a wrong
/// chunk names its source.
///
/// Once the list is here a chunk is *missing*, or asked for (``requests``, each of one source, perhaps here already and
/// being proven), or *verified*; a missing one is never anything else. So no chunk is asked of two, and none is
/// forgotten when a source goes.
///
/// Two choices keep many receivers fast. Asking begins at another chunk for each peer (``firstWanted``), so that
/// joiners that come together soon have something to give each other; counting who has the rarest chunk would need
/// their word. And a source that keeps chunks back is asked last instead of dropped: it may be slow, and may be the
/// only one.
///
/// Sources and requests are in `ContentHolding+Fetching.swift`; Documentation/maps.md shows the whole way of a map.
package struct ContentHolding: Sendable {
  /// The announced part of it.
  package let head: ContentHead
  /// The manifest, once all of it has arrived and matches the announced id.
  package private(set) var manifest: ContentManifest?
  /// The verified chunks, by their numbers; no places before the manifest is here, which pays for them with its bytes, and none
  /// at all of a content whose bytes are kept elsewhere.
  package private(set) var chunks: [StoredChunk?] = []
  /// Where the verified chunks are kept.
  let storage: Storage
  /// The numbers of the verified chunks.
  package private(set) var verified: ChunkSet
  /// Raw bytes verified so far.
  package private(set) var verifiedBytes = 0

  /// Members that announced it and are linked, in the order of their ids.
  var sources: [ContentSource] = []
  /// Members that sent a wrong chunk.
  var refused: KeySet<PeerID> = []
  /// Chunks that are neither here nor asked for.
  var missing: ChunkSet
  /// Chunks that are asked for or being proven.
  var requests: Table<Int, ChunkRequest> = [:]
  /// How many of those are being proven.
  var unchecked = 0
  /// Where asking begins, other for each peer, so that joiners that come together soon have something to give.
  let firstWanted: Int
  /// The fetched part of it.
  package internal(set) var traffic = ContentTraffic()
  var rate = TransferRate()
  /// Until when the cache may look for chunks before they are asked of others; nil when it does not.
  var searchEnds: Instant?
  /// Chunks verified since the others were last told.
  var untold = 0

  /// Verified chunks after which the others are told: of a content of many chunks more, so that the bits told of a chunk are
  /// a bounded number whatever the size of the chunks.
  package var chunksBetweenTells: Int { max(ProtocolLimits.chunksBetweenTells, head.chunks / 64) }

  /// The peer that is asked for the manifest.
  private(set) var manifestSource: PeerID?
  /// The part of it that has come, and its size at the last look; nil when there was none.
  private var names: [ChunkName] = []
  private var namesSeen: Int?

  /// The place of the verified chunks of a content.
  enum Storage: Sendable {
    /// Here.
    case memory
    /// In a file of the driver, which reads and writes it; the node knows the names alone.
    case file
  }

  /// A content to be fetched, from the chunk at `start` on.
  init(fetching head: ContentHead, from start: Int = 0, into storage: Storage = .memory) {
    self.head = head
    self.storage = storage
    verified = ChunkSet(capacity: head.chunks)
    missing = ChunkSet(capacity: head.chunks)
    firstWanted = start % max(head.chunks, 1)
    // No bytes have no names that could come.
    if head.chunks == 0 {
      manifest = ContentManifest(head.id.family, epoch: head.epoch, revision: head.revision, names: [])
    }
  }

  /// A content that is held whole; without chunks, in a file.
  init(_ manifest: ContentManifest, chunks: [StoredChunk]? = nil) {
    head = manifest.head
    self.manifest = manifest
    storage = chunks == nil ? .file : .memory
    self.chunks = chunks ?? []
    verified = .all(manifest.names.count)
    verifiedBytes = manifest.size
    missing = ChunkSet(capacity: manifest.names.count)
    firstWanted = 0
  }

  /// The most chunks that are asked for and not verified at a time: those of a file share memory with nothing.
  var mostRequests: Int {
    switch storage {
    case .memory: .max
    case .file: ProtocolLimits.resourceRequests
    }
  }

  /// Whether every chunk is here.
  package var isComplete: Bool { manifest != nil && verifiedBytes == head.size }

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
      names.count + more.count <= head.chunks
    else { return nil }
    names += more
    guard names.count == head.chunks else { return names.count }
    let whole = ContentManifest(head.id.family, epoch: head.epoch, revision: head.revision, names: names)
    forgetNames()
    guard whole.id == head.id, whole.size == head.size else { throw .wrongHash }
    manifest = whole
    if storage == .memory { chunks = Array(repeating: nil, count: head.chunks) }
    missing = .all(head.chunks)
    return head.chunks
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
    let wanted = manifest.names.indices.filter { !verified.contains($0) }.map { index in
      ChunkSearch.Wanted(index: index, offset: index * manifest.names[0].size, name: manifest.names[index])
    }
    return ChunkSearch(content: head.id, wanted: wanted)
  }

  /// Takes over chunks that another content already has.
  mutating func reuse(_ known: [ChunkName: StoredChunk]) {
    guard let manifest else { return }
    for (index, name) in manifest.names.enumerated() where !verified.contains(index) {
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
    guard let manifest, !verified.contains(index) else { return }
    if storage == .memory { chunks[index] = chunk }
    missing.remove(index)
    verified.insert(index)
    verifiedBytes += manifest.names[index].size
    assert(verifiedBytes <= head.size, "more was verified than there is")
  }
}

/// The part of a content that was fetched over the network.
package struct ContentTraffic: Sendable, Equatable {
  /// Raw bytes asked for; a chunk that had to be asked for again counts again.
  package var requestedBytes = 0
  /// Bytes of chunks that arrived, as they were stored, whatever became of them.
  package var receivedBytes = 0

  package init(requestedBytes: Int = 0, receivedBytes: Int = 0) {
    self.requestedBytes = requestedBytes
    self.receivedBytes = receivedBytes
  }
}
