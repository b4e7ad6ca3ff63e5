/// The section of the feature points: sorted by identifier, in blocks that can each be decoded alone.
enum PointsSection {
  /// The most points of a block.
  static let blockSize = 64 * 1024
  /// The fewest points of a block, but for the last.
  private static let smallestBlock = 32 * 1024

  /// The ranges of points that become blocks.
  ///
  /// A block ends before the point, among those that may come next, whose identifier times an odd constant is the
  /// smallest. So the cuts move with the points: when some are added or removed, the blocks before and, a few blocks
  /// on, those behind stay the same to the byte.
  static func blocks(of cloud: FeatureCloud) -> [Range<Int>] {
    cloud.identifiers.withUnsafeBufferPointer { identifiers in
      var blocks: [Range<Int>] = []
      var start = 0
      while identifiers.count - start > blockSize {
        var end = start + smallestBlock
        var least = UInt64.max
        for index in (start + smallestBlock)...(start + blockSize) {
          let hash = identifiers[index] &* 0x9E37_79B9_7F4A_7C15
          if hash < least { (least, end) = (hash, index) }
        }
        blocks.append(start..<end)
        start = end
      }
      if start < identifiers.count { blocks.append(start..<identifiers.count) }
      return blocks
    }
  }

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
