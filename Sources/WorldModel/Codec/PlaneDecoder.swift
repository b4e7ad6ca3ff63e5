/// Reads planes of bytes in memory that is kept.
struct PlaneDecoder: ~Copyable {
  private var huffman = HuffmanDecoder()
  private var planes = BytePlanes(capacity: 0)

  /// Reads four planes into a component's elements.
  ///
  /// - Parameters:
  ///   - source: The planes, lowest byte first.
  ///   - areDifferences: Whether they hold zigzag differences of ordered Float bits.
  ///   - rows: Where the elements go.
  /// - Returns: Whether `source` is exactly that.
  mutating func read(
    _ source: UnsafeRawBufferPointer, areDifferences: Bool, to rows: inout FrameRows
  ) -> Bool {
    if planes.capacity < rows.count { planes = BytePlanes(capacity: rows.count) }
    var rest = source[...]
    for byte in 0..<4 {
      guard let length = read(UnsafeRawBufferPointer(rebasing: rest), to: planes.plane(byte, rows.count)) else {
        return false
      }
      rest = rest.dropFirst(length)
    }
    var previous: UInt32 = 0
    for index in 0..<rows.frameCount {
      let frame = rows.frame(index)
      planes.join(at: index * PackedFrame.count, to: frame)
      if areDifferences { FrameTransform.sums(frame, previous: &previous, isFloat: true) }
    }
    let first = rows.frameCount * PackedFrame.count
    for place in 0..<rows.tailCount {
      let value = planes[first + place]
      rows.tailAddress[place] = areDifferences ? FloatModel.bits(after: value, &previous) : value
    }
    return rest.isEmpty
  }

  /// Reads planes into elements of `width` bytes that stand one after the other.
  ///
  /// - Returns: The elements, or nil when `source` is not exactly `width` planes of `count` bytes.
  mutating func read(_ source: UnsafeRawBufferPointer, count: Int, width: Int) -> [UInt8]? {
    if planes.capacity < count { planes = BytePlanes(capacity: count) }
    let plane = planes.plane(0, count)
    var elements = [UInt8](repeating: 0, count: count * width)
    var rest = source[...]
    for byte in 0..<width {
      guard let length = read(UnsafeRawBufferPointer(rebasing: rest), to: plane) else { return nil }
      rest = rest.dropFirst(length)
      for index in 0..<count { elements[index &* width &+ byte] = plane[index] }
    }
    return rest.isEmpty ? elements : nil
  }

  /// Reads one plane and returns the number of bytes it took; nil when it is not a plane.
  private mutating func read(
    _ source: UnsafeRawBufferPointer, to plane: UnsafeMutableBufferPointer<UInt8>
  ) -> Int? {
    guard source.count >= 2, let mode = PlaneMode(rawValue: source[0]) else { return nil }
    switch mode {
    case .raw:
      guard source.count > plane.count else { return nil }
      UnsafeMutableRawBufferPointer(plane).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: source[1..<(1 + plane.count)]))
      return 1 + plane.count
    case .constant:
      plane.update(repeating: source[1])
      return 2
    case .huffman:
      return huffman.read(UnsafeRawBufferPointer(rebasing: source[1...]), to: plane).map { 1 + $0 }
    }
  }
}
