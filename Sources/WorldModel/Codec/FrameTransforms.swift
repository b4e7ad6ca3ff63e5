/// The transforms that leave few bits of a frame's numbers, and their inverses.
///
/// Lane l of a frame holds its elements 32·l … 32·l + 31, so the predecessor of an element is the row above, and that
/// of a lane's first element is the last of the lane before.
enum FrameTransform {
  typealias Row = PackedFrame.Row

  /// Float bits as integers in the order of the numbers: two Floats are as far apart as the Floats between them.
  @inline(__always)
  static func ordered(_ bits: Row) -> Row { bits ^ (signs(bits) & Row(repeating: 0x7fff_ffff)) }

  /// Small differences of either sign as small numbers: 0, −1, 1, −2 become 0, 1, 2, 3.
  @inline(__always)
  static func zigzag(_ difference: Row) -> Row { difference &<< Row(repeating: 1) ^ signs(difference) }

  /// The inverse of ``zigzag(_:)``.
  @inline(__always)
  static func unzigzag(_ value: Row) -> Row {
    value &>> Row(repeating: 1) ^ (.zero &- (value & Row(repeating: 1)))
  }

  /// Float bits with the sign moved to the lowest bit, so that numbers of like size are near.
  @inline(__always)
  static func folded(_ bits: Row) -> Row { bits &<< Row(repeating: 1) | bits &>> Row(repeating: 31) }

  /// The inverse of ``folded(_:)``.
  @inline(__always)
  static func unfolded(_ value: Row) -> Row { value &>> Row(repeating: 1) | value &<< Row(repeating: 31) }

  /// Writes how far each folded element of a frame is above the smallest, which is returned.
  @inline(__always)
  static func foldedDistances(_ source: UnsafePointer<Row>, to target: UnsafeMutablePointer<Row>) -> UInt32 {
    // Vectors of the oldest x86-64 compare signed numbers only: with the highest bit turned the order is the same.
    let turn = Row(repeating: 0x8000_0000)
    var least = SIMD4<Int32>(repeating: .max)
    for row in 0..<PackedFrame.rows {
      let value = folded(source[row])
      target[row] = value
      let turned = SIMD4<Int32>(truncatingIfNeeded: value ^ turn)
      least = least.replacing(with: turned, where: turned .< least)
    }
    let base = UInt32(bitPattern: least.min()) ^ 0x8000_0000
    for row in 0..<PackedFrame.rows { target[row] &-= Row(repeating: base) }
    return base
  }

  /// All ones for a negative lane, else zero.
  @inline(__always)
  private static func signs(_ value: Row) -> Row {
    Row(truncatingIfNeeded: SIMD4<Int32>(truncatingIfNeeded: value) &>> SIMD4<Int32>(repeating: 31))
  }

  /// Replaces each element of a frame by its zigzag difference from the element before.
  ///
  /// - Parameters:
  ///   - source: 32 rows.
  ///   - target: 32 rows, not the same memory.
  ///   - previous: The (ordered) element before the frame; afterwards the frame's last.
  ///   - isFloat: Whether the elements are the bits of Floats, which are brought into order first.
  @inline(__always)
  static func differences(
    _ source: UnsafePointer<Row>, to target: UnsafeMutablePointer<Row>, previous: inout UInt32, isFloat: Bool
  ) {
    let last = isFloat ? ordered(source[31]) : source[31]
    var above = Row(previous, last.x, last.y, last.z)
    for row in 0..<PackedFrame.rows {
      let value = isFloat ? ordered(source[row]) : source[row]
      target[row] = zigzag(value &- above)
      above = value
    }
    previous = last.w
  }

  /// Undoes ``differences(_:to:previous:isFloat:)`` in place.
  @inline(__always)
  static func sums(_ rows: UnsafeMutablePointer<Row>, previous: inout UInt32, isFloat: Bool) {
    var sum = Row.zero
    for row in 0..<PackedFrame.rows {
      sum &+= unzigzag(rows[row])
      rows[row] = sum
    }
    let first = previous
    let second = first &+ sum.x
    let third = second &+ sum.y
    let fourth = third &+ sum.z
    previous = fourth &+ sum.w
    let starts = Row(first, second, third, fourth)
    for row in 0..<PackedFrame.rows {
      let value = rows[row] &+ starts
      rows[row] = isFloat ? ordered(value) : value
    }
  }
}
