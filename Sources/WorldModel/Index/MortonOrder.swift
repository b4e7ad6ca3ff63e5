/// Sorts points along a Z-order curve (Morton, 1966), so that neighbours in space become neighbours in memory.
enum MortonOrder {
  /// Cells along each axis.
  static let cells = 1024

  /// The storage indices of the finite points of `positions`, in Morton order of a 1,024³ grid over `bounds`.
  ///
  /// Points outside the bounds count as on the border: an outlier costs its neighbours nothing. Equal cells keep their
  /// storage order. The sort is a radix sort of three passes, linear in the number of points.
  static func indices(of positions: [SIMD3<Float>], in bounds: BoundingBox) -> [UInt32] {
    let extent = pointwiseMax(bounds.extent, SIMD3(repeating: .leastNormalMagnitude))
    let scale = pointwiseMin(Float(cells) / extent, SIMD3(repeating: .greatestFiniteMagnitude))
    var keys: [UInt64] = []
    keys.reserveCapacity(positions.count)
    for (index, point) in positions.enumerated() where point.isFinite {
      keys.append(UInt64(code(of: (point - bounds.minimum) * scale)) << 32 | UInt64(index))
    }
    sort(&keys)
    return keys.map { UInt32(truncatingIfNeeded: $0) }
  }

  /// The place of a cell along the curve, 30 bits; what lies outside the grid counts as on its border.
  ///
  /// - Parameter cell: Coordinates in cells; not NaN.
  @inline(__always)
  static func code(of cell: SIMD3<Float>) -> UInt32 {
    let cell = cell.clamped(lowerBound: .zero, upperBound: SIMD3(repeating: Float(cells - 1)))
    return spread(UInt32(cell.x)) | spread(UInt32(cell.y)) << 1 | spread(UInt32(cell.z)) << 2
  }

  /// Sorts keys by the code in their high half; equal codes keep their order.
  static func sort(_ keys: inout [UInt64]) {
    var other = [UInt64](repeating: 0, count: keys.count)
    for pass in 0..<3 {
      distribute(keys, into: &other, shift: UInt64(32 + 10 * pass))
      swap(&keys, &other)
    }
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
