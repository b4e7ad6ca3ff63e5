/// Which method suits the Floats of a block.
enum FloatModel {
  /// How many frames are tried with each packed method.
  private static let samples = 6

  /// The choice, by a sample of the block: the same on every machine.
  static func choose(
    _ rows: borrowing FrameRows, effort: EncodingOptions.Effort, _ planes: inout PlaneEncoder
  ) -> ComponentMethod {
    let lengths = packedLengths(rows)
    let packed: ComponentMethod = lengths.differences <= lengths.folded ? .packedDifferences : .packedFolded
    guard effort == .compact else { return packed }
    let (plain, differences) = planes.estimate(rows)
    // Planes take twice as long as frames, so they must gain something.
    guard min(plain, differences) < min(lengths.differences, lengths.folded) * 98 / 100 else { return packed }
    return differences < plain ? .differencePlanes : .planes
  }

  /// The lengths of the component with either packed method (bytes), judged by some frames spread through the block.
  private static func packedLengths(_ rows: borrowing FrameRows) -> (differences: Int, folded: Int) {
    let tried = min(samples, rows.frameCount)
    return withUnsafeTemporaryAllocation(byteCount: PackedFrame.largest, alignment: 16) { memory in
      withUnsafeTemporaryAllocation(of: PackedFrame.Row.self, capacity: PackedFrame.rows) { frame in
        guard tried > 0, let buffer = frame.baseAddress, let start = memory.baseAddress else {
          return (4 * rows.count, 4 * rows.count)
        }
        var differences = 0
        var folded = 0
        for sample in 0..<tried {
          let source = UnsafePointer(rows.frame(sample * rows.frameCount / tried))
          var previous = ordered(source[0].x)
          FrameTransform.differences(source, to: buffer, previous: &previous, isFloat: true)
          var end = start
          PackedFrame.encode(buffer, step: 1, to: &end)
          differences += end - start
          _ = FrameTransform.foldedDistances(source, to: buffer)
          end = start
          PackedFrame.encode(buffer, step: 1, to: &end)
          folded += end - start + 4
        }
        let tail = 4 * rows.tailCount
        return (differences * rows.frameCount / tried + tail, folded * rows.frameCount / tried + tail)
      }
    }
  }

  /// Float bits as integers in the order of the numbers.
  static func ordered(_ bits: UInt32) -> UInt32 {
    bits ^ (UInt32(bitPattern: Int32(bitPattern: bits) &>> 31) & 0x7fff_ffff)
  }

  /// The zigzag difference of Float bits from `previous` in order, which they become.
  static func difference(to bits: UInt32, _ previous: inout UInt32) -> UInt32 {
    let value = ordered(bits)
    let difference = Int32(bitPattern: value &- previous)
    previous = value
    return UInt32(bitPattern: difference &<< 1 ^ difference &>> 31)
  }

  /// The inverse of ``difference(to:_:)``.
  static func bits(after zigzag: UInt32, _ previous: inout UInt32) -> UInt32 {
    previous &+= zigzag >> 1 ^ (0 &- (zigzag & 1))
    return ordered(previous)
  }
}

extension FrameRows {
  /// Elements in the order of the block.
  init(_ words: [UInt32]) {
    self.init(count: words.count)
    for index in words.indices { self[index] = words[index] }
  }

  /// The elements in the order of the block.
  var elements: [UInt32] { (0..<count).map { self[$0] } }
}
