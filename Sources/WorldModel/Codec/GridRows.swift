/// Coordinates on an absolute grid: whole multiples of a step, counted from the origin of the world.
struct Grid {
  typealias Row = PackedFrame.Row

  /// A coordinate that is stored exactly, since the grid cannot hold it within the bound.
  struct Escape {
    /// The number of its point in the block.
    var index: UInt32
    /// The bits of the Float.
    var bits: UInt32
  }

  /// The distance of neighbouring coordinates (metres).
  let step: Float
  /// How far a coordinate may move (metres).
  let bound: Float
  /// Grid numbers a metre.
  private let inverse: Float

  /// 1.5 · 2²³: a Float plus this has its nearest whole number in the low bits, ties to even.
  private static let shift: Float = 12_582_912
  /// Below this grid number Floats are exact enough: the product with the inverse is off by 2⁻⁸, the coordinate on the
  /// grid by 2⁻⁹ of a step, and the bound leaves 2⁻⁷ between half a step and itself.
  private static let near: Float = 32_768
  /// The same numbers for Doubles, which are used beyond.
  private static let farShift: Double = 6_755_399_441_055_744
  /// The first whole number that 32 bits cannot hold.
  private static let limit: Double = 2_147_483_648

  init(step: Float, bound: Float) {
    self.step = step
    self.bound = bound
    inverse = 1 / step
  }

  /// The coordinate on the grid next to `value`.
  func nearest(_ value: Float) -> Float { Float(number(value) * Double(step)) }

  /// The grid number next to `value`, which may be more than 32 bits hold.
  private func number(_ value: Float) -> Double {
    let scaled = value * inverse
    if scaled.magnitude < Self.near { return Double(scaled + Self.shift - Self.shift) }
    return Double(value) / Double(step) + Self.farShift - Self.farShift
  }

  /// Replaces the bits of Floats by their numbers on the grid.
  ///
  /// - Returns: The coordinates that are stored exactly; their place on the grid is zero.
  func place(_ rows: inout FrameRows) -> [Escape] {
    var escapes: [Escape] = []
    for index in 0..<rows.frameCount where !place(rows.frame(index)) {
      let first = index * PackedFrame.count
      place(first..<(first + PackedFrame.count), of: &rows, &escapes)
    }
    place((rows.frameCount * PackedFrame.count)..<rows.count, of: &rows, &escapes)
    return escapes
  }

  /// Places a frame whose coordinates are all near; false, and nothing is changed, for another.
  @inline(__always)
  private func place(_ frame: UnsafeMutablePointer<Row>) -> Bool {
    var farthest = SIMD4<Float>.zero
    for row in 0..<PackedFrame.rows {
      let scaled = SIMD4<Float>(bits: frame[row]) * inverse
      let squared = scaled * scaled
      farthest = farthest.replacing(with: squared, where: squared .> farthest)
    }
    guard all(farthest .< Self.near * Self.near) else { return false }
    let offset = Row(repeating: Self.shift.bitPattern)
    for row in 0..<PackedFrame.rows {
      let shifted = SIMD4<Float>(bits: frame[row]) * inverse + Self.shift
      frame[row] = unsafeBitCast(shifted, to: Row.self) &- offset
    }
    return true
  }

  /// The same for some elements one by one.
  private func place(_ range: Range<Int>, of rows: inout FrameRows, _ escapes: inout [Escape]) {
    for index in range {
      let exact = Float(bitPattern: rows[index])
      let whole = number(exact)
      let moved = Double(Float(whole * Double(step))) - Double(exact)
      if moved.magnitude <= Double(bound), whole.magnitude < Self.limit {
        rows[index] = UInt32(bitPattern: Int32(whole))
      } else {
        escapes.append(Escape(index: UInt32(index), bits: rows[index]))
        rows[index] = 0
      }
    }
  }

  /// Replaces numbers on the grid by the bits of the nearest Floats.
  ///
  /// Up to 2²⁴ a product of Floats is the same: both factors are exact, and it is rounded once.
  static func restore(_ rows: inout FrameRows, step: Float) {
    for index in 0..<rows.frameCount {
      let frame = rows.frame(index)
      var union = Row.zero
      for row in 0..<PackedFrame.rows { union |= FrameTransform.zigzag(frame[row]) }
      if (union.x | union.y | union.z | union.w) < 1 << 24 {
        for row in 0..<PackedFrame.rows {
          let numbers = SIMD4<Int32>(truncatingIfNeeded: frame[row])
          frame[row] = unsafeBitCast(SIMD4<Float>(numbers) * step, to: Row.self)
        }
      } else {
        for row in 0..<PackedFrame.rows {
          let numbers = SIMD4<Int32>(truncatingIfNeeded: frame[row])
          frame[row] = unsafeBitCast(SIMD4<Float>(SIMD4<Double>(numbers) * Double(step)), to: Row.self)
        }
      }
    }
    for place in 0..<rows.tailCount {
      let number = Double(Int32(bitPattern: rows.tailAddress[place]))
      rows.tailAddress[place] = Float(number * Double(step)).bitPattern
    }
  }
}
