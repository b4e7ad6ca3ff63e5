package import WorldModel

/// A whole map, cut in chunks that are hashed and compressed: made beside the event loop, then handed to the node.
package struct MapPackage: Sendable {
  package let size: Int
  package let hashes: [SHA256Digest]
  package let chunks: [StoredChunk]

  /// Cuts, hashes and compresses an encoded map.
  package init(map: [UInt8]) {
    let parts = Self.ranges(of: map).map { (Self.hash(map, $0), StoredChunk(compressing: map[$0])) }
    self.init(size: map.count, hashes: parts.map(\.0), chunks: parts.map(\.1))
  }

  package init(size: Int, hashes: [SHA256Digest], chunks: [StoredChunk]) {
    self.size = size
    self.hashes = hashes
    self.chunks = chunks
  }

  /// The same as ``init(map:)``, by several tasks at once.
  package static func cut(_ map: [UInt8], tasks: Int) async -> MapPackage {
    let ranges = ranges(of: map)
    let count = min(max(tasks, 1), max(ranges.count, 1))
    typealias Part = [(SHA256Digest, StoredChunk)]
    let parts = await withTaskGroup(of: (Int, Part).self) { group in
      for index in 0..<count {
        let share = ranges[(ranges.count * index / count)..<(ranges.count * (index + 1) / count)]
        group.addTask { (index, share.map { (hash(map, $0), StoredChunk(compressing: map[$0])) }) }
      }
      var parts = [Part](repeating: [], count: count)
      for await (index, part) in group { parts[index] = part }
      return parts
    }
    return MapPackage(
      size: map.count, hashes: parts.flatMap { $0.map(\.0) }, chunks: parts.flatMap { $0.map(\.1) })
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

  private static func ranges(of map: [UInt8]) -> [Range<Int>] {
    stride(from: 0, to: map.count, by: ProtocolLimits.chunk).map { $0..<min($0 + ProtocolLimits.chunk, map.count) }
  }

  private static func hash(_ map: [UInt8], _ range: Range<Int>) -> SHA256Digest {
    unsafe SHA256Digest(hashing: map.span.bytes.extracting(range))
  }
}
