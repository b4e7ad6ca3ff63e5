/// How often each byte occurs in a plane, in memory that belongs to someone else.
struct ByteCounts {
  /// The count of each of the 256 bytes.
  let counts: UnsafeMutablePointer<UInt32>

  /// Counts these bytes, fewer than 2²⁴.
  func count(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let source = bytes.baseAddress else { return }
    // Equal neighbours would wait for each other's sum in one table.
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 4 * HuffmanCode.symbols) { memory in
      guard let tables = memory.baseAddress else { return }
      tables.update(repeating: 0, count: 4 * HuffmanCode.symbols)
      let whole = bytes.count & ~3
      var place = 0
      while place < whole {
        tables[Int(source[place])] &+= 1
        tables[256 &+ Int(source[place &+ 1])] &+= 1
        tables[512 &+ Int(source[place &+ 2])] &+= 1
        tables[768 &+ Int(source[place &+ 3])] &+= 1
        place &+= 4
      }
      while place < bytes.count {
        tables[Int(source[place])] &+= 1
        place &+= 1
      }
      for byte in 0..<HuffmanCode.symbols {
        counts[byte] = tables[byte] &+ tables[256 &+ byte] &+ tables[512 &+ byte] &+ tables[768 &+ byte]
      }
    }
  }

  /// About how many bytes the `total` that were counted take in code words, the code included: from the entropy.
  func estimate(_ total: Int) -> Int {
    let whole = Self.logarithm(SIMD4(repeating: Int32(truncatingIfNeeded: total)))
    var bits = SIMD4<Int32>.zero
    var different = SIMD4<Int32>.zero
    for place in stride(from: 0, to: HuffmanCode.symbols, by: 4) {
      let count = UnsafeRawPointer(counts + place).loadUnaligned(as: SIMD4<Int32>.self)
      bits &+= count &* (whole &- Self.logarithm(count))
      different &+= SIMD4(repeating: 1).replacing(with: 0, where: count .== 0)
    }
    // A sum of at most 2¹⁶ bytes with 16 bits each, in parts of 256.
    return Int(bits.wrappedSum()) / (256 * 8) + Int(different.wrappedSum()) / 2 + 12
  }

  /// 256 log₂ of whole numbers below 2²⁴, by straight lines between the powers of two; anything for zero.
  ///
  /// That is what stands in the highest bits of a Float, but for the bias of the exponent.
  @inline(__always)
  private static func logarithm(_ value: SIMD4<Int32>) -> SIMD4<Int32> {
    let bits = unsafeBitCast(SIMD4<Float>(value), to: SIMD4<Int32>.self)
    return bits &>> SIMD4(repeating: 15) &- SIMD4(repeating: 127 << 8)
  }
}
