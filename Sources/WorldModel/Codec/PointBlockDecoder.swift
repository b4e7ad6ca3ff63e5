/// Decodes the payload of one block of points.
struct PointBlockDecoder: ~Copyable {
  /// What the section's parameters say.
  private let layout: CloudLayout
  private var zstd = ZstdDecompressor()
  /// The number of points of the block at hand.
  private var count = 0

  /// A decoder of blocks of this layout.
  init(layout: CloudLayout) {
    self.layout = layout
  }

  /// Decodes a block of at least one point.
  ///
  /// - Parameters:
  ///   - payload: The bytes after the block's head.
  ///   - count: The number of points.
  ///   - lowest: The first identifier, which also stands in the payload.
  ///   - highest: The last identifier, if it is known.
  ///   - positions: Memory for the positions.
  ///   - identifiers: Memory for the identifiers.
  ///   - channels: What the channels are appended to.
  mutating func decode(
    _ payload: UnsafeRawBufferPointer, count: Int, lowest: UInt64, highest: UInt64?,
    positions: UnsafeMutablePointer<SIMD3<Float>>, identifiers: UnsafeMutablePointer<UInt64>,
    channels: inout FeatureCloud.Channels
  ) throws(DecodingFailure) {
    self.count = count
    var reader = ComponentReader(payload)
    try reader.skipHead(layout: layout, lowest: lowest)
    try decodeIdentifiers(try reader.next(.identifier), from: lowest, to: identifiers)
    guard highest == nil || identifiers[count - 1] == highest else {
      throw .invalid("identifiers other than the block's row says", offset: 0)
    }
    let x = try coordinates(try reader.next(.x))
    let y = try coordinates(try reader.next(.y))
    let z = try coordinates(try reader.next(.z))
    guard PositionRows.join(x: x, y: y, z: z, to: positions) else {
      throw .invalid("a coordinate that is not finite", offset: 0)
    }
    for component in layout.components.dropFirst(4) {
      try appendChannel(component, try reader.next(component), to: &channels)
    }
    try reader.finish()
  }

  private func decodeIdentifiers(
    _ part: ComponentReader.Part, from lowest: UInt64, to target: UnsafeMutablePointer<UInt64>
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
      isRising = IdentifierRows.sum(low, high, from: lowest, to: target)
    } else {
      IdentifierRows.sum(low, from: lowest, to: target)
    }
    guard rest == 0 else { throw part.failure("bytes after the identifiers") }
    guard isRising, target[0] == lowest, target[count - 1] >= lowest else {
      throw part.failure("identifiers that do not rise from the block's first")
    }
  }

  /// The Floats of x, y or z, in frame order.
  private mutating func coordinates(_ part: ComponentReader.Part) throws(DecodingFailure) -> FrameRows {
    guard part.method == .packedGrid else { return try floats(part) }
    guard layout.step > 0, part.bytes.count >= 4 else { throw part.failure("coordinates on a grid without a step") }
    let escapes = Int(part.bytes.integer(UInt32.self, at: 0))
    guard escapes <= count, part.bytes.count >= 4 + 8 * escapes else { throw .truncated(offset: part.offset) }
    var rows = try unpacked(part, from: 4 + 8 * escapes, .differences)
    Grid.restore(&rows, step: Double(layout.step))
    var next = 0
    for escape in 0..<escapes {
      let index = Int(part.bytes.integer(UInt32.self, at: 4 + 8 * escape))
      guard index >= next, index < count else { throw part.failure("exact coordinates out of order") }
      rows[index] = part.bytes.integer(UInt32.self, at: 8 + 8 * escape)
      next = index + 1
    }
    return rows
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
    case .packedFolded: return try unpacked(part, from: 0, .folded)
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

extension PointBlockDecoder {
  /// Decodes a payload of which nothing is known but the number of its points.
  static func decodeAlone(
    _ payload: RawSpan, count: Int, base: Int
  ) throws(WorldMapError) -> (cloud: FeatureCloud, layout: CloudLayout) {
    do throws(DecodingFailure) {
      var reader = ByteReader(payload)
      let layout = try CloudLayout(reading: &reader)
      let lowest = try reader.read(UInt64.self)
      var positions = [SIMD3<Float>](repeating: .zero, count: count)
      var identifiers = [UInt64](repeating: 0, count: count)
      var channels = layout.emptyChannels
      var decoder = PointBlockDecoder(layout: layout)
      let failure = payload.withUnsafeBytes { bytes -> DecodingFailure? in
        positions.withUnsafeMutableBufferPointer { positions in
          identifiers.withUnsafeMutableBufferPointer { identifiers in
            guard let positions = positions.baseAddress, let identifiers = identifiers.baseAddress else { return nil }
            do throws(DecodingFailure) {
              try decoder.decode(
                bytes, count: count, lowest: lowest, highest: nil, positions: positions, identifiers: identifiers,
                channels: &channels)
              return nil
            } catch {
              return error
            }
          }
        }
      }
      if let failure { throw failure }
      return (FeatureCloud(positions: positions, identifiers: identifiers, channels: channels), layout)
    } catch {
      throw WorldMapError(error, base: base)
    }
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
