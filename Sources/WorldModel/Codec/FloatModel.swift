/// Which method suits the Floats of a block.
enum FloatModel {
  /// The fewest frames that are tried with each method.
  private static let samples = 6

  /// The choice, by a sample of the block: the same on every machine.
  static func choose(_ rows: borrowing FrameRows, effort: EncodingOptions.Effort) -> ComponentMethod {
    let packed = packedLengths(rows)
    return packed.differences <= packed.folded ? .packedDifferences : .packedFolded
  }

  /// The lengths of some frames, spread through the block, with either packed method (bytes).
  private static func packedLengths(_ rows: borrowing FrameRows) -> (differences: Int, folded: Int) {
    withUnsafeTemporaryAllocation(byteCount: PackedFrame.largest, alignment: 16) { memory in
      withUnsafeTemporaryAllocation(of: PackedFrame.Row.self, capacity: PackedFrame.rows) { frame in
        guard let buffer = frame.baseAddress, let start = memory.baseAddress else { return (0, 0) }
        var differences = 0
        var folded = 0
        for sample in 0..<min(samples, rows.frameCount) {
          let source = UnsafePointer(rows.frame(sample * rows.frameCount / min(samples, rows.frameCount)))
          var previous = ordered(source[0].x)
          FrameTransform.differences(source, to: buffer, previous: &previous, isFloat: true)
          var end = start
          PackedFrame.encode(buffer, to: &end)
          differences += end - start
          let base = smallestFolded(source, rows: PackedFrame.rows)
          for row in 0..<PackedFrame.rows {
            buffer[row] = FrameTransform.folded(source[row]) &- PackedFrame.Row(repeating: base)
          }
          end = start
          PackedFrame.encode(buffer, to: &end)
          folded += end - start
        }
        return (differences, folded)
      }
    }
  }

  /// The smallest folded element of some rows.
  static func smallestFolded(_ source: UnsafePointer<PackedFrame.Row>, rows: Int) -> UInt32 {
    var least = PackedFrame.Row(repeating: .max)
    for row in 0..<rows {
      let value = FrameTransform.folded(source[row])
      least = least.replacing(with: value, where: value .< least)
    }
    return least.min()
  }

  /// Float bits as integers in the order of the numbers.
  static func ordered(_ bits: UInt32) -> UInt32 { bits ^ (bits >> 31 == 1 ? 0x7fff_ffff : 0) }

  /// Zigzag differences of ordered Float bits.
  static func differences(_ words: [UInt32]) -> [UInt32] {
    var previous: UInt32 = 0
    return words.map { bits in
      let value = ordered(bits)
      let difference = Int32(bitPattern: value &- previous)
      previous = value
      return UInt32(bitPattern: difference &<< 1 ^ difference &>> 31)
    }
  }

  /// The inverse of ``differences(_:)``.
  static func sums(_ words: [UInt32]) -> [UInt32] {
    var previous: UInt32 = 0
    return words.map { zigzag in
      previous &+= zigzag >> 1 ^ (0 &- (zigzag & 1))
      return ordered(previous)
    }
  }
}

extension FrameRows {
  /// Elements in the order of the block.
  init(_ words: [UInt32]) {
    self.init(count: words.count)
    for index in words.indices { self[index] = words[index] }
  }

  /// The elements in the order of the block.
  var elements: [UInt32] {
    [UInt32](unsafeUninitializedCapacity: count) { buffer, filled in
      for index in 0..<count { buffer[index] = self[index] }
      filled = count
    }
  }

  /// The smallest folded element.
  var smallestFolded: UInt32 {
    let least = FloatModel.smallestFolded(frame(0), rows: frameCount * PackedFrame.rows)
    return tail.reduce(least) { Swift.min($0, $1 << 1 | $1 >> 31) }
  }

  /// The smallest and largest element as Floats.
  var floatRange: ClosedRange<Float> {
    let first = Float(bitPattern: self[0])
    var low = SIMD4<Float>(repeating: first)
    var high = low
    for index in 0..<(frameCount * PackedFrame.rows) {
      let value = SIMD4<Float>(bits: frame(0)[index])
      low = low.replacing(with: value, where: value .< low)
      high = high.replacing(with: value, where: value .> high)
    }
    let rest = tail.map { Float(bitPattern: $0) }
    return rest.reduce(low.min()) { Swift.min($0, $1) }...rest.reduce(high.max()) { Swift.max($0, $1) }
  }
}
