extension Component {
  /// The little-endian elements of this component, one after the other.
  func elements(of cloud: FeatureCloud, in range: Range<Int>) -> [UInt8] {
    var writer = ByteWriter(capacity: range.count * 8)
    switch self {
    case .identifier:
      // A sorted identifier is stored as its distance beyond the next possible one.
      var expected = cloud.identifiers[range.lowerBound]
      for identifier in cloud.identifiers[range] {
        writer.write(identifier &- expected)
        expected = identifier &+ 1
      }
    case .x, .y, .z:
      for position in cloud.positions[range] { writer.write(position[Int(rawValue - Self.x.rawValue)]) }
    case .confidence:
      for value in cloud.channels.confidence?[range] ?? [] { writer.write(value) }
    case .red, .green, .blue:
      for colour in cloud.channels.colours?[range] ?? [] { writer.write(colour[Int(rawValue - Self.red.rawValue)]) }
    case .normalX, .normalY, .normalZ:
      for normal in cloud.channels.normals?[range] ?? [] { writer.write(normal[Int(rawValue - Self.normalX.rawValue)]) }
    case .descriptor:
      guard let descriptors = cloud.channels.descriptors else { break }
      let size = descriptors.size
      writer.write(bytes: descriptors.bytes[(range.lowerBound * size)..<(range.upperBound * size)])
    }
    return writer.bytes
  }
}

/// Collects decoded components of consecutive blocks into the planes of a cloud.
struct CloudBuilder {
  private var identifiers: [UInt64] = []
  private var positions: [SIMD3<Float>] = []
  private var confidence: [Float] = []
  private var colours: [SIMD3<UInt8>] = []
  private var normals: [SIMD3<Float>] = []
  private var descriptors: [UInt8] = []
  private let layout: CloudLayout

  init(layout: CloudLayout, capacity: Int) {
    self.layout = layout
    identifiers.reserveCapacity(capacity)
    positions.reserveCapacity(capacity)
  }

  /// The cloud of everything appended.
  var cloud: FeatureCloud {
    let has = layout.channels
    return FeatureCloud(
      positions: positions, identifiers: identifiers,
      channels: FeatureCloud.Channels(
        confidence: has.contains(.confidence) ? confidence : nil, colours: has.contains(.colours) ? colours : nil,
        normals: has.contains(.normals) ? normals : nil,
        descriptors: has.contains(.descriptors)
          ? FeatureCloud.Descriptors(kind: layout.descriptorKind, size: layout.descriptorSize, bytes: descriptors) : nil
      ))
  }

  /// Appends the elements of one component of the next block.
  ///
  /// - Parameters:
  ///   - elements: Little-endian elements, one after the other.
  ///   - component: Which part of the points they are.
  ///   - keys: The lowest and highest identifier of the block.
  ///   - offset: Where the component begins, for errors.
  mutating func append(
    _ elements: [UInt8], of component: Component, keys: ClosedRange<UInt64>, offset: Int
  ) throws(DecodingFailure) {
    let span = elements.span.bytes
    switch component {
    case .identifier: try appendIdentifiers(span, keys: keys, offset: offset)
    case .x, .y, .z: try fill(&positions, component, from: .x, span, offset: offset)
    case .confidence:
      for at in stride(from: 0, to: elements.count, by: 4) {
        let value = Float(bitPattern: span.integer(UInt32.self, at: at))
        guard value >= 0, value <= 1 else { throw .invalid("a confidence outside 0…1", offset: offset) }
        confidence.append(value)
      }
    case .red, .green, .blue:
      if component == .red { colours += Array(repeating: .zero, count: elements.count) }
      let first = colours.count - elements.count
      let lane = Int(component.rawValue - Component.red.rawValue)
      for index in elements.indices { colours[first + index][lane] = elements[index] }
    case .normalX, .normalY, .normalZ: try fill(&normals, component, from: .normalX, span, offset: offset)
    case .descriptor: descriptors += elements
    }
  }

  private mutating func appendIdentifiers(
    _ span: RawSpan, keys: ClosedRange<UInt64>, offset: Int
  ) throws(DecodingFailure) {
    var expected = keys.lowerBound
    var hasWrapped = false
    for at in stride(from: 0, to: span.byteCount, by: 8) {
      let (identifier, overflow) = expected.addingReportingOverflow(span.integer(UInt64.self, at: at))
      guard !overflow, !hasWrapped else { throw .invalid("identifiers over 64 bits", offset: offset) }
      identifiers.append(identifier)
      (expected, hasWrapped) = identifier.addingReportingOverflow(1)
    }
    guard identifiers.last == keys.upperBound, identifiers[identifiers.count - span.byteCount / 8] == keys.lowerBound
    else {
      throw .invalid("identifiers other than the block's row says", offset: offset)
    }
  }

  private func fill(
    _ vectors: inout [SIMD3<Float>], _ component: Component, from first: Component, _ span: RawSpan, offset: Int
  ) throws(DecodingFailure) {
    let count = span.byteCount / 4
    if component == first { vectors += Array(repeating: .zero, count: count) }
    let start = vectors.count - count
    let lane = Int(component.rawValue - first.rawValue)
    for index in 0..<count {
      let value = Float(bitPattern: span.integer(UInt32.self, at: 4 * index))
      guard value.isFinite else { throw .invalid("a coordinate that is not finite", offset: offset) }
      vectors[start + index][lane] = value
    }
  }
}
