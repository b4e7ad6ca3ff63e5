/// The section of the feature points: sorted by identifier, in blocks that can each be decoded alone.
enum PointsSection {
  /// Points in a block.
  static let blockSize = 64 * 1024

  /// The ranges of points that become blocks.
  static func blocks(of cloud: FeatureCloud) -> [Range<Int>] {
    stride(from: 0, to: cloud.count, by: blockSize).map { $0..<min($0 + blockSize, cloud.count) }
  }

  /// Encodes the points of one block of a sorted cloud.
  static func encode(_ range: Range<Int>, of cloud: FeatureCloud, layout: CloudLayout) -> EncodedBlock {
    var writer = ByteWriter(capacity: range.count * layout.bytesPerPoint / 2)
    layout.write(to: &writer)
    let lowest = cloud.identifiers[range.lowerBound]
    writer.write(lowest)
    for component in layout.components {
      let start = writer.count
      writer.write(component.rawValue)
      writer.write(UInt32(0))
      let elements = component.elements(of: cloud, in: range)
      BytePlanes.encode(elements, width: layout.width(of: component), to: &writer)
      writer.patch(UInt32(writer.count - start - 5), at: start + 1)
    }
    let bounds = BoundingBox(containing: cloud.positions[range])
    return EncodedBlock(
      section: .points, count: range.count, keys: lowest...cloud.identifiers[range.upperBound - 1],
      bounds: bounds ?? BoundingBox(minimum: .zero, maximum: .zero), payload: writer.bytes)
  }

  /// The section made of `blocks`.
  static func assemble(_ blocks: [EncodedBlock], layout: CloudLayout) -> SectionBody {
    var parameters = ByteWriter()
    layout.write(to: &parameters)
    let directory = BlockDirectory(parameters: parameters.bytes, rows: blocks.map(\.row))
    return SectionBody(
      code: .points, codec: SectionCodec.blocks, rawLength: UInt64(directory.count * layout.bytesPerPoint),
      covered: directory.encoded(), parts: blocks.map(\.bytes))
  }

  /// Reads the parameters of the section and checks its declared size against the limits.
  static func layout(
    _ directory: BlockDirectory, of section: (entry: SectionEntry, offset: Int)
  ) throws(WorldMapError) -> CloudLayout {
    let base = section.offset + 8
    let layout: CloudLayout
    do throws(DecodingFailure) {
      var reader = ByteReader(directory.parameters.span.bytes)
      layout = try CloudLayout(reading: &reader)
      try reader.finish()
    } catch {
      throw WorldMapError(error, base: base)
    }
    let rawLength = directory.count * layout.bytesPerPoint
    guard rawLength <= Limits.cloud else { throw .overLimit(limit: Limits.cloud, offset: base) }
    guard UInt64(rawLength) == section.entry.rawLength else {
      throw .invalid("the section's raw length is not that of its points", offset: base)
    }
    return layout
  }

  /// Appends the points of one block to `target`.
  static func decode(
    payload: RawSpan, row: BlockDirectory.Row, layout: CloudLayout, to target: inout CloudBuilder
  ) throws(WorldMapError) {
    do throws(DecodingFailure) {
      var reader = ByteReader(payload)
      guard try CloudLayout(reading: &reader) == layout else {
        throw DecodingFailure.invalid("a block of another layout than its section", offset: 0)
      }
      let lowest = try reader.read(UInt64.self)
      guard lowest == row.keys.lowerBound else {
        throw DecodingFailure.invalid("a block with another first identifier than its row", offset: reader.offset - 8)
      }
      for component in layout.components {
        let start = reader.offset
        let number = try reader.readByte()
        let length = Int(try reader.read(UInt32.self))
        guard number == component.rawValue else {
          throw DecodingFailure.invalid("components out of order", offset: start)
        }
        let end = reader.offset + length
        let elements = try BytePlanes.decode(count: row.count, width: layout.width(of: component), from: &reader)
        guard reader.offset == end else {
          throw DecodingFailure.invalid("a component of the wrong length", offset: start)
        }
        try target.append(elements, of: component, keys: row.keys, offset: start)
      }
      try reader.finish()
    } catch {
      throw WorldMapError(error, base: row.offset + BlockHead.size)
    }
  }
}
