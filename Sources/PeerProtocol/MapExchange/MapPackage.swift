package import Basics
package import WorldModel

/// A whole map, cut in chunks that are hashed and compressed: made beside the event loop, then handed to the node.
package struct MapPackage: Sendable {
  /// The entry of each chunk in the manifest.
  package let names: [ChunkName]
  package let chunks: [StoredChunk]

  /// Cuts, hashes and compresses an encoded map.
  package init(map: [UInt8]) {
    self.init(map: map, ranges: Self.cut(map)[...])
  }

  /// Hashes and compresses some chunks of an encoded map, so that several threads may each do a part.
  package init(map: [UInt8], ranges: ArraySlice<Range<Int>>) {
    names = ranges.map { range in
      ChunkName(size: range.count, hash: unsafe SHA256Digest(hashing: map.span.bytes.extracting(range)))
    }
    chunks = ranges.map { StoredChunk(compressing: map[$0]) }
  }

  /// Puts parts together, in order.
  package init(joining parts: [MapPackage]) {
    names = parts.flatMap(\.names)
    chunks = parts.flatMap(\.chunks)
  }

  package init(names: [ChunkName], chunks: [StoredChunk]) {
    self.names = names
    self.chunks = chunks
  }

  /// Where to cut an encoded map into chunks: where its blocks begin.
  ///
  /// Equal blocks of two revisions are then equal chunks. Bytes that are no map are cut evenly.
  package static func cut(_ map: [UInt8]) -> [Range<Int>] {
    let limit = ProtocolLimits.chunk
    let lengths = (try? WorldMapDecoder(map))?.chunkLengths(limit: limit)
    guard let lengths, lengths.count <= ProtocolLimits.chunks else {
      return stride(from: 0, to: map.count, by: limit).map { $0..<min($0 + limit, map.count) }
    }
    var start = 0
    return lengths.map { length in
      defer { start += length }
      return start..<(start + length)
    }
  }

  /// Bytes of the encoded map.
  package var size: Int { names.reduce(0) { $0 + $1.size } }

  /// Bytes of its chunks as they are stored and sent.
  package var storedSize: Int { chunks.reduce(0) { $0 + $1.bytes.count } }

  /// Reads the head and the directories of the encoded map, and expands no more of it than they need.
  ///
  /// - Throws: ``ChunkFailure``, or ``WorldMapError`` where the map is damaged.
  package func head() throws -> WorldMapDecoder {
    var file: [UInt8] = []
    var wanted = 1
    for (name, chunk) in zip(names, chunks).dropLast() {
      file += try chunk.expanded(to: name.size)
      guard file.count >= wanted else { continue }
      do throws(WorldMapError) {
        return try WorldMapDecoder(beginningOf: file)
      } catch {
        guard case .truncated = error else { throw error }
        // Each try reads all that is there: twice as much for the next one keeps the cost linear.
        wanted = 2 * file.count
      }
    }
    return try WorldMapDecoder(try assembled())
  }

  /// The hash of the map's contents alone, the same for every revision that shares the same bytes.
  package var contentDigest: SHA256Digest { SHA256Digest(hashing: names.flatMap(\.hash.bytes)) }

  /// Puts the encoded map together again; every chunk was verified when it arrived.
  package func assembled() throws(ChunkFailure) -> [UInt8] {
    var map: [UInt8] = []
    map.reserveCapacity(size)
    for (name, chunk) in zip(names, chunks) { map += try chunk.expanded(to: name.size) }
    return map
  }
}
