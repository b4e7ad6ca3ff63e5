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

  /// The level of zstd for planes: higher ones cost much and gain little on planes.
  private static let level: Int32 = 1
  /// Bytes of a plane that are looked at to tell noise from what can be compressed.
  private static let sample = 1024

  /// Writes the planes of elements of `width` bytes that stand one after the other, lowest byte first.
  ///
  /// - Parameters:
  ///   - bytes: The elements, little-endian.
  ///   - width: Bytes an element.
  ///   - out: Memory for the bytes and five more for each plane.
  static func encode(bytes: [UInt8], width: Int, to out: inout UnsafeMutableRawPointer) {
    let count = bytes.count / width
    for byte in 0..<width {
      let plane = [UInt8](unsafeUninitializedCapacity: count) { plane, filled in
        bytes.withUnsafeBufferPointer { source in
          for index in 0..<count { plane[index] = source[index &* width &+ byte] }
        }
        filled = count
      }
      write(plane, to: &out)
    }
  }

  /// Writes the four planes of 32-bit elements, lowest byte first.
  static func encode(words: [UInt32], to out: inout UnsafeMutableRawPointer) {
    for byte in 0..<4 {
      let plane = [UInt8](unsafeUninitializedCapacity: words.count) { plane, filled in
        words.withUnsafeBufferPointer { source in
          for index in source.indices { plane[index] = UInt8(truncatingIfNeeded: source[index] &>> UInt32(8 * byte)) }
        }
        filled = words.count
      }
      write(plane, to: &out)
    }
  }

  private static func write(_ plane: [UInt8], to out: inout UnsafeMutableRawPointer) {
    guard let first = plane.first else { return }
    if isConstant(plane) {
      out.storeBytes(of: Mode.constant.rawValue, as: UInt8.self)
      out.storeBytes(of: first, toByteOffset: 1, as: UInt8.self)
      out += 2
      return
    }
    // A frame must be smaller than the plane by more than its length field, or the plane stays as it is.
    let target = UnsafeMutableRawBufferPointer(start: out + 5, count: plane.count - 5)
    if !isNoise(plane), let length = plane.withUnsafeBytes({ Zstd.compress($0, level: level, into: target) }) {
      out.storeBytes(of: Mode.zstd.rawValue, as: UInt8.self)
      out.storeBytes(of: UInt32(length).littleEndian, toByteOffset: 1, as: UInt32.self)
      out += 5 + length
      return
    }
    out.storeBytes(of: Mode.raw.rawValue, as: UInt8.self)
    (out + 1).copyMemory(from: plane, byteCount: plane.count)
    out += 1 + plane.count
  }

  private static func isConstant(_ plane: [UInt8]) -> Bool {
    var differing: UInt8 = 0
    let first = plane[0]
    plane.withUnsafeBufferPointer { for byte in $0 { differing |= byte ^ first } }
    return differing == 0
  }

  /// Whether a sample's bytes are so evenly spread that no entropy coder would gain three per cent.
  private static func isNoise(_ plane: [UInt8]) -> Bool {
    guard plane.count >= 8 * sample else { return plane.count < 64 }
    return withUnsafeTemporaryAllocation(of: UInt16.self, capacity: 256) { counts in
      counts.initialize(repeating: 0)
      for index in 0..<sample { counts[Int(plane[index * (plane.count / sample)])] += 1 }
      let collisions = counts.reduce(0) { $0 + Int($1) * Int($1) }
      // Evenly spread bytes give about n + n²/256, here 5,120; the spread of that sum is about 90.
      return collisions < 5_400
    }
  }

  /// Reads planes into elements of `width` bytes that stand one after the other.
  ///
  /// - Returns: The elements, or nil when `source` is not exactly `width` planes of `count` bytes.
  static func decode(_ source: UnsafeRawBufferPointer, count: Int, width: Int) -> [UInt8]? {
    var elements = [UInt8](repeating: 0, count: count * width)
    let isWhole = elements.withUnsafeMutableBufferPointer { target in
      readPlanes(source, count: count, planes: width) { byte, plane in
        for index in 0..<count { target[index &* width &+ byte] = plane[index] }
      }
    }
    return isWhole ? elements : nil
  }

  /// Reads four planes into 32-bit elements.
  static func decodeWords(_ source: UnsafeRawBufferPointer, count: Int) -> [UInt32]? {
    var words = [UInt32](repeating: 0, count: count)
    let isWhole = words.withUnsafeMutableBufferPointer { target in
      readPlanes(source, count: count, planes: 4) { byte, plane in
        for index in 0..<count { target[index] |= UInt32(plane[index]) &<< UInt32(8 * byte) }
      }
    }
    return isWhole ? words : nil
  }

  /// Hands each plane's bytes to `body`; false when `source` is not exactly `planes` planes.
  private static func readPlanes(
    _ source: UnsafeRawBufferPointer, count: Int, planes: Int, _ body: (Int, UnsafeBufferPointer<UInt8>) -> Void
  ) -> Bool {
    var rest = source[...]
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { plane in
      for byte in 0..<planes {
        guard let length = readPlane(UnsafeRawBufferPointer(rebasing: rest), to: plane) else { return false }
        rest = rest.dropFirst(length)
        body(byte, UnsafeBufferPointer(plane))
      }
      return rest.isEmpty
    }
  }

  /// Reads one plane and returns the number of bytes it took; nil when it is not a plane.
  private static func readPlane(_ source: UnsafeRawBufferPointer, to plane: UnsafeMutableBufferPointer<UInt8>) -> Int? {
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
      return Zstd.decompress(frame, into: target) ? 5 + length : nil
    }
  }
}
