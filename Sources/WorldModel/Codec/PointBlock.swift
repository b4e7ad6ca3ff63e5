/// How a component of a block is stored; the raw value stands in the file.
enum ComponentMethod: UInt8, Sendable {
  /// Byte planes, each as it is, constant, or a zstd frame.
  case planes = 0
  /// The same of zigzag differences of ordered Float bits.
  case differencePlanes = 1
  /// Packed frames of folded Float bits less a base, which stands before them.
  case packedFolded = 2
  /// Packed frames of zigzag differences of ordered Float bits.
  case packedDifferences = 3
  /// Packed frames of gaps between identifiers, all below 2³².
  case packedGaps = 4
  /// The same for the low and then the high halves of larger gaps.
  case packedWideGaps = 5
  /// Packed frames of zigzag differences of grid coordinates, then the points off the grid.
  case packedGrid = 6
}

/// Encodes the points of one block; PROTOCOL.md has the bytes.
struct PointBlockEncoder: ~Copyable {
  private let cloud: FeatureCloud
  private let range: Range<Int>
  private let layout: CloudLayout
  private let effort: EncodingOptions.Effort
  private var writer: RawWriter

  /// The whole block with its head and row.
  static func encode(
    _ range: Range<Int>, of cloud: FeatureCloud, layout: CloudLayout, effort: EncodingOptions.Effort
  ) -> EncodedBlock {
    var encoder = PointBlockEncoder(range, of: cloud, layout: layout, effort: effort)
    return encoder.encode()
  }

  private init(_ range: Range<Int>, of cloud: FeatureCloud, layout: CloudLayout, effort: EncodingOptions.Effort) {
    self.cloud = cloud
    self.range = range
    self.layout = layout
    self.effort = effort
    // Five packed streams at most are larger than what they pack; planes never are, but for their own head.
    let capacity = 5 * PackedStream.largest(range.count) + (layout.bytesPerPoint + 16) * (range.count + 16) + 1024
    writer = RawWriter(capacity: capacity)
  }

  private mutating func encode() -> EncodedBlock {
    let keys = cloud.identifiers[range.lowerBound]...cloud.identifiers[range.upperBound - 1]
    var head = ByteWriter()
    layout.write(to: &head)
    head.write(keys.lowerBound)
    writer.advance(by: BlockHead.size)
    writer.write(head.bytes)
    writeIdentifiers()
    let bounds = writePositions()
    for component in layout.components.dropFirst(4) { writeChannel(component) }
    return EncodedBlock(section: .points, count: range.count, keys: keys, bounds: bounds, filling: writer.bytes)
  }

  private mutating func writeIdentifiers() {
    var low = FrameRows(count: range.count)
    var high = FrameRows(count: range.count)
    let isWide = cloud.identifiers.withUnsafeBufferPointer { identifiers in
      IdentifierRows.gaps(UnsafeBufferPointer(rebasing: identifiers[range]), low: &low, high: &high)
    }
    writer.component(.identifier, isWide ? .packedWideGaps : .packedGaps) { out in
      PackedStream.encode(low, .plain, to: &out)
      if isWide { PackedStream.encode(high, .plain, to: &out) }
    }
  }

  private mutating func writePositions() -> BoundingBox {
    var x = FrameRows(count: range.count)
    var y = FrameRows(count: range.count)
    var z = FrameRows(count: range.count)
    cloud.positions.withUnsafeBufferPointer { positions in
      PositionRows.split(UnsafeBufferPointer(rebasing: positions[range]), x: &x, y: &y, z: &z)
    }
    writeFloats(.x, x)
    writeFloats(.y, y)
    writeFloats(.z, z)
    let (xs, ys, zs) = (x.floatRange, y.floatRange, z.floatRange)
    return BoundingBox(
      minimum: [xs.lowerBound, ys.lowerBound, zs.lowerBound], maximum: [xs.upperBound, ys.upperBound, zs.upperBound])
  }

  private mutating func writeFloats(_ component: Component, _ rows: borrowing FrameRows) {
    let choice = FloatModel.choose(rows, effort: effort)
    switch choice {
    case .planes: writer.component(component, .planes) { out in BytePlanes.encode(words: rows.elements, to: &out) }
    case .differencePlanes:
      writer.component(component, .differencePlanes) { out in
        BytePlanes.encode(words: FloatModel.differences(rows.elements), to: &out)
      }
    case .packedDifferences:
      writer.component(component, .packedDifferences) { out in
        PackedStream.encode(rows, .floatDifferences, to: &out)
      }
    case .packedFolded:
      let base = rows.smallestFolded
      writer.component(component, .packedFolded) { out in
        out.storeBytes(of: base.littleEndian, as: UInt32.self)
        out += 4
        PackedStream.encode(rows, .folded(base: base), to: &out)
      }
    }
  }

  private mutating func writeChannel(_ component: Component) {
    switch component {
    case .identifier, .x, .y, .z: return
    case .confidence: writeFloats(component, FrameRows(range.map { cloud.channels.confidence?[$0].bitPattern ?? 0 }))
    case .normalX, .normalY, .normalZ:
      let lane = Int(component.rawValue - Component.normalX.rawValue)
      writeFloats(component, FrameRows(range.map { cloud.channels.normals?[$0][lane].bitPattern ?? 0 }))
    case .red, .green, .blue:
      let lane = Int(component.rawValue - Component.red.rawValue)
      let plane = range.map { cloud.channels.colours?[$0][lane] ?? 0 }
      writer.component(component, .planes) { out in BytePlanes.encode(bytes: plane, width: 1, to: &out) }
    case .descriptor:
      guard let all = cloud.channels.descriptors else { return }
      let bytes = Array(all.bytes[(range.lowerBound * all.size)..<(range.upperBound * all.size)])
      writer.component(component, .planes) { out in BytePlanes.encode(bytes: bytes, width: all.size, to: &out) }
    }
  }
}
