import Basics

/// Decodes the components of blocks by whatever method they were stored.
struct ComponentDecoder: ~Copyable {
  /// The step of the grid (metres); zero when there is none.
  private let step: Float
  private var planes = PlaneDecoder()
  private var values = FrameRows(count: 0)

  /// A decoder of components of this layout.
  init(layout: CloudLayout) {
    step = layout.step
  }

  /// Reads as many coordinates as `rows` has room for.
  mutating func coordinates(_ part: ComponentReader.Part, to rows: inout FrameRows) throws(DecodingFailure) {
    guard part.method == .packedGrid else { return try floats(part, to: &rows) }
    guard step > 0 else { throw part.failure("coordinates on a grid without a step") }
    guard let length = PackedStream.decode(part.bytes, .differences, to: &rows) else {
      throw part.failure("a bad stream")
    }
    Grid.restore(&rows, step: step)
    try replaceExact(part, from: length, in: &rows)
  }

  /// Puts the exact coordinates, which take the rest of a component, in their places.
  private func replaceExact(
    _ part: ComponentReader.Part, from start: Int, in rows: inout FrameRows
  ) throws(DecodingFailure) {
    guard (part.bytes.count - start) % 8 == 0 else { throw .truncated(offset: part.offset) }
    var next = 0
    for offset in stride(from: start, to: part.bytes.count, by: 8) {
      let index = Int(part.bytes.integer(UInt32.self, at: offset))
      guard index >= next, index < rows.count else { throw part.failure("exact coordinates out of order") }
      rows[index] = part.bytes.integer(UInt32.self, at: offset + 4)
      next = index + 1
    }
  }

  /// Reads as many Floats as `rows` has room for.
  mutating func floats(_ part: ComponentReader.Part, to rows: inout FrameRows) throws(DecodingFailure) {
    guard part.method == .palette else { return try read(part, from: 0, by: part.method, to: &rows) }
    guard part.bytes.count >= 4 else { throw .truncated(offset: part.offset) }
    let number = Int(part.bytes.integer(UInt32.self, at: 0))
    guard number <= rows.count else { throw part.failure("a palette of more values than points") }
    values.reset(count: number)
    let source = UnsafeRawBufferPointer(rebasing: part.bytes[4...])
    guard let length = PackedStream.decode(source, .floatDifferences, to: &values), length < source.count,
      let method = ComponentMethod(rawValue: source[length])
    else { throw part.failure("a bad palette") }
    try read(part, from: 5 + length, by: method, to: &rows)
    guard Palette.restore(&rows, from: values) else { throw part.failure("a value that its palette does not have") }
  }

  /// Reads the planes of `count` elements of `width` bytes.
  mutating func bytes(_ part: ComponentReader.Part, _ count: Int, width: Int) throws(DecodingFailure) -> [UInt8] {
    let areDifferences = part.method == .differencePlanes && width == 1
    guard part.method == .planes || areDifferences,
      let bytes = planes.read(part.bytes, count: count, width: width)
    else { throw part.failure("bad planes") }
    return areDifferences ? ByteDifferences.sums(of: bytes) : bytes
  }

  /// Reads the elements from a place of a component to its end.
  private mutating func read(
    _ part: ComponentReader.Part, from start: Int, by method: ComponentMethod, to rows: inout FrameRows
  ) throws(DecodingFailure) {
    switch method {
    case .planes, .differencePlanes:
      let source = UnsafeRawBufferPointer(rebasing: part.bytes[start...])
      guard planes.read(source, areDifferences: method == .differencePlanes, to: &rows) else {
        throw part.failure("bad planes")
      }
    case .packedFolded: try unpack(part, from: start, .folded, to: &rows)
    case .packedDifferences: try unpack(part, from: start, .floatDifferences, to: &rows)
    case .packedGaps, .packedWideGaps, .packedGrid, .palette: throw part.failure("a method that numbers do not have")
    }
  }

  private func unpack(
    _ part: ComponentReader.Part, from start: Int, _ transform: PackedStream.Transform, to rows: inout FrameRows
  ) throws(DecodingFailure) {
    let source = UnsafeRawBufferPointer(rebasing: part.bytes[start...])
    guard PackedStream.decode(source, transform, to: &rows) == source.count else { throw part.failure("a bad stream") }
  }
}
