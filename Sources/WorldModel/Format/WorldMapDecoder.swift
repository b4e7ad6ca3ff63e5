/// Reads a `.worldmap` file part by part: what it holds is known after the head, blocks are decoded on demand.
public struct WorldMapDecoder: Sendable {
  private let file: [UInt8]
  private let container: Container
  private let anchorBlocks: BlockDirectory
  private let pointBlocks: BlockDirectory
  private let layout: CloudLayout
  /// How many camera views the cloud was built from; nil when that is not known.
  public let views: UInt32?

  /// Reads the head and the directories of `file` and compares their checksums.
  public init(_ file: [UInt8]) throws(WorldMapError) {
    let span = file.span.bytes
    container = try Container(reading: span)
    views = try Self.views(try container.required(.meta, in: span), in: span)
    let anchors = try container.required(.anchors, in: span)
    anchorBlocks = try BlockDirectory(
      reading: anchors, in: span, limit: Limits.anchors, blockLimit: AnchorSection.blockSize)
    let points = try container.required(.points, in: span)
    pointBlocks = try BlockDirectory(
      reading: points, in: span, limit: Limits.points, blockLimit: PointsSection.blockSize)
    layout = try PointsSection.layout(pointBlocks, of: points)
    self.file = file
  }

  /// The number of blocks of points.
  public var blockCount: Int { pointBlocks.rows.count }

  /// The number of points in all blocks.
  public var pointCount: Int { pointBlocks.count }

  /// The number of anchors.
  public var anchorCount: Int { anchorBlocks.count }

  /// Everything in the file.
  public func map() throws(WorldMapError) -> WorldMap {
    var builder = CloudBuilder(layout: layout, capacity: pointBlocks.count)
    for index in pointBlocks.rows.indices { try decode(index, to: &builder) }
    var map = WorldMap(anchors: try anchors(), cloud: builder.cloud, views: views)
    let span = file.span.bytes
    for section in container.sections where !SectionCode.known.contains(section.entry.code) {
      try container.verify(section, in: span)
      map.unknownSections.append(WorldMap.UnknownSection(section, in: span))
    }
    return map
  }

  /// The points of the block at `index`.
  public func points(ofBlock index: Int) throws(WorldMapError) -> FeatureCloud {
    var builder = CloudBuilder(layout: layout, capacity: pointBlocks.rows[index].count)
    try decode(index, to: &builder)
    return builder.cloud
  }

  /// All anchors, in the order of their ids.
  public func anchors() throws(WorldMapError) -> [Anchor] {
    let span = file.span.bytes
    var anchors: [Anchor] = []
    for (index, row) in anchorBlocks.rows.enumerated() {
      let payload = try anchorBlocks.payload(index, in: span, section: .anchors)
      let base = row.offset + BlockHead.size
      let more = try AnchorSection.decode(payload: payload, count: row.count, base: base)
      if let last = anchors.last, let next = more.first, last.id >= next.id {
        throw .invalid("anchors out of order", offset: base)
      }
      anchors += more
    }
    return anchors
  }

  private func decode(_ index: Int, to builder: inout CloudBuilder) throws(WorldMapError) {
    let payload = try pointBlocks.payload(index, in: file.span.bytes, section: .points)
    try PointsSection.decode(payload: payload, row: pointBlocks.rows[index], layout: layout, to: &builder)
  }

  /// Reads the section of what holds for the whole map: flags, then the number of views.
  private static func views(
    _ section: (entry: SectionEntry, offset: Int), in file: RawSpan
  ) throws(WorldMapError) -> UInt32? {
    let (entry, offset) = section
    guard entry.codec == SectionCodec.plain, entry.coveredLength == 8, entry.storedLength == 8 else {
      throw .invalid("a META section is 8 bytes", offset: offset)
    }
    let flags = file.integer(UInt32.self, at: offset)
    let views = file.integer(UInt32.self, at: offset + 4)
    guard flags <= 1, flags == 1 || views == 0 else { throw .invalid("unknown flags", offset: offset) }
    return flags == 1 ? views : nil
  }
}

extension Container {
  fileprivate func required(
    _ code: SectionCode, in file: RawSpan
  ) throws(WorldMapError) -> (entry: SectionEntry, offset: Int) {
    guard let found = try section(code, in: file) else {
      throw .invalid("no \(code.name) section", offset: Self.headerSize)
    }
    return found
  }
}
