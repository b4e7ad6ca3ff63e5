import CZstd

/// The two calls of libzstd that the map codec needs, on buffers whose sizes are known beforehand.
enum Zstd {
  /// Compresses `source` at `level` into `target`; the frame's length, or nil when it does not fit.
  static func compress(
    _ source: UnsafeRawBufferPointer, level: Int32, into target: UnsafeMutableRawBufferPointer
  ) -> Int? {
    let length = ZSTD_compress(target.baseAddress, target.count, source.baseAddress, source.count, level)
    return ZSTD_isError(length) == 0 ? length : nil
  }

  /// Decompresses one frame into exactly `target`; false for anything else than a frame of that content size.
  ///
  /// The declared size is compared before a byte is written, so a frame that lies about it costs nothing.
  static func decompress(_ frame: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Bool {
    guard ZSTD_getFrameContentSize(frame.baseAddress, frame.count) == UInt64(target.count) else { return false }
    return ZSTD_decompress(target.baseAddress, target.count, frame.baseAddress, frame.count) == target.count
  }
}
