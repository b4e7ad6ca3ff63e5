/// Positions and their three components in frame order.
enum PositionRows {
  typealias Row = PackedFrame.Row

  /// Splits positions into the bits of their x, y and z.
  ///
  /// - Returns: Whether every coordinate is finite.
  static func split(
    _ positions: UnsafeBufferPointer<SIMD3<Float>>, x: inout FrameRows, y: inout FrameRows, z: inout FrameRows
  ) -> Bool {
    guard let base = positions.baseAddress else { return true }
    // A finite number times zero is zero; infinity and NaN times zero are NaN, and stay so in a sum.
    var sum = SIMD4<Float>.zero
    let points = UnsafeRawPointer(base)
    for index in 0..<x.frameCount {
      let (toX, toY, toZ) = (x.frame(index), y.frame(index), z.frame(index))
      let frame = points + index * PackedFrame.count * 16
      for row in 0..<PackedFrame.rows {
        let first = frame + row * 16
        let a = first.load(as: Row.self)
        let b = first.load(fromByteOffset: 32 * 16, as: Row.self)
        let c = first.load(fromByteOffset: 64 * 16, as: Row.self)
        let d = first.load(fromByteOffset: 96 * 16, as: Row.self)
        toX[row] = Row(a.x, b.x, c.x, d.x)
        toY[row] = Row(a.y, b.y, c.y, d.y)
        toZ[row] = Row(a.z, b.z, c.z, d.z)
        sum += SIMD4<Float>(bits: toX[row]) * 0 + SIMD4<Float>(bits: toY[row]) * 0 + SIMD4<Float>(bits: toZ[row]) * 0
      }
    }
    for place in 0..<x.tailCount {
      let position = positions[x.frameCount * PackedFrame.count + place]
      x.tailAddress[place] = position.x.bitPattern
      y.tailAddress[place] = position.y.bitPattern
      z.tailAddress[place] = position.z.bitPattern
      sum += SIMD4(position, 0) * 0
    }
    return sum.isFinite
  }

  /// Joins the bits of x, y and z to positions.
  ///
  /// - Returns: Whether every coordinate is finite.
  static func join(
    x: borrowing FrameRows, y: borrowing FrameRows, z: borrowing FrameRows,
    to target: UnsafeMutablePointer<SIMD3<Float>>
  ) -> Bool {
    // A finite number times zero is zero; infinity and NaN times zero are NaN, and stay so in a sum.
    var sum = SIMD4<Float>.zero
    let points = UnsafeMutableRawPointer(target)
    for index in 0..<x.frameCount {
      let (fromX, fromY, fromZ) = (x.frame(index), y.frame(index), z.frame(index))
      let frame = points + index * PackedFrame.count * 16
      for row in 0..<PackedFrame.rows {
        let (xs, ys, zs) = (fromX[row], fromY[row], fromZ[row])
        let first = frame + row * 16
        first.storeBytes(of: Row(xs.x, ys.x, zs.x, 0), as: Row.self)
        first.storeBytes(of: Row(xs.y, ys.y, zs.y, 0), toByteOffset: 32 * 16, as: Row.self)
        first.storeBytes(of: Row(xs.z, ys.z, zs.z, 0), toByteOffset: 64 * 16, as: Row.self)
        first.storeBytes(of: Row(xs.w, ys.w, zs.w, 0), toByteOffset: 96 * 16, as: Row.self)
        sum += SIMD4<Float>(bits: xs) * 0 + SIMD4<Float>(bits: ys) * 0 + SIMD4<Float>(bits: zs) * 0
      }
    }
    for place in 0..<x.tailCount {
      let position = SIMD3(
        Float(bitPattern: x.tailAddress[place]), Float(bitPattern: y.tailAddress[place]),
        Float(bitPattern: z.tailAddress[place]))
      target[x.frameCount * PackedFrame.count + place] = position
      sum += SIMD4(position, 0) * 0
    }
    return sum.isFinite
  }
}

extension SIMD4<Float> {
  /// The numbers with these bits.
  @inline(__always)
  init(bits: SIMD4<UInt32>) {
    self = unsafeBitCast(bits, to: SIMD4<Float>.self)
  }
}
