/// Positions and their three components in frame order.
enum PositionRows {
  typealias Row = PackedFrame.Row

  /// Bits whose highest is set where the lane is infinite or no number: then all bits of the exponent are ones.
  @inline(__always)
  private static func endless(_ bits: Row) -> Row {
    bits & Row(repeating: 0x7fff_ffff) &+ Row(repeating: 0x0080_0000)
  }

  /// Splits positions into the bits of their x, y and z.
  ///
  /// - Returns: The box that holds them, or nil when a coordinate is not finite.
  static func split(
    _ positions: UnsafeBufferPointer<SIMD3<Float>>, x: inout FrameRows, y: inout FrameRows, z: inout FrameRows
  ) -> BoundingBox? {
    guard let base = positions.baseAddress, let first = positions.first else { return nil }
    var flags = Row.zero
    var (xs, ys, zs) = (LaneRange(first.x), LaneRange(first.y), LaneRange(first.z))
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
        let (ofX, ofY, ofZ) = (Row(a.x, b.x, c.x, d.x), Row(a.y, b.y, c.y, d.y), Row(a.z, b.z, c.z, d.z))
        (toX[row], toY[row], toZ[row]) = (ofX, ofY, ofZ)
        flags |= endless(ofX) | endless(ofY) | endless(ofZ)
        xs.include(ofX)
        ys.include(ofY)
        zs.include(ofZ)
      }
    }
    for place in 0..<x.tailCount {
      let position = positions[x.frameCount * PackedFrame.count + place]
      guard position.isFinite else { return nil }
      x.tailAddress[place] = position.x.bitPattern
      y.tailAddress[place] = position.y.bitPattern
      z.tailAddress[place] = position.z.bitPattern
      xs.include(Row(repeating: position.x.bitPattern))
      ys.include(Row(repeating: position.y.bitPattern))
      zs.include(Row(repeating: position.z.bitPattern))
    }
    guard flags.max() < 1 << 31 else { return nil }
    return BoundingBox(
      minimum: [xs.low.min(), ys.low.min(), zs.low.min()], maximum: [xs.high.max(), ys.high.max(), zs.high.max()])
  }

  /// The smallest and the largest Float of each lane.
  private struct LaneRange {
    var low: SIMD4<Float>
    var high: SIMD4<Float>

    init(_ first: Float) {
      low = SIMD4(repeating: first)
      high = low
    }

    @inline(__always)
    mutating func include(_ bits: Row) {
      let value = SIMD4<Float>(bits: bits)
      low = low.replacing(with: value, where: value .< low)
      high = high.replacing(with: value, where: value .> high)
    }
  }

  /// Joins the bits of x, y and z to positions.
  ///
  /// - Returns: Whether every coordinate is finite.
  static func join(
    x: borrowing FrameRows, y: borrowing FrameRows, z: borrowing FrameRows,
    to target: UnsafeMutablePointer<SIMD3<Float>>
  ) -> Bool {
    var flags = Row.zero
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
        flags |= endless(xs) | endless(ys) | endless(zs)
      }
    }
    for place in 0..<x.tailCount {
      let position = SIMD3(
        Float(bitPattern: x.tailAddress[place]), Float(bitPattern: y.tailAddress[place]),
        Float(bitPattern: z.tailAddress[place]))
      target[x.frameCount * PackedFrame.count + place] = position
      guard position.isFinite else { return false }
    }
    return flags.max() < 1 << 31
  }
}

extension SIMD4<Float> {
  /// The numbers with these bits.
  @inline(__always)
  init(bits: SIMD4<UInt32>) {
    self = unsafeBitCast(bits, to: SIMD4<Float>.self)
  }
}
