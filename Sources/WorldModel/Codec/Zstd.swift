import CZstd

/// One compression context of libzstd, made when it is first needed and kept for the planes that follow.
struct ZstdCompressor: ~Copyable {
  private var context: OpaquePointer?

  init() {}

  deinit {
    ZSTD_freeCCtx(context)
  }

  /// How hard to look for what repeats.
  enum Search {
    /// Not at all: nothing is compressed.
    case none
    /// Level 1: repeated runs are found.
    case runs
    /// Almost no search, yet Huffman codes: on noise with a skewed spread both smaller and faster than level 1.
    case letters

    fileprivate var level: Int32 { self == .letters ? -80 : 1 }
  }

  /// Compresses `source` into `target`; the frame's length, or nil when it does not fit.
  mutating func compress(
    _ source: UnsafeRawBufferPointer, _ search: Search, into target: UnsafeMutableRawBufferPointer
  ) -> Int? {
    context = context ?? ZSTD_createCCtx()
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, search.level)
    // Parameter 5 of the experimental ones is the mode of literals, and 1 switches their Huffman codes on, which
    // negative levels leave out. A library without it compresses less, and is read just the same.
    ZSTD_CCtx_setParameter(context, ZSTD_c_experimentalParam5, 1)
    let length = ZSTD_compress2(context, target.baseAddress, target.count, source.baseAddress, source.count)
    return ZSTD_isError(length) == 0 ? length : nil
  }
}

/// One decompression context of libzstd, made when it is first needed and kept for the planes that follow.
struct ZstdDecompressor: ~Copyable {
  private var context: OpaquePointer?

  init() {}

  deinit {
    ZSTD_freeDCtx(context)
  }

  /// Decompresses one frame into exactly `target`; false for anything else than a frame of that content size.
  ///
  /// The declared size is compared before a byte is written, so a frame that lies about it costs nothing.
  mutating func decompress(_ frame: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Bool {
    guard ZSTD_getFrameContentSize(frame.baseAddress, frame.count) == UInt64(target.count) else { return false }
    context = context ?? ZSTD_createDCtx()
    return ZSTD_decompressDCtx(context, target.baseAddress, target.count, frame.baseAddress, frame.count)
      == target.count
  }
}
