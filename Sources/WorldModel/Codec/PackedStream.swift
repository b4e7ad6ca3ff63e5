/// A component of a block as packed frames, then the up to 127 elements left over in whole bytes.
enum PackedStream {
  typealias Row = PackedFrame.Row

  /// The transform applied to the numbers before packing.
  enum Transform: Equatable {
    /// Nothing.
    case plain
    /// Float bits with their sign moved to the lowest bit, less the smallest of the frame, which stands before it.
    case folded
    /// Zigzag differences of Floats in order.
    case floatDifferences
    /// Zigzag differences of whole numbers.
    case differences
  }

  /// The most bytes that a stream of `count` elements can take while it is built.
  static func largest(_ count: Int) -> Int {
    (count / PackedFrame.count + 1) * (PackedFrame.largest + 4)
  }

  /// Packs elements to `out` and moves `out` behind them.
  ///
  /// - Parameters:
  ///   - elements: Their bits, in frame order; see ``FrameRows``.
  ///   - transform: The transform to apply first.
  ///   - effort: Whether to look for the best width of each frame or for a good one.
  ///   - out: Memory for ``largest(_:)`` bytes.
  static func encode(
    _ elements: borrowing FrameRows, _ transform: Transform, _ effort: EncodingOptions.Effort,
    to out: inout UnsafeMutableRawPointer
  ) {
    let spacing = effort == .fast ? 4 : 1
    withUnsafeTemporaryAllocation(of: Row.self, capacity: PackedFrame.rows) { frame in
      guard let buffer = frame.baseAddress else { return }
      var previous: UInt32 = 0
      for index in 0..<elements.frameCount {
        let source = UnsafePointer(elements.frame(index))
        switch transform {
        case .plain:
          PackedFrame.encode(source, step: spacing, to: &out)
          continue
        case .folded:
          store(FrameTransform.foldedDistances(source, to: buffer), to: &out)
        case .floatDifferences:
          FrameTransform.differences(source, to: buffer, previous: &previous, isFloat: true)
        case .differences:
          FrameTransform.differences(source, to: buffer, previous: &previous, isFloat: false)
        }
        PackedFrame.encode(buffer, step: spacing, to: &out)
      }
      encode(tail: elements.tail, transform, &previous, to: &out)
    }
  }

  /// Transforms the elements after the frames and packs them.
  private static func encode(
    tail: UnsafeBufferPointer<UInt32>, _ transform: Transform, _ previous: inout UInt32,
    to out: inout UnsafeMutableRawPointer
  ) {
    guard !tail.isEmpty else { return }
    let base = tail.reduce(UInt32.max) { min($0, $1 << 1 | $1 >> 31) }
    if transform == .folded { store(base, to: &out) }
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: tail.count) { elements in
      for (index, element) in tail.enumerated() {
        switch transform {
        case .plain: elements[index] = element
        case .folded: elements[index] = (element << 1 | element >> 31) &- base
        case .floatDifferences: elements[index] = step(to: ordered(element), from: &previous)
        case .differences: elements[index] = step(to: element, from: &previous)
        }
      }
      PackedTail.encode(UnsafeBufferPointer(elements), to: &out)
    }
  }

  /// Unpacks a stream of `target.count` elements into frame order.
  ///
  /// - Returns: The number of bytes read, or nil when `source` is not such a stream.
  static func decode(
    _ source: UnsafeRawBufferPointer, _ transform: Transform, to target: inout FrameRows
  ) -> Int? {
    var offset = 0
    var previous: UInt32 = 0
    var base: UInt32 = 0
    let baseLength = transform == .folded ? 4 : 0
    for index in 0..<target.frameCount {
      let frame = target.frame(index)
      guard source.count - offset >= baseLength else { return nil }
      if baseLength > 0 { base = source.integer(UInt32.self, at: offset) }
      offset += baseLength
      guard let length = PackedFrame.decode(UnsafeRawBufferPointer(rebasing: source[offset...]), to: frame) else {
        return nil
      }
      offset += length
      switch transform {
      case .plain: break
      case .folded:
        for row in 0..<PackedFrame.rows {
          frame[row] = FrameTransform.unfolded(frame[row] &+ Row(repeating: base))
        }
      case .floatDifferences: FrameTransform.sums(frame, previous: &previous, isFloat: true)
      case .differences: FrameTransform.sums(frame, previous: &previous, isFloat: false)
      }
    }
    if baseLength > 0, target.tailCount > 0 {
      guard source.count - offset >= baseLength else { return nil }
      base = source.integer(UInt32.self, at: offset)
      offset += baseLength
    }
    let tail = UnsafeMutableBufferPointer(start: target.tailAddress, count: target.tailCount)
    guard let length = PackedTail.decode(UnsafeRawBufferPointer(rebasing: source[offset...]), to: tail) else {
      return nil
    }
    for index in 0..<target.tailCount {
      let value = target.tailAddress[index]
      switch transform {
      case .plain: break
      case .folded:
        let bits = value &+ base
        target.tailAddress[index] = bits >> 1 | bits << 31
      case .floatDifferences: target.tailAddress[index] = ordered(sum(value, &previous))
      case .differences: target.tailAddress[index] = sum(value, &previous)
      }
    }
    return offset + length
  }

  private static func store(_ base: UInt32, to out: inout UnsafeMutableRawPointer) {
    out.storeBytes(of: base.littleEndian, as: UInt32.self)
    out += 4
  }

  private static func ordered(_ bits: UInt32) -> UInt32 { bits ^ (bits >> 31 == 1 ? 0x7fff_ffff : 0) }

  private static func step(to value: UInt32, from previous: inout UInt32) -> UInt32 {
    let difference = Int32(bitPattern: value &- previous)
    previous = value
    return UInt32(bitPattern: difference &<< 1 ^ difference &>> 31)
  }

  private static func sum(_ zigzag: UInt32, _ previous: inout UInt32) -> UInt32 {
    previous &+= zigzag >> 1 ^ (0 &- (zigzag & 1))
    return previous
  }
}
