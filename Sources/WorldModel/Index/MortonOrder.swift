/// Sorts points along a Z-order curve (Morton, 1966), so that neighbours in space become neighbours in memory.
enum MortonOrder {
  /// The storage indices of the finite points of `positions`, in Morton order of a 1,024³ grid over `bounds`.
  ///
  /// Points outside the bounds count as on the border: an outlier costs its neighbours nothing. Equal cells keep their
  /// storage order. The sort is a radix sort of three passes, linear in the number of points.
  static func indices(of positions: [SIMD3<Float>], in bounds: BoundingBox) -> [UInt32] {
    let extent = pointwiseMax(bounds.extent, SIMD3(repeating: .leastNormalMagnitude))
    let scale = pointwiseMin(1024 / extent, SIMD3(repeating: .greatestFiniteMagnitude))
    var keys: [UInt64] = []
    keys.reserveCapacity(positions.count)
    for (index, point) in positions.enumerated() where point.isFinite {
      let cell = ((point - bounds.minimum) * scale).clamped(lowerBound: .zero, upperBound: SIMD3(repeating: 1023))
      let code = spread(UInt32(cell.x)) | spread(UInt32(cell.y)) << 1 | spread(UInt32(cell.z)) << 2
      keys.append(UInt64(code) << 32 | UInt64(index))
    }
    var other = [UInt64](repeating: 0, count: keys.count)
    for pass in 0..<3 {
      distribute(keys, into: &other, shift: UInt64(32 + 10 * pass))
      swap(&keys, &other)
    }
    return keys.map { UInt32(truncatingIfNeeded: $0) }
  }

  /// One pass of the radix sort: a stable sort by the ten bits above `shift`.
  private static func distribute(_ keys: [UInt64], into sorted: inout [UInt64], shift: UInt64) {
    var next = [Int](repeating: 0, count: 1024)
    for key in keys { next[Int(key >> shift & 1023)] += 1 }
    var sum = 0
    for digit in 0..<1024 {
      (next[digit], sum) = (sum, sum + next[digit])
    }
    for key in keys {
      let digit = Int(key >> shift & 1023)
      sorted[next[digit]] = key
      next[digit] += 1
    }
  }

  /// Puts two zero bits before each of the ten lowest bits.
  @inline(__always)
  private static func spread(_ value: UInt32) -> UInt32 {
    var bits = value & 0x3ff
    bits = (bits | bits << 16) & 0x0300_00ff
    bits = (bits | bits << 8) & 0x0300_f00f
    bits = (bits | bits << 4) & 0x030c_30c3
    return (bits | bits << 2) & 0x0924_9249
  }
}
