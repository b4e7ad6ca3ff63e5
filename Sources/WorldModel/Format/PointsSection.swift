import Basics

/// The section of the feature points: sorted by identifier, in blocks that can each be decoded alone.
enum PointsSection {
  /// The most points of a block.
  static let blockSize = 64 * 1024

  /// The section of the blocks with these rows, whose bytes are written elsewhere.
  static func body(_ rows: [BlockDirectory.Row], layout: CloudLayout) -> SectionBody {
    var parameters = ByteWriter()
    layout.write(to: &parameters)
    let directory = BlockDirectory(parameters: parameters.bytes, rows: rows)
    return SectionBody(
      code: .points, codec: SectionCodec.blocks, rawLength: UInt64(directory.count * layout.bytesPerPoint),
      covered: directory.encoded(), blockLength: rows.reduce(0) { $0 + $1.storedLength })
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
}
