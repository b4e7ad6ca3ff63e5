/// The up to 127 elements after the frames of a stream, each in as many bits as the largest needs.
enum PackedTail {
  /// Writes one byte with the bits an element takes, then the elements, lowest bit first.
  static func encode(_ elements: UnsafeBufferPointer<UInt32>, to out: inout UnsafeMutableRawPointer) {
    guard !elements.isEmpty else { return }
    let width = UInt64(32 - elements.reduce(0, |).leadingZeroBitCount)
    out.storeBytes(of: UInt8(width), as: UInt8.self)
    out += 1
    var bits: UInt64 = 0
    var filled: UInt64 = 0
    for element in elements {
      bits |= UInt64(element) &<< filled
      filled &+= width
      out.storeBytes(of: bits.littleEndian, as: UInt64.self)
      out += Int(filled / 8)
      bits &>>= filled & ~7
      filled &= 7
    }
    out += filled > 0 ? 1 : 0
  }

  /// Reads a tail to `target`.
  ///
  /// - Returns: The number of bytes read, or nil when `source` ends too early or is not a tail.
  static func decode(_ source: UnsafeRawBufferPointer, to target: UnsafeMutableBufferPointer<UInt32>) -> Int? {
    guard !target.isEmpty else { return 0 }
    guard let width = source.first.map({ UInt64($0) }), width <= 32 else { return nil }
    let length = 1 + (target.count * Int(width) + 7) / 8
    guard length <= source.count else { return nil }
    var bits: UInt64 = 0
    var filled: UInt64 = 0
    var offset = 1
    for index in target.indices {
      while filled < width {
        bits |= UInt64(source[offset]) &<< filled
        filled &+= 8
        offset &+= 1
      }
      target[index] = UInt32(truncatingIfNeeded: bits & (1 &<< width &- 1))
      bits &>>= width
      filled &-= width
    }
    return length
  }
}
