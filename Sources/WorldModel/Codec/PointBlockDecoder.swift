import Basics

/// Decodes the payload of one block of points.
struct PointBlockDecoder: ~Copyable {
  /// The section's parameters.
  private let layout: CloudLayout
  private var components: ComponentDecoder
  /// Three components at a time; identifiers need two.
  private var first = FrameRows(count: 0)
  private var second = FrameRows(count: 0)
  private var third = FrameRows(count: 0)

  /// A decoder of blocks of this layout.
  init(layout: CloudLayout) {
    self.layout = layout
    components = ComponentDecoder(layout: layout)
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
  ///   - channels: The channels to append to.
  mutating func decode(
    _ payload: UnsafeRawBufferPointer, count: Int, lowest: UInt64, highest: UInt64?,
    positions: UnsafeMutablePointer<SIMD3<Float>>, identifiers: UnsafeMutablePointer<UInt64>,
    channels: inout FeatureCloud.Channels
  ) throws(DecodingFailure) {
    var reader = try decodeIdentifiers(payload, count: count, lowest: lowest, highest: highest, to: identifiers)
    first.reset(count: count)
    second.reset(count: count)
    third.reset(count: count)
    try components.coordinates(try reader.next(.x), to: &first)
    try components.coordinates(try reader.next(.y), to: &second)
    try components.coordinates(try reader.next(.z), to: &third)
    guard PositionRows.join(x: first, y: second, z: third, to: positions) else {
      throw .invalid("a coordinate that is not finite", offset: 0)
    }
    for component in layout.components.dropFirst(4) {
      try appendChannel(component, try reader.next(component), count, to: &channels)
    }
    try reader.finish()
  }

  /// Decodes the identifiers of a block alone; the parameters are those of ``decode``.
  ///
  /// - Returns: The reader of what follows them.
  @discardableResult
  mutating func decodeIdentifiers(
    _ payload: UnsafeRawBufferPointer, count: Int, lowest: UInt64, highest: UInt64?,
    to identifiers: UnsafeMutablePointer<UInt64>
  ) throws(DecodingFailure) -> ComponentReader {
    var reader = ComponentReader(payload)
    try reader.skipHead(layout: layout, lowest: lowest)
    try decodeIdentifiers(try reader.next(.identifier), count, from: lowest, to: identifiers)
    guard highest == nil || identifiers[count - 1] == highest else {
      throw .invalid("identifiers other than the block's row says", offset: 0)
    }
    return reader
  }

  private mutating func decodeIdentifiers(
    _ part: ComponentReader.Part, _ count: Int, from lowest: UInt64, to target: UnsafeMutablePointer<UInt64>
  ) throws(DecodingFailure) {
    let isWide = part.method == .packedWideGaps
    guard isWide || part.method == .packedGaps else { throw part.failure("a method that identifiers do not have") }
    first.reset(count: count)
    guard let length = PackedStream.decode(part.bytes, .plain, to: &first) else { throw part.failure("a bad stream") }
    var isRising = true
    var rest = part.bytes.count - length
    if isWide {
      second.reset(count: count)
      let source = UnsafeRawBufferPointer(rebasing: part.bytes[length...])
      guard let more = PackedStream.decode(source, .plain, to: &second) else { throw part.failure("a bad stream") }
      rest -= more
      isRising = IdentifierRows.sum(first, second, from: lowest, to: target)
    } else {
      IdentifierRows.sum(first, from: lowest, to: target)
    }
    guard rest == 0 else { throw part.failure("bytes after the identifiers") }
    guard isRising, target[0] == lowest, target[count - 1] >= lowest else {
      throw part.failure("identifiers that do not rise from the block's first")
    }
  }

  private mutating func appendChannel(
    _ component: Component, _ part: ComponentReader.Part, _ count: Int, to channels: inout FeatureCloud.Channels
  ) throws(DecodingFailure) {
    switch component {
    case .identifier, .x, .y, .z: return
    case .confidence:
      let values = try floats(part, count)
      guard values.allSatisfy({ $0 >= 0 && $0 <= 1 }) else { throw part.failure("a confidence outside 0…1") }
      channels.confidence?.append(contentsOf: values)
    case .normalX, .normalY, .normalZ:
      let values = try floats(part, count)
      guard values.allSatisfy(\.isFinite) else { throw part.failure("a normal that is not finite") }
      channels.normals?.fill(values, lane: Int(component.rawValue - Component.normalX.rawValue))
    case .red, .green, .blue:
      let values = try components.bytes(part, count, width: 1)
      channels.colors?.fill(values, lane: Int(component.rawValue - Component.red.rawValue))
    case .descriptor:
      let bytes = try components.bytes(part, count, width: layout.descriptorSize)
      channels.descriptors?.bytes.append(contentsOf: bytes)
    }
  }

  private mutating func floats(_ part: ComponentReader.Part, _ count: Int) throws(DecodingFailure) -> [Float] {
    first.reset(count: count)
    try components.floats(part, to: &first)
    return first.elements.map { Float(bitPattern: $0) }
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
