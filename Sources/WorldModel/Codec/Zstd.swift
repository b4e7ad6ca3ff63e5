import CZstd

/// The two calls of libzstd that the map codec needs, on buffers whose sizes are known beforehand.
enum Zstd {
  /// Compresses `source` at `level`; nil unless the frame has fewer than `limit` bytes.
  static func compress(_ source: UnsafeRawBufferPointer, level: Int32, limit: Int) -> [UInt8]? {
    guard limit > 1 else { return nil }
    let frame = [UInt8](unsafeUninitializedCapacity: limit - 1) { buffer, count in
      let written = ZSTD_compress(buffer.baseAddress, buffer.count, source.baseAddress, source.count, level)
      count = ZSTD_isError(written) == 0 ? written : 0
    }
    return frame.isEmpty ? nil : frame
  }

  /// Decompresses one frame into exactly `target`; false for anything else than a frame of that content size.
  ///
  /// The declared size is compared before a byte is written, so a frame that lies about it costs nothing.
  static func decompress(_ frame: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Bool {
    guard ZSTD_getFrameContentSize(frame.baseAddress, frame.count) == UInt64(target.count) else { return false }
    return ZSTD_decompress(target.baseAddress, target.count, frame.baseAddress, frame.count) == target.count
  }
}
