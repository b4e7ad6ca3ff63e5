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
  let step: Double
  /// How far a coordinate may move (metres).
  let bound: Double

  /// 1.5 · 2⁵²: a Double plus this has its nearest whole number in the low bits, ties to even.
  private static let shift: Double = 6_755_399_441_055_744
  /// The first whole number that 32 bits cannot hold.
  private static let limit: Double = 2_147_483_648

  /// The coordinate on the grid next to `value`.
  func nearest(_ value: Float) -> Float {
    Float((Double(value) / step + Self.shift - Self.shift) * step)
  }

  /// Replaces the bits of Floats by their numbers on the grid.
  ///
  /// - Returns: The coordinates that are stored exactly; their place on the grid is zero.
  func place(_ rows: inout FrameRows) -> [Escape] {
    var escapes: [Escape] = []
    for index in 0..<rows.frameCount {
      let frame = rows.frame(index)
      var worst = SIMD4<Double>.zero
      withUnsafeTemporaryAllocation(of: Row.self, capacity: PackedFrame.rows) { numbers in
        for row in 0..<PackedFrame.rows {
          let exact = SIMD4<Double>(SIMD4<Float>(bits: frame[row]))
          let shifted = exact / step + Self.shift
          let whole = shifted - Self.shift
          let moved = SIMD4<Double>(SIMD4<Float>(whole * step)) - exact
          numbers[row] = Row(truncatingIfNeeded: unsafeBitCast(shifted, to: SIMD4<UInt64>.self))
          let error = moved * moved
          worst = worst.replacing(with: error, where: error .> worst)
          worst = worst.replacing(with: .infinity, where: whole * whole .>= Self.limit * Self.limit)
        }
        if worst.max() <= bound * bound, let base = numbers.baseAddress {
          frame.update(from: base, count: PackedFrame.rows)
        } else {
          let first = index * PackedFrame.count
          place(first..<(first + PackedFrame.count), of: &rows, &escapes)
        }
      }
    }
    place((rows.frameCount * PackedFrame.count)..<rows.count, of: &rows, &escapes)
    return escapes
  }

  /// The same for some elements one by one.
  private func place(_ range: Range<Int>, of rows: inout FrameRows, _ escapes: inout [Escape]) {
    for index in range {
      let bits = rows[index]
      let exact = Double(Float(bitPattern: bits))
      let shifted = exact / step + Self.shift
      let whole = shifted - Self.shift
      let moved = Double(Float(whole * step)) - exact
      if moved.magnitude <= bound, whole.magnitude < Self.limit {
        rows[index] = UInt32(truncatingIfNeeded: shifted.bitPattern)
      } else {
        escapes.append(Escape(index: UInt32(index), bits: bits))
        rows[index] = 0
      }
    }
  }

  /// Replaces numbers on the grid by the bits of the nearest Floats.
  static func restore(_ rows: inout FrameRows, step: Double) {
    for row in 0..<(rows.frameCount * PackedFrame.rows) {
      let numbers = SIMD4<Int32>(truncatingIfNeeded: rows.frame(0)[row])
      rows.frame(0)[row] = unsafeBitCast(SIMD4<Float>(SIMD4<Double>(numbers) * step), to: Row.self)
    }
    for place in 0..<rows.tailCount {
      let number = Double(Int32(bitPattern: rows.tailAddress[place]))
      rows.tailAddress[place] = Float(number * step).bitPattern
    }
  }
}
