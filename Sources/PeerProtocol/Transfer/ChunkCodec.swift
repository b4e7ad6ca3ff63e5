import CZstd
package import WorldModel

/// A chunk as it is kept and sent.
package struct StoredChunk: Sendable, Equatable {
  /// How the bytes are stored.
  package enum Codec: UInt8, Sendable {
    /// As they are.
    case raw = 0
    /// One zstd frame that states its content size (RFC 8878).
    case zstd = 1
  }

  package let codec: Codec
  package let bytes: [UInt8]

  package init(codec: Codec, bytes: [UInt8]) {
    self.codec = codec
    self.bytes = bytes
  }

  /// Compresses `raw`, and keeps the result only if it saves at least one twentieth.
  package init(compressing raw: ArraySlice<UInt8>) {
    let source = [UInt8](raw)
    let packed = unsafe [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(source.count)) { out, count in
      let size = unsafe source.withUnsafeBytes { input in
        unsafe ZSTD_compress(out.baseAddress, out.count, input.baseAddress, input.count, 1)
      }
      count = ZSTD_isError(size) == 0 ? size : 0
    }
    let isSmaller = !packed.isEmpty && packed.count * 20 <= source.count * 19
    self.init(codec: isSmaller ? .zstd : .raw, bytes: isSmaller ? packed : source)
  }

  /// The raw bytes.
  ///
  /// - Throws: ``ChunkFailure`` before anything of the wrong size is allocated: the frame must state exactly `size`.
  package func expanded(to size: Int) throws(ChunkFailure) -> [UInt8] {
    switch codec {
    case .raw:
      guard bytes.count == size else { throw .wrongSize }
      return bytes
    case .zstd:
      let stated = unsafe bytes.withUnsafeBytes { unsafe ZSTD_getFrameContentSize($0.baseAddress, $0.count) }
      guard stated == UInt64(size), size <= ProtocolLimits.chunk else { throw .wrongSize }
      let raw = unsafe [UInt8](unsafeUninitializedCapacity: size) { out, count in
        let written = unsafe bytes.withUnsafeBytes { input in
          unsafe ZSTD_decompress(out.baseAddress, size, input.baseAddress, input.count)
        }
        count = ZSTD_isError(written) == 0 ? written : 0
      }
      guard raw.count == size else { throw .corrupt }
      return raw
    }
  }
}

/// Why a chunk was refused.
package enum ChunkFailure: Error, Sendable, Equatable {
  /// Its size is not the one the manifest gives.
  case wrongSize
  /// It cannot be decompressed.
  case corrupt
  /// Its hash is not the one of the manifest.
  case wrongHash
}

/// A whole map, cut in chunks that are hashed and compressed: made beside the event loop, then handed to the node.
package struct MapPackage: Sendable {
  package let size: Int
  package let hashes: [SHA256Digest]
  package let chunks: [StoredChunk]

  /// Cuts, hashes and compresses an encoded map.
  package init(map: [UInt8]) {
    size = map.count
    let slices = stride(from: 0, to: map.count, by: ProtocolLimits.chunk).map {
      map[$0..<min($0 + ProtocolLimits.chunk, map.count)]
    }
    hashes = slices.map { SHA256Digest(hashing: [UInt8]($0)) }
    chunks = slices.map { StoredChunk(compressing: $0) }
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
