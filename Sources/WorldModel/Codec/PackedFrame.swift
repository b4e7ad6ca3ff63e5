/// Frames of 128 numbers of 32 bits, packed into as few bits each as most of them need.
///
/// A frame is 32 rows of four lanes, lane l holding the elements 32·l … 32·l + 31 of the frame: four neighbours in
/// memory belong to four distant elements, so that running differences and sums go down the lanes and use whole
/// vectors. Numbers that do not fit are exceptions, whose high bits follow the rows (patched frame of reference:
/// Zukowski et al. 2006; the vertical layout: Lemire and Boytsov 2015). The bytes are in
/// Documentation/Protocol/worldmap-format.md.
enum PackedFrame {
  /// Elements of a frame.
  static let count = 128
  /// Rows of four lanes.
  static let rows = 32
  /// The most bytes that a frame can take while it is built.
  static let largest = 2 + 16 * 32 + 5 * count

  typealias Row = SIMD4<UInt32>

  /// Packs the 32 rows at `rows` to `out` and moves `out` behind them.
  ///
  /// - Parameters:
  ///   - rows: The elements.
  ///   - step: How many rows apart the ones are that the width is judged by: 1 for the best width, 4 to save time.
  ///   - out: Memory for ``largest`` bytes.
  static func encode(_ rows: UnsafePointer<Row>, step: Int, to out: inout UnsafeMutableRawPointer) {
    var union = Row.zero
    for row in 0..<Self.rows { union |= rows[row] }
    let most = bitWidth(union.x | union.y | union.z | union.w)
    var width = chooseWidth(rows, most: most, step: step)
    var exceptions = 0
    var end = out + 2 + 16 * width
    if width < most {
      let highBytes = (most - width + 7) / 8
      exceptions = writeExceptions(rows, width: width, highBytes: highBytes, to: &end)
      if exceptions * (1 + highBytes) >= 16 * (most - width) {
        width = most
        exceptions = 0
        end = out + 2 + 16 * width
      }
    }
    let highBytes = exceptions == 0 ? 1 : (most - width + 7) / 8
    out.storeBytes(of: UInt8(width | (highBytes - 1) << 6), as: UInt8.self)
    out.storeBytes(of: UInt8(exceptions), toByteOffset: 1, as: UInt8.self)
    pack(rows, width: width, to: out + 2)
    assert(end - out <= Self.largest, "a frame is larger than its bound")
    out = end
  }

  /// The number of bits without leading zeros.
  @inline(__always)
  private static func bitWidth(_ value: UInt32) -> Int { 63 &- (UInt64(value) &<< 1 | 1).leadingZeroBitCount }

  /// The width that makes the frame smallest, judged by one row in `step`.
  private static func chooseWidth(_ rows: UnsafePointer<Row>, most: Int, step: Int) -> Int {
    guard most > 0 else { return 0 }
    return withUnsafeTemporaryAllocation(of: SIMD16<Int8>.self, capacity: Self.rows / 4) { widths in
      let groups = Self.rows / (4 * step)
      for group in 0..<groups {
        widths[group] = bitWidths(rows + 4 * step * group, step, halved: most == 32)
      }
      // The cost and how much narrower than 32 bits: of equal costs the widest is the least, and no branch decides.
      var best = 64 * (16 * most) + 32 - most
      for width in stride(from: most - 1, through: 0, by: -1) {
        let limit = SIMD16(repeating: Int8(truncatingIfNeeded: width))
        var sums = SIMD16<Int8>.zero
        for group in 0..<groups { sums &+= SIMD16(repeating: 1).replacing(with: 0, where: widths[group] .<= limit) }
        // The highest byte of a product with ones is the sum of all bytes.
        let halves = unsafeBitCast(sums, to: SIMD2<UInt64>.self)
        let above = Int(((halves.x &+ halves.y) &* 0x0101_0101_0101_0101) &>> 56)
        // With half the sample above it, no narrower width can be the best.
        if above * step > 64 { break }
        let cost = 16 * width + step * above * (1 + (most - width + 7) / 8)
        best = min(best, 64 * cost + 32 - width)
      }
      return 32 - best % 64
    }
  }

  /// The bit widths of the elements of four rows that are `step` apart, in any order.
  ///
  /// The exponent of a Float is the width of the whole number less one. Numbers of 25 bits and more may round up and count
  /// as one bit wider, which the choice of a width survives; zero counts as negative.
  ///
  /// - Parameter halved: Whether 32 bits occur, which signed numbers do not have: then zero and one count alike.
  @inline(__always)
  private static func bitWidths(_ rows: UnsafePointer<Row>, _ step: Int, halved: Bool) -> SIMD16<Int8> {
    let drop: UInt32 = halved ? 1 : 0
    var joined = Row.zero
    for place in 0..<4 {
      let number = SIMD4<Int32>(truncatingIfNeeded: rows[place * step] &>> Row(repeating: drop))
      let exponents = unsafeBitCast(SIMD4<Float>(number), to: Row.self) &>> Row(repeating: 23)
      joined |= ((exponents &- Row(repeating: 126 &- drop)) & Row(repeating: 255)) &<< Row(repeating: UInt32(8 * place))
    }
    return unsafeBitCast(joined, to: SIMD16<Int8>.self)
  }

  /// Writes the place and the high bits of each element over `width` bits; their number is returned.
  private static func writeExceptions(
    _ rows: UnsafePointer<Row>, width: Int, highBytes: Int, to end: inout UnsafeMutableRawPointer
  ) -> Int {
    // Bit r of lane l tells whether element 32·l + r does not fit.
    var misfits = Row.zero
    var bit = Row(repeating: 1)
    let shift = Row(repeating: UInt32(width))
    for row in 0..<Self.rows {
      misfits |= bit.replacing(with: 0, where: rows[row] &>> shift .== 0)
      bit &+= bit
    }
    let elements = UnsafeRawPointer(rows).assumingMemoryBound(to: UInt32.self)
    var found = 0
    for half in 0..<2 {
      var rest = UInt64(misfits[2 * half]) | UInt64(misfits[2 * half + 1]) << 32
      while rest != 0 {
        let element = 64 &* half &+ rest.trailingZeroBitCount
        rest &= rest &- 1
        end.storeBytes(of: UInt8(truncatingIfNeeded: element), as: UInt8.self)
        let high = elements[4 &* (element & 31) &+ element &>> 5] &>> UInt32(width)
        end.storeBytes(of: high.littleEndian, toByteOffset: 1, as: UInt32.self)
        end += 1 &+ highBytes
        found &+= 1
      }
    }
    return found
  }

  /// Reads a frame into the 32 rows at `rows`.
  ///
  /// - Returns: The number of bytes read, or nil when `source` ends too early or is not a frame.
  static func decode(_ source: UnsafeRawBufferPointer, to rows: UnsafeMutablePointer<Row>) -> Int? {
    guard source.count >= 2, let base = source.baseAddress else { return nil }
    let width = Int(source[0] & 63)
    let highBytes = Int(source[0] >> 6) + 1
    let exceptions = Int(source[1])
    let length = 2 + 16 * width + exceptions * (1 + highBytes)
    guard width <= 32, exceptions < count, source.count >= length else { return nil }
    unpack(base + 2, width: width, to: rows)
    guard exceptions > 0 else { return highBytes == 1 ? length : nil }
    guard width < 32 else { return nil }
    var next = base + 2 + 16 * width
    let elements = UnsafeMutableRawPointer(rows).assumingMemoryBound(to: UInt32.self)
    for _ in 0..<exceptions {
      let place = Int(next.load(as: UInt8.self))
      guard place < count else { return nil }
      var high: UInt32 = 0
      for byte in 0..<highBytes {
        high |= UInt32(next.load(fromByteOffset: 1 + byte, as: UInt8.self)) &<< UInt32(8 * byte)
      }
      elements[4 &* (place & 31) &+ place >> 5] |= high &<< UInt32(width)
      next += 1 + highBytes
    }
    return length
  }
}
