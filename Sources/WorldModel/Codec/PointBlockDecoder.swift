/// Decodes the payload of one block of points.
struct PointBlockDecoder: ~Copyable {
  /// What the section's parameters say.
  private let layout: CloudLayout
  private var zstd = ZstdDecompressor()
  /// The number of points of the block at hand.
  private var count = 0
  /// The lowest and highest identifier of the block at hand, as its row says.
  private var keys: ClosedRange<UInt64> = 0...0

  /// A decoder of blocks of this layout.
  init(layout: CloudLayout) {
    self.layout = layout
  }

  /// Decodes identifiers and positions to memory for as many as the row has, and appends the channels to `channels`.
  mutating func decode(
    _ payload: UnsafeRawBufferPointer, row: BlockDirectory.Row, positions: UnsafeMutablePointer<SIMD3<Float>>,
    identifiers: UnsafeMutablePointer<UInt64>, channels: inout FeatureCloud.Channels
  ) throws(DecodingFailure) {
    count = row.count
    keys = row.keys
    var reader = ComponentReader(payload)
    try reader.skipHead(layout: layout, lowest: keys.lowerBound)
    try decodeIdentifiers(try reader.next(.identifier), to: identifiers)
    let x = try floats(try reader.next(.x))
    let y = try floats(try reader.next(.y))
    let z = try floats(try reader.next(.z))
    guard PositionRows.join(x: x, y: y, z: z, to: positions) else {
      throw .invalid("a coordinate that is not finite", offset: 0)
    }
    for component in layout.components.dropFirst(4) {
      try appendChannel(component, try reader.next(component), to: &channels)
    }
    try reader.finish()
  }

  private func decodeIdentifiers(
    _ part: ComponentReader.Part, to target: UnsafeMutablePointer<UInt64>
  ) throws(DecodingFailure) {
    let isWide = part.method == .packedWideGaps
    guard isWide || part.method == .packedGaps else { throw part.failure("a method that identifiers do not have") }
    var low = FrameRows(count: count)
    guard let length = PackedStream.decode(part.bytes, .plain, to: &low) else { throw part.failure("a bad stream") }
    var isRising = true
    var rest = part.bytes.count - length
    if isWide {
      var high = FrameRows(count: count)
      let source = UnsafeRawBufferPointer(rebasing: part.bytes[length...])
      guard let more = PackedStream.decode(source, .plain, to: &high) else { throw part.failure("a bad stream") }
      rest -= more
      isRising = IdentifierRows.sum(low, high, from: keys.lowerBound, to: target)
    } else {
      IdentifierRows.sum(low, from: keys.lowerBound, to: target)
    }
    guard rest == 0 else { throw part.failure("bytes after the identifiers") }
    guard isRising, target[0] == keys.lowerBound, target[count - 1] == keys.upperBound else {
      throw part.failure("identifiers other than the block's row says")
    }
  }

  /// The Floats of a component, in frame order.
  private mutating func floats(_ part: ComponentReader.Part) throws(DecodingFailure) -> FrameRows {
    switch part.method {
    case .planes, .differencePlanes:
      var rows = FrameRows(count: count)
      let isDifference = part.method == .differencePlanes
      let isWhole: Void? = BytePlanes.withWordPlanes(part.bytes, count: count, &zstd) { starts, planes in
        rows.fill(planes, starts, areDifferences: isDifference)
      }
      guard isWhole != nil else { throw part.failure("bad planes") }
      return rows
    case .packedFolded:
      guard part.bytes.count >= 4 else { throw .truncated(offset: part.offset) }
      let base = UInt32(littleEndian: part.bytes.loadUnaligned(as: UInt32.self))
      return try unpacked(part, from: 4, .folded(base: base))
    case .packedDifferences: return try unpacked(part, from: 0, .floatDifferences)
    case .packedGaps, .packedWideGaps, .packedGrid: throw part.failure("a method that numbers do not have")
    }
  }

  private func unpacked(
    _ part: ComponentReader.Part, from start: Int, _ transform: PackedStream.Transform
  ) throws(DecodingFailure) -> FrameRows {
    var rows = FrameRows(count: count)
    let source = UnsafeRawBufferPointer(rebasing: part.bytes[start...])
    guard PackedStream.decode(source, transform, to: &rows) == source.count else { throw part.failure("a bad stream") }
    return rows
  }

  private mutating func appendChannel(
    _ component: Component, _ part: ComponentReader.Part, to channels: inout FeatureCloud.Channels
  ) throws(DecodingFailure) {
    switch component {
    case .identifier, .x, .y, .z: return
    case .confidence:
      let values = try floats(part).elements.map { Float(bitPattern: $0) }
      guard values.allSatisfy({ $0 >= 0 && $0 <= 1 }) else { throw part.failure("a confidence outside 0…1") }
      channels.confidence?.append(contentsOf: values)
    case .normalX, .normalY, .normalZ:
      let values = try floats(part).elements.map { Float(bitPattern: $0) }
      guard values.allSatisfy(\.isFinite) else { throw part.failure("a normal that is not finite") }
      channels.normals?.fill(values, lane: Int(component.rawValue - Component.normalX.rawValue))
    case .red, .green, .blue:
      let values = try planes(part, width: 1)
      channels.colours?.fill(values, lane: Int(component.rawValue - Component.red.rawValue))
    case .descriptor:
      channels.descriptors?.bytes.append(contentsOf: try planes(part, width: layout.descriptorSize))
    }
  }

  private mutating func planes(_ part: ComponentReader.Part, width: Int) throws(DecodingFailure) -> [UInt8] {
    guard part.method == .planes, let bytes = BytePlanes.decode(part.bytes, count: count, width: width, &zstd) else {
      throw part.failure("bad planes")
    }
    return bytes
  }
}

extension [SIMD3<Float>] {
  /// Sets one component of the last vectors, which lane 0 appends.
  fileprivate mutating func fill(_ values: [Float], lane: Int) {
    if lane == 0 { append(contentsOf: repeatElement(.zero, count: values.count)) }
    let first = count - values.count
    for index in values.indices { self[first + index][lane] = values[index] }
  }
}

extension [SIMD3<UInt8>] {
  /// Sets one component of the last vectors, which lane 0 appends.
  fileprivate mutating func fill(_ values: [UInt8], lane: Int) {
    if lane == 0 { append(contentsOf: repeatElement(.zero, count: values.count)) }
    let first = count - values.count
    for index in values.indices { self[first + index][lane] = values[index] }
  }
}
