/// Which method suits the Floats of a block.
enum FloatModel {
  /// How many frames are tried with each packed method.
  private static let samples = 6
  /// How many elements, from the middle of the block, are tried as planes.
  private static let planeSample = 4 * 1024
  /// A component of a block below this size is tried as a whole.
  private static let small = 4 * planeSample

  /// A method, and how its planes are compressed.
  struct Choice {
    var method: ComponentMethod
    var search = ZstdCompressor.Search.letters
  }

  /// The choice, by a sample of the block: the same on every machine with the same libzstd.
  static func choose(
    _ rows: borrowing FrameRows, effort: EncodingOptions.Effort, _ zstd: inout ZstdCompressor
  ) -> Choice {
    let lengths = packedLengths(rows)
    let packed: ComponentMethod = lengths.differences <= lengths.folded ? .packedDifferences : .packedFolded
    guard effort == .compact else { return Choice(method: packed) }
    let sampled = rows.count < small ? rows.count : planeSample
    let words = rows.elements((rows.count - sampled) / 2..<(rows.count + sampled) / 2)
    let differences = Self.differences(words)
    let fit = packedLength(rows, min(lengths.differences, lengths.folded)) * sampled / rows.count
    var best = (choice: Choice(method: packed), length: fit)
    func consider(_ method: ComponentMethod, _ search: ZstdCompressor.Search, atMost parts: Int) {
      let words = method == .planes ? words : differences
      let length = BytePlanes.length(words: words, search, &zstd)
      if length < best.length * parts / 100 { best = (Choice(method: method, search: search), length) }
    }
    // What takes longer must gain more: planes twice as long as frames, sums in the order of the block and a search
    // for runs still longer. In a small block time is short anyway.
    let isSmall = rows.count < small
    consider(.planes, .letters, atMost: 98)
    consider(.differencePlanes, .letters, atMost: isSmall ? 96 : 85)
    guard isSmall || hasRepeats(words) else { return best.choice }
    consider(.planes, .runs, atMost: isSmall ? 96 : 85)
    consider(.differencePlanes, .runs, atMost: isSmall ? 96 : 85)
    return best.choice
  }

  /// Whether one element in sixteen occurred before: without that no search finds runs.
  private static func hasRepeats(_ words: [UInt32]) -> Bool {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 8192) { seen in
      seen.initialize(repeating: 0)
      var repeats = 0
      for word in words {
        let place = Int((word &* 0x9E37_79B1) &>> 19)
        repeats &+= seen[place] == word ? 1 : 0
        seen[place] = word
      }
      return repeats * 16 > words.count
    }
  }

  /// The length of a packed component (bytes), judged by the length of the frames that were tried.
  private static func packedLength(_ rows: borrowing FrameRows, _ tried: Int) -> Int {
    let tail = rows.tailCount * 4
    guard rows.frameCount > 0 else { return tail }
    return tried * rows.frameCount / min(samples, rows.frameCount) + tail
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
          PackedFrame.encode(buffer, step: 1, to: &end)
          differences += end - start
          _ = FrameTransform.foldedDistances(source, to: buffer)
          end = start
          PackedFrame.encode(buffer, step: 1, to: &end)
          folded += end - start + 4
        }
        return (differences, folded)
      }
    }
  }

  /// Float bits as integers in the order of the numbers.
  static func ordered(_ bits: UInt32) -> UInt32 {
    bits ^ (UInt32(bitPattern: Int32(bitPattern: bits) &>> 31) & 0x7fff_ffff)
  }

  /// Zigzag differences of ordered Float bits.
  static func differences(_ words: [UInt32]) -> [UInt32] {
    [UInt32](unsafeUninitializedCapacity: words.count) { buffer, filled in
      words.withUnsafeBufferPointer { source in
        var previous: UInt32 = 0
        for index in source.indices {
          let value = ordered(source[index])
          let difference = Int32(bitPattern: value &- previous)
          buffer[index] = UInt32(bitPattern: difference &<< 1 ^ difference &>> 31)
          previous = value
        }
      }
      filled = words.count
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
  var elements: [UInt32] { elements(0..<count) }

  /// Some elements in the order of the block.
  func elements(_ range: Range<Int>) -> [UInt32] {
    [UInt32](unsafeUninitializedCapacity: range.count) { buffer, filled in
      for place in 0..<range.count { buffer[place] = self[range.lowerBound &+ place] }
      filled = range.count
    }
  }

  /// Joins four planes of bytes, which are in the order of the block.
  ///
  /// - Parameters:
  ///   - planes: The planes, one after the other.
  ///   - starts: Where each begins, lowest byte first.
  ///   - areDifferences: Whether they hold zigzag differences of ordered Float bits.
  mutating func fill(_ planes: UnsafeBufferPointer<UInt8>, _ starts: SIMD4<Int>, areDifferences: Bool) {
    func word(_ index: Int) -> UInt32 {
      let low = UInt32(planes[starts.x &+ index]) | UInt32(planes[starts.y &+ index]) &<< 8
      return low | UInt32(planes[starts.z &+ index]) &<< 16 | UInt32(planes[starts.w &+ index]) &<< 24
    }
    var previous: UInt32 = 0
    for index in 0..<count where areDifferences {
      let zigzag = word(index)
      previous &+= zigzag >> 1 ^ (0 &- (zigzag & 1))
      self[index] = FloatModel.ordered(previous)
    }
    guard !areDifferences else { return }
    for frame in 0..<frameCount {
      let rows = self.frame(frame)
      let first = frame * PackedFrame.count
      for row in 0..<PackedFrame.rows {
        let index = first &+ row
        rows[row] = Row(word(index), word(index &+ 32), word(index &+ 64), word(index &+ 96))
      }
    }
    for place in 0..<tailCount { tailAddress[place] = word(frameCount * PackedFrame.count + place) }
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
