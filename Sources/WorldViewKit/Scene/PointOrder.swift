import SharedWorld

/// An order of points in which every beginning is an even sample of all: a page that draws only the first ones shows the
/// whole place.
///
/// The points are sorted along a Morton curve through a grid, and taken from it in the order of the van der Corput
/// sequence (1935): first a half of them apart, then those between.
package enum PointOrder {
  /// Bits of a cell's number along each axis.
  private static let bits = 10

  /// The indices of all points, in that order.
  package static func indices(of positions: [SIMD3<Float>]) -> [Int] {
    guard let box = BoundingBox(ignoringOutliersOf: positions) else { return Array(positions.indices) }
    let scale = SIMD3(repeating: Float(1 << bits)) / pointwiseMax(box.extent, SIMD3(repeating: 1e-6))
    var keys = positions.indices.map { index in
      cell((positions[index] - box.minimum) * scale) << 32 | UInt64(index)
    }
    keys.sort()
    guard keys.count > 1 else { return Array(positions.indices) }
    let width = UInt64.bitWidth - (keys.count - 1).leadingZeroBitCount
    var order: [Int] = []
    order.reserveCapacity(keys.count)
    for number in 0..<UInt64(1) << UInt64(width) {
      let place = Int(reversed(number) >> UInt64(UInt64.bitWidth - width))
      if place < keys.count { order.append(Int(keys[place] & 0xffff_ffff)) }
    }
    return order
  }

  /// The number on the curve of a cell; what lies outside the grid counts as on its border.
  private static func cell(_ place: SIMD3<Float>) -> UInt64 {
    spread(place.x) | spread(place.y) << 1 | spread(place.z) << 2
  }

  private static func spread(_ place: Float) -> UInt64 {
    // A coordinate that is not a number counts as 0.
    spreads[place > 0 ? Int(min(place, Float(1 << bits - 1))) : 0]
  }

  /// Each cell's number along an axis with two zeros after each bit.
  private static let spreads: [UInt64] = {
    var spreads = [UInt64](repeating: 0, count: 1 << bits)
    for number in spreads.indices {
      for bit in 0..<bits where number & (1 << bit) != 0 { spreads[number] |= 1 << UInt64(3 * bit) }
    }
    return spreads
  }()

  private static func reversed(_ number: UInt64) -> UInt64 {
    var bits = number
    for (shift, mask) in [
      (1 as UInt64, 0x5555_5555_5555_5555 as UInt64), (2, 0x3333_3333_3333_3333), (4, 0x0f0f_0f0f_0f0f_0f0f),
    ] {
      bits = bits >> shift & mask | (bits & mask) << shift
    }
    return bits.byteSwapped
  }
}
