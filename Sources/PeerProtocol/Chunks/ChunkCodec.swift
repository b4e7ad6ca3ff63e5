import CZstd

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
    // Where a twentieth is not saved the compressor runs out of room and stops.
    let packed = unsafe [UInt8](unsafeUninitializedCapacity: source.count * 19 / 20) { out, count in
      let size = unsafe source.withUnsafeBytes { input in
        unsafe ZSTD_compress(out.baseAddress, out.count, input.baseAddress, input.count, 1)
      }
      count = ZSTD_isError(size) == 0 ? size : 0
    }
    self.init(codec: packed.isEmpty ? .raw : .zstd, bytes: packed.isEmpty ? source : packed)
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
