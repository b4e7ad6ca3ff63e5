package import WorldModel

/// A whole map, cut in chunks that are hashed and compressed: made beside the event loop, then handed to the node.
package struct MapPackage: Sendable {
  package let size: Int
  package let hashes: [SHA256Digest]
  package let chunks: [StoredChunk]

  /// Cuts, hashes and compresses an encoded map.
  package init(map: [UInt8]) {
    self.init(map: map, chunks: 0..<MapManifest.chunkCount(size: map.count))
  }

  /// Does that for some of its chunks only, so that several threads may each do a part.
  package init(map: [UInt8], chunks range: Range<Int>) {
    let ranges = range.map { $0 * ProtocolLimits.chunk..<min(($0 + 1) * ProtocolLimits.chunk, map.count) }
    size = ranges.reduce(0) { $0 + $1.count }
    hashes = ranges.map { unsafe SHA256Digest(hashing: map.span.bytes.extracting($0)) }
    chunks = ranges.map { StoredChunk(compressing: map[$0]) }
  }

  /// Puts parts together, in order.
  package init(joining parts: [MapPackage]) {
    size = parts.reduce(0) { $0 + $1.size }
    hashes = parts.flatMap(\.hashes)
    chunks = parts.flatMap(\.chunks)
  }

  package init(size: Int, hashes: [SHA256Digest], chunks: [StoredChunk]) {
    self.size = size
    self.hashes = hashes
    self.chunks = chunks
  }

  /// The hash of the map's contents alone, the same for every revision that shares the same bytes.
  package var contentDigest: SHA256Digest { SHA256Digest(hashing: hashes.flatMap(\.bytes)) }

  /// Puts the encoded map together again; every chunk was verified when it arrived.
  package func assembled() throws(ChunkFailure) -> [UInt8] {
    var map: [UInt8] = []
    map.reserveCapacity(size)
    for chunk in chunks { map += try chunk.expanded(to: min(ProtocolLimits.chunk, size - map.count)) }
    return map
  }
}
