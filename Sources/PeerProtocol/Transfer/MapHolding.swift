package import WorldModel

/// One map that is held, whole or in part, and from whom the rest comes.
package struct MapHolding: Sendable {
  /// What was announced.
  package let announcement: MapAnnouncement
  /// The manifest, once all of its hashes have arrived and match the announced id.
  package private(set) var manifest: MapManifest?
  /// The verified chunks.
  package private(set) var chunks: [StoredChunk?]
  /// Bytes of raw map verified so far.
  package private(set) var verifiedBytes = 0
  /// Members that announced it and are linked, in order.
  package private(set) var holders: [PeerID] = []

  private struct Request: Sendable {
    var source: PeerID
    var deadline: Instant
    var stored: [UInt8] = []
  }

  private var hashes: [SHA256Digest] = []
  private var requests: [Int: Request] = [:]

  /// A map to be fetched.
  package init(fetching announcement: MapAnnouncement) {
    self.announcement = announcement
    chunks = Array(repeating: nil, count: MapManifest.chunkCount(size: announcement.size))
  }

  /// A map that is held whole.
  package init(_ package: MapPackage, manifest: MapManifest, announcement: MapAnnouncement) {
    self.announcement = announcement
    self.manifest = manifest
    chunks = package.chunks
    verifiedBytes = package.size
  }

  /// Whether every chunk is here.
  package var isComplete: Bool { manifest != nil && verifiedBytes == announcement.size }

  /// The number of manifest hashes received so far.
  package var receivedHashes: Int { manifest?.hashes.count ?? hashes.count }

  /// The map's parts; nil until it is complete.
  package var package: MapPackage? {
    guard isComplete, let manifest else { return nil }
    return MapPackage(size: manifest.size, hashes: manifest.hashes, chunks: chunks.compactMap { $0 })
  }

  /// Notes that `peer` can serve it.
  package mutating func addHolder(_ peer: PeerID) {
    guard !holders.contains(peer) else { return }
    holders.append(peer)
    holders.sort()
  }

  /// Forgets `peer` as a source; what was asked of it is asked of others.
  package mutating func removeHolder(_ peer: PeerID) {
    holders.removeAll { $0 == peer }
    requests = requests.filter { $0.value.source != peer }
  }

  /// Takes manifest hashes from index `first` on.
  ///
  /// Returns whether the manifest is now complete.
  ///
  /// - Throws: ``ChunkFailure/wrongHash`` when the whole does not match the announced id; the hashes are then forgotten.
  package mutating func takeHashes(_ more: [SHA256Digest], first: Int) throws(ChunkFailure) -> Bool {
    guard manifest == nil, first == hashes.count, hashes.count + more.count <= chunks.count else { return false }
    hashes += more
    guard hashes.count == chunks.count else { return false }
    let whole = MapManifest(revision: announcement.revision, size: announcement.size, hashes: hashes)
    hashes = []
    guard whole.id == announcement.id else { throw .wrongHash }
    manifest = whole
    return true
  }

  /// Takes over chunks that another map already has.
  package mutating func reuse(_ known: (SHA256Digest) -> StoredChunk?) {
    guard let manifest else { return }
    for (index, hash) in manifest.hashes.enumerated() where chunks[index] == nil {
      guard let chunk = known(hash) else { continue }
      keep(chunk, at: index)
    }
  }

  /// The verified chunk with this hash.
  package func chunk(with hash: SHA256Digest) -> StoredChunk? {
    guard let index = manifest?.hashes.firstIndex(of: hash) else { return nil }
    return chunks[index]
  }

  /// Chooses the chunks to ask of each holder now, and notes them as asked.
  package mutating func nextRequests(at now: Instant) -> [(source: PeerID, chunks: [Int])] {
    guard manifest != nil, !isComplete, !holders.isEmpty else { return [] }
    var wanted = chunks.indices.lazy.filter { [chunks, requests] in chunks[$0] == nil && requests[$0] == nil }
      .makeIterator()
    var plan: [(source: PeerID, chunks: [Int])] = []
    for holder in holders {
      var share: [Int] = []
      let free = ProtocolLimits.outstandingChunks - requests.values.count { $0.source == holder }
      while share.count < free, let index = wanted.next() { share.append(index) }
      guard !share.isEmpty else { continue }
      for index in share { requests[index] = Request(source: holder, deadline: now + ProtocolTimes.chunkTimeout) }
      plan.append((holder, share))
    }
    return plan
  }

  /// Takes one piece of a chunk that was asked of `source`.
  ///
  /// Returns whether it completed a verified chunk.
  ///
  /// A piece nobody asked for, such as one that crossed a cancel, is ignored.
  package mutating func take(_ piece: MapPiece, from source: PeerID, at now: Instant) throws(ChunkFailure) -> Bool {
    guard let manifest, var request = requests[piece.chunk], request.source == source else { return false }
    guard piece.offset == request.stored.count, piece.storedSize <= ProtocolLimits.chunk,
      piece.offset + piece.bytes.count <= piece.storedSize
    else { throw .wrongSize }
    requests[piece.chunk] = nil
    request.stored += piece.bytes
    request.deadline = now + ProtocolTimes.chunkTimeout
    guard request.stored.count == piece.storedSize else {
      requests[piece.chunk] = request
      return false
    }
    let chunk = StoredChunk(codec: piece.codec, bytes: request.stored)
    let raw = try chunk.expanded(to: manifest.rawSize(of: piece.chunk))
    guard SHA256Digest(hashing: raw) == manifest.hashes[piece.chunk] else { throw .wrongHash }
    keep(chunk, at: piece.chunk)
    return true
  }

  /// The first moment at which a source has kept a chunk back for too long.
  package var deadline: Instant? { requests.values.map(\.deadline).min() }

  /// The sources that kept a chunk back for too long.
  package func stalledSources(at now: Instant) -> [PeerID] {
    Set(requests.values.filter { $0.deadline <= now }.map(\.source)).sorted()
  }

  private mutating func keep(_ chunk: StoredChunk, at index: Int) {
    guard let manifest else { return }
    chunks[index] = chunk
    verifiedBytes += manifest.rawSize(of: index)
  }
}

/// A part of a stored chunk, small enough not to delay other frames.
package struct MapPiece: Sendable, Equatable {
  package var map: MapID
  package var chunk: Int
  package var codec: StoredChunk.Codec
  /// Bytes of the whole stored chunk.
  package var storedSize: Int
  /// Where these bytes lie in the stored chunk.
  package var offset: Int
  package var bytes: [UInt8]

  package init(map: MapID, chunk: Int, codec: StoredChunk.Codec, storedSize: Int, offset: Int, bytes: [UInt8]) {
    self.map = map
    self.chunk = chunk
    self.codec = codec
    self.storedSize = storedSize
    self.offset = offset
    self.bytes = bytes
  }

  package func write(to writer: inout ByteWriter) {
    writer.write(map.digest)
    writer.write(UInt32(chunk))
    writer.write(codec.rawValue)
    writer.write(UInt32(storedSize))
    writer.write(UInt32(offset))
    writer.write(bytes: bytes)
  }

  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    map = MapID(try reader.readDigest())
    chunk = Int(try reader.read(UInt32.self))
    let start = reader.offset
    guard let codec = StoredChunk.Codec(rawValue: try reader.readByte()) else {
      throw .invalid("unknown chunk codec", offset: start)
    }
    self.codec = codec
    storedSize = Int(try reader.read(UInt32.self))
    offset = Int(try reader.read(UInt32.self))
    guard reader.remaining <= ProtocolLimits.bulkPiece else {
      throw .overLimit(limit: ProtocolLimits.bulkPiece, offset: reader.offset)
    }
    bytes = try reader.readBytes(reader.remaining)
  }
}
