/// How a plane of bytes is stored; the raw value stands in the file.
enum PlaneMode: UInt8 {
  /// As it is.
  case raw = 0
  /// One byte that all elements share.
  case constant = 1
  /// As code words.
  case huffman = 2
}

/// Stores planes of bytes, each as small as it gets, in memory that is kept.
struct PlaneEncoder: ~Copyable {
  /// Bytes that a plane may take beyond its elements while it is built.
  static let slack = 1024
  /// A plane that loses less than one byte in this many is stored as it is, to save the time of its code words.
  private static let worthwhile = 24

  private var huffman = HuffmanEncoder()
  private var plain: PlaneDraft
  private var differences: PlaneDraft

  /// An encoder of components of at most `capacity` elements.
  init(capacity: Int) {
    plain = PlaneDraft(capacity: capacity, areDifferences: false)
    differences = PlaneDraft(capacity: capacity, areDifferences: true)
  }

  /// About how many bytes the planes of Floats take, and those of their differences.
  mutating func estimate(_ rows: borrowing FrameRows) -> (plain: Int, differences: Int) {
    (plain.estimate(rows), differences.estimate(rows))
  }

  /// Writes the four planes of the Floats that were estimated last, lowest byte first.
  ///
  /// - Parameters:
  ///   - rows: Their bits.
  ///   - areDifferences: Whether zigzag differences of the ordered bits are stored instead of the bits.
  ///   - out: Memory for four bytes an element and ``slack`` for each plane.
  mutating func write(_ rows: borrowing FrameRows, areDifferences: Bool, to out: inout UnsafeMutableRawPointer) {
    if areDifferences {
      Self.write(&differences, rows, &huffman, to: &out)
    } else {
      Self.write(&plain, rows, &huffman, to: &out)
    }
  }

  private static func write(
    _ draft: inout PlaneDraft, _ rows: borrowing FrameRows, _ huffman: inout HuffmanEncoder,
    to out: inout UnsafeMutableRawPointer
  ) {
    draft.complete(rows)
    for byte in 0..<4 { write(draft.plane(byte), draft.counts(byte), &huffman, to: &out) }
  }

  /// About how many bytes one plane takes.
  func estimate(bytes: [UInt8]) -> Int {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: HuffmanCode.symbols) { memory in
      guard let start = memory.baseAddress else { return 0 }
      let counts = ByteCounts(counts: start)
      bytes.withUnsafeBufferPointer { counts.count($0) }
      return min(counts.estimate(bytes.count), bytes.count)
    }
  }

  /// Writes the planes of elements of `width` bytes that stand one after the other, lowest byte first.
  ///
  /// Only `compact` spends time on code words.
  mutating func write(
    bytes: [UInt8], width: Int, _ effort: EncodingOptions.Effort, to out: inout UnsafeMutableRawPointer
  ) {
    let count = bytes.count / width
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: HuffmanCode.symbols) { memory in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { plane in
        guard let start = memory.baseAddress else { return }
        let counts = ByteCounts(counts: start)
        for byte in 0..<width {
          for index in 0..<count { plane[index] = bytes[index &* width &+ byte] }
          counts.count(UnsafeBufferPointer(plane))
          Self.write(UnsafeBufferPointer(plane), counts, &huffman, effort, to: &out)
        }
      }
    }
  }

  /// Writes one plane of which all bytes were counted.
  private static func write(
    _ plane: UnsafeBufferPointer<UInt8>, _ counts: ByteCounts, _ huffman: inout HuffmanEncoder,
    _ effort: EncodingOptions.Effort = .compact, to out: inout UnsafeMutableRawPointer
  ) {
    guard let first = plane.first else { return }
    let start = out
    if Int(counts.counts[Int(first)]) == plane.count {
      start.storeBytes(of: PlaneMode.constant.rawValue, as: UInt8.self)
      start.storeBytes(of: first, toByteOffset: 1, as: UInt8.self)
      out += 2
      return
    }
    if effort == .compact, counts.estimate(plane.count) < plane.count - plane.count / worthwhile {
      start.storeBytes(of: PlaneMode.huffman.rawValue, as: UInt8.self)
      out += 1
      huffman.write(plane, counts, to: &out)
      if out - start <= plane.count { return }
    }
    start.storeBytes(of: PlaneMode.raw.rawValue, as: UInt8.self)
    UnsafeMutableRawBufferPointer(start: start + 1, count: plane.count).copyMemory(from: UnsafeRawBufferPointer(plane))
    out = start + 1 + plane.count
  }
}
