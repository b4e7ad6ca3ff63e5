/// Splits elements of equal width into planes, one for each of their bytes, and stores each plane as small as it gets.
///
/// Neighbouring elements agree in their high bytes, so a plane of high bytes is nearly constant while the noise stays
/// in planes of its own, which are stored as they are.
enum BytePlanes {
  /// How a plane is stored.
  private enum Mode: UInt8 {
    /// As it is.
    case raw = 0
    /// One byte that all elements share.
    case constant = 1
    /// A length and a zstd frame.
    case zstd = 2
  }

  /// Bytes of a plane that are looked at to tell noise from what can be compressed.
  private static let sample = 1024

  /// Writes the planes of elements of `width` bytes that stand one after the other, lowest byte first.
  ///
  /// - Parameters:
  ///   - bytes: The elements, little-endian.
  ///   - width: Bytes an element.
  ///   - search: How hard to compress.
  ///   - zstd: The context for the planes that shrink.
  ///   - out: Memory for the bytes and five more for each plane.
  static func encode(
    bytes: [UInt8], width: Int, _ search: ZstdCompressor.Search, _ zstd: inout ZstdCompressor,
    to out: inout UnsafeMutableRawPointer
  ) {
    let count = bytes.count / width
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { plane in
      for byte in 0..<width {
        bytes.withUnsafeBufferPointer { source in
          for index in 0..<count { plane[index] = source[index &* width &+ byte] }
        }
        write(UnsafeBufferPointer(plane), search, &zstd, to: &out)
      }
    }
  }

  /// Writes the four planes of 32-bit elements, lowest byte first.
  static func encode(
    words: [UInt32], _ search: ZstdCompressor.Search, _ zstd: inout ZstdCompressor,
    to out: inout UnsafeMutableRawPointer
  ) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: words.count) { plane in
      for byte in 0..<4 {
        let shift = UInt32(8 * byte)
        words.withUnsafeBufferPointer { source in
          for index in source.indices { plane[index] = UInt8(truncatingIfNeeded: source[index] &>> shift) }
        }
        write(UnsafeBufferPointer(plane), search, &zstd, to: &out)
      }
    }
  }

  /// How many bytes the planes of 32-bit elements take.
  static func length(
    words: [UInt32], _ search: ZstdCompressor.Search, _ zstd: inout ZstdCompressor
  ) -> Int {
    withUnsafeTemporaryAllocation(byteCount: 4 * words.count + 32, alignment: 16) { memory in
      guard let start = memory.baseAddress else { return 0 }
      var end = start
      encode(words: words, search, &zstd, to: &end)
      return end - start
    }
  }

  private static func write(
    _ plane: UnsafeBufferPointer<UInt8>, _ search: ZstdCompressor.Search, _ zstd: inout ZstdCompressor,
    to out: inout UnsafeMutableRawPointer
  ) {
    guard let first = plane.first else { return }
    if isConstant(plane) {
      out.storeBytes(of: Mode.constant.rawValue, as: UInt8.self)
      out.storeBytes(of: first, toByteOffset: 1, as: UInt8.self)
      out += 2
      return
    }
    let bytes = UnsafeRawBufferPointer(plane)
    // A frame must be smaller than the plane by more than its length field, or the plane stays as it is.
    if search != .none, plane.count > 64, !isNoise(plane, search) {
      let target = UnsafeMutableRawBufferPointer(start: out + 5, count: plane.count - 5)
      if let length = zstd.compress(bytes, search, into: target) {
        out.storeBytes(of: Mode.zstd.rawValue, as: UInt8.self)
        out.storeBytes(of: UInt32(length).littleEndian, toByteOffset: 1, as: UInt32.self)
        out += 5 + length
        return
      }
    }
    out.storeBytes(of: Mode.raw.rawValue, as: UInt8.self)
    UnsafeMutableRawBufferPointer(start: out + 1, count: bytes.count).copyMemory(from: bytes)
    out += 1 + plane.count
  }

  private static func isConstant(_ plane: UnsafeBufferPointer<UInt8>) -> Bool {
    var differing: UInt8 = 0
    let first = plane[0]
    for byte in plane { differing |= byte ^ first }
    return differing == 0
  }

  /// Whether a sample's bytes are so evenly spread that compressing them is not worth the time.
  ///
  /// Evenly spread bytes give about n + n²/256 collisions, here 5,120, with a spread of about 90. Letters must promise
  /// a tenth; runs may hide behind an even spread, so only what looks like pure noise is left out.
  private static func isNoise(_ plane: UnsafeBufferPointer<UInt8>, _ search: ZstdCompressor.Search) -> Bool {
    guard plane.count >= 4 * sample else { return false }
    return withUnsafeTemporaryAllocation(of: UInt16.self, capacity: 256) { counts in
      counts.initialize(repeating: 0)
      let stride = plane.count / sample
      for index in 0..<sample { counts[Int(plane[index &* stride])] &+= 1 }
      var collisions = 0
      for count in counts { collisions &+= Int(count) &* Int(count) }
      return collisions < (search == .letters ? 8_000 : 5_400)
    }
  }

  /// Reads planes into elements of `width` bytes that stand one after the other.
  ///
  /// - Returns: The elements, or nil when `source` is not exactly `width` planes of `count` bytes.
  static func decode(
    _ source: UnsafeRawBufferPointer, count: Int, width: Int, _ zstd: inout ZstdDecompressor
  ) -> [UInt8]? {
    var elements = [UInt8](repeating: 0, count: count * width)
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { plane in
      var rest = source[...]
      for byte in 0..<width {
        guard let length = readPlane(UnsafeRawBufferPointer(rebasing: rest), &zstd, to: plane) else { return nil }
        rest = rest.dropFirst(length)
        elements.withUnsafeMutableBufferPointer { target in
          for index in 0..<count { target[index &* width &+ byte] = plane[index] }
        }
      }
      return rest.isEmpty ? elements : nil
    }
  }

  /// Reads four planes of 32-bit elements, and hands over pointers to them.
  ///
  /// - Returns: What `body` returns, or nil when `source` is not exactly four planes of `count` bytes.
  static func withWordPlanes<Result>(
    _ source: UnsafeRawBufferPointer, count: Int, _ zstd: inout ZstdDecompressor,
    _ body: (SIMD4<Int>, UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result? {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4 * count) { planes in
      var rest = source[...]
      for byte in 0..<4 {
        let plane = UnsafeMutableBufferPointer(rebasing: planes[(byte * count)..<((byte + 1) * count)])
        guard let length = readPlane(UnsafeRawBufferPointer(rebasing: rest), &zstd, to: plane) else { return nil }
        rest = rest.dropFirst(length)
      }
      guard rest.isEmpty else { return nil }
      return body(SIMD4(0, count, 2 * count, 3 * count), UnsafeBufferPointer(planes))
    }
  }

  /// Reads one plane and returns the number of bytes it took; nil when it is not a plane.
  private static func readPlane(
    _ source: UnsafeRawBufferPointer, _ zstd: inout ZstdDecompressor, to plane: UnsafeMutableBufferPointer<UInt8>
  ) -> Int? {
    guard source.count >= 2, let mode = Mode(rawValue: source[0]) else { return nil }
    let target = UnsafeMutableRawBufferPointer(plane)
    switch mode {
    case .raw:
      guard source.count > plane.count else { return nil }
      target.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[1..<(1 + plane.count)]))
      return 1 + plane.count
    case .constant:
      plane.update(repeating: source[1])
      return 2
    case .zstd:
      guard source.count >= 5 else { return nil }
      let length = Int(UInt32(littleEndian: source.loadUnaligned(fromByteOffset: 1, as: UInt32.self)))
      guard length <= source.count - 5 else { return nil }
      let frame = UnsafeRawBufferPointer(rebasing: source[5..<(5 + length)])
      return zstd.decompress(frame, into: target) ? 5 + length : nil
    }
  }
}
