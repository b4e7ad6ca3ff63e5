/// Which method suits the Floats of a block.
enum FloatModel {
  /// The choice, by a sample of the block: the same on every machine.
  static func choose(_ rows: borrowing FrameRows, effort: EncodingOptions.Effort) -> Choice {
    let bits = sampleBits(rows)
    // A difference that is only as short as the number itself is not worth its sums.
    return bits.differences < bits.folded ? .packedDifferences : .packedFolded
  }

  /// The methods that Floats can have.
  enum Choice {
    case planes, differencePlanes, packedDifferences, packedFolded
  }

  /// The mean number of bits of differences and of folded numbers, over runs spread through the block.
  private static func sampleBits(_ rows: borrowing FrameRows) -> (differences: Int, folded: Int) {
    let runs = 8
    let length = 32
    var differences = 0
    var folded = 0
    let base = rows.smallestFolded
    for run in 0..<runs {
      let start = max(0, rows.count - length) * run / max(1, runs - 1)
      var previous = ordered(rows[start])
      for index in start..<min(start + length, rows.count) {
        let bits = rows[index]
        let value = ordered(bits)
        let difference = Int32(bitPattern: value &- previous)
        previous = value
        differences += 32 - UInt32(bitPattern: difference &<< 1 ^ difference &>> 31).leadingZeroBitCount
        folded += 32 - ((bits << 1 | bits >> 31) &- base).leadingZeroBitCount
      }
    }
    return (differences, folded)
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
    var rows = Row(repeating: .max)
    for index in 0..<(frameCount * PackedFrame.rows) {
      let value = FrameTransform.folded(frame(0)[index])
      rows = rows.replacing(with: value, where: value .< rows)
    }
    return tail.reduce(rows.min()) { Swift.min($0, $1 << 1 | $1 >> 31) }
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
