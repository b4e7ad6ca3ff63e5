/// Sorted identifiers and the gaps between them in frame order.
enum IdentifierRows {
  typealias Row = PackedFrame.Row

  /// Splits each identifier's distance beyond the next possible one into its low and high half; the first one's is zero.
  ///
  /// - Returns: Whether a high half is not zero.
  static func gaps(_ identifiers: UnsafeBufferPointer<UInt64>, low: inout FrameRows, high: inout FrameRows) -> Bool {
    guard let base = identifiers.baseAddress else { return false }
    var union = SIMD4<UInt64>.zero
    for index in 0..<low.frameCount {
      let (toLow, toHigh) = (low.frame(index), high.frame(index))
      let frame = base + index * PackedFrame.count
      let before = index == 0 ? frame[0] &- 1 : frame[-1]
      var above = SIMD4(before, frame[31], frame[63], frame[95])
      for row in 0..<PackedFrame.rows {
        let here = SIMD4(frame[row], frame[row + 32], frame[row + 64], frame[row + 96])
        let gap = here &- above &- SIMD4(repeating: 1)
        toLow[row] = Row(truncatingIfNeeded: gap)
        toHigh[row] = Row(truncatingIfNeeded: gap &>> SIMD4(repeating: 32))
        union |= gap
        above = here
      }
    }
    var all = union.x | union.y | union.z | union.w
    for place in 0..<low.tailCount {
      let index = low.frameCount * PackedFrame.count + place
      let gap = index == 0 ? 0 : identifiers[index] &- identifiers[index - 1] &- 1
      low.tailAddress[place] = UInt32(truncatingIfNeeded: gap)
      high.tailAddress[place] = UInt32(truncatingIfNeeded: gap >> 32)
      all |= gap
    }
    return all >> 32 != 0
  }

  /// Sums gaps below 2³² up to identifiers.
  ///
  /// - Parameters:
  ///   - low: The gaps.
  ///   - first: The first identifier.
  ///   - target: Where the identifiers go.
  static func sum(_ low: borrowing FrameRows, from first: UInt64, to target: UnsafeMutablePointer<UInt64>) {
    var previous = first &- 1
    for index in 0..<low.frameCount {
      let rows = low.frame(index)
      let frame = target + index * PackedFrame.count
      var totals = SIMD4<UInt64>.zero
      for row in 0..<PackedFrame.rows { totals &+= SIMD4<UInt64>(truncatingIfNeeded: rows[row]) }
      totals &+= SIMD4(repeating: 32)
      let second = previous &+ totals.x
      let third = second &+ totals.y
      let fourth = third &+ totals.z
      var sum = SIMD4(previous, second, third, fourth)
      previous = fourth &+ totals.w
      for row in 0..<PackedFrame.rows {
        sum &+= SIMD4<UInt64>(truncatingIfNeeded: rows[row]) &+ SIMD4(repeating: 1)
        frame[row] = sum.x
        frame[row + 32] = sum.y
        frame[row + 64] = sum.z
        frame[row + 96] = sum.w
      }
    }
    for place in 0..<low.tailCount {
      previous &+= UInt64(low.tailAddress[place]) &+ 1
      target[low.frameCount * PackedFrame.count + place] = previous
    }
  }

  /// Sums gaps of any size up to identifiers.
  ///
  /// - Returns: Whether every sum fits 64 bits, so that the identifiers rise.
  static func sum(
    _ low: borrowing FrameRows, _ high: borrowing FrameRows, from first: UInt64,
    to target: UnsafeMutablePointer<UInt64>
  ) -> Bool {
    var next = first
    var hasWrapped = false
    for index in 0..<low.count {
      let (identifier, overflow) = next.addingReportingOverflow(UInt64(low[index]) | UInt64(high[index]) << 32)
      guard !overflow, !hasWrapped else { return false }
      target[index] = identifier
      (next, hasWrapped) = identifier.addingReportingOverflow(1)
    }
    return true
  }
}
