/// Reads a `.worldmap` file part by part: the head lists the content, blocks are decoded on demand.
public struct WorldMapDecoder: Sendable {
  let file: [UInt8]
  let pointBlocks: BlockDirectory
  let layout: CloudLayout
  let container: Container
  let anchorBlocks: BlockDirectory
  /// How many camera views the cloud was built from; nil when that is not known.
  public let views: UInt32?

  /// Reads the head and the directories of `file` and compares their checksums.
  public init(_ file: [UInt8]) throws(WorldMapError) {
    try self.init(file, try Container(reading: file.span.bytes))
  }

  /// Reads the head and the directories of a file that is still arriving.
  ///
  /// Make another decoder when more of it is there: what costs time are the blocks, of which each is decoded once.
  ///
  /// - Parameter file: The first bytes of the file, ``arrivedBlockCount`` says how many blocks are among them.
  /// - Throws: ``WorldMapError/truncated(offset:)`` as long as the directories are not whole; ``map()``, ``anchors()`` and the
  ///   points of later blocks throw it too.
  public init(beginningOf file: [UInt8]) throws(WorldMapError) {
    try self.init(file, try Container(readingCut: file.span.bytes))
  }

  private init(_ file: [UInt8], _ container: Container) throws(WorldMapError) {
    let span = file.span.bytes
    self.container = container
    views = try Self.views(try container.section(.meta, in: span), in: span)
    if let anchors = try container.section(.anchors, in: span) {
      anchorBlocks = try BlockDirectory(
        reading: anchors, in: span, limit: Limits.anchors, blockLimit: AnchorSection.blockSize)
    } else {
      anchorBlocks = BlockDirectory(parameters: [], rows: [])
    }
    guard let points = try container.section(.points, in: span) else {
      throw .invalid("no section of points", offset: Container.headerSize)
    }
    pointBlocks = try BlockDirectory(
      reading: points, in: span, limit: Limits.points, blockLimit: PointsSection.blockSize)
    layout = try PointsSection.layout(pointBlocks, of: points)
    self.file = file
  }

  /// The number of blocks of points.
  public var blockCount: Int { pointBlocks.rows.count }

  /// How many of the first blocks of points are in the file as far as it is there.
  public var arrivedBlockCount: Int { pointBlocks.rows.prefix { $0.end <= file.count }.count }

  /// The number of points in all blocks.
  public var pointCount: Int { pointBlocks.count }

  /// The number of anchors.
  public var anchorCount: Int { anchorBlocks.count }

  /// The memory that ``map()`` fills (bytes), as the directories say it: points, anchors and unknown sections.
  ///
  /// A file of a few kilobytes may hold gigabytes of equal points: compare it with what there is before decoding the file
  /// of a stranger.
  package var memorySize: Int {
    let anchors = anchorBlocks.rows.reduce(0) { $0 + $1.storedLength + $1.count * MemoryLayout<Anchor>.stride }
    let unknown = container.sections.filter { !SectionCode.known.contains($0.entry.code) }
    return pointCount * layout.memoryPerPoint + anchors + surveySize
      + unknown.reduce(0) { $0 + $1.entry.storedLength }
  }

  /// Everything in the file.
  public func map() throws(WorldMapError) -> WorldMap {
    try map(reusing: FeatureCloud())
  }

  /// Everything in the file, the points in the memory of `cloud`.
  func map(reusing cloud: consuming FeatureCloud) throws(WorldMapError) -> WorldMap {
    try read(0..<blockCount, into: &cloud)
    return try map(of: cloud)
  }

  /// Everything in the file, with the points that were read before.
  func map(of cloud: FeatureCloud) throws(WorldMapError) -> WorldMap {
    var map = WorldMap(anchors: try anchors(), cloud: cloud, views: views)
    try addSurvey(to: &map)
    try visitUnknownSections { map.unknownSections.append(WorldMap.UnknownSection($0, in: file.span.bytes)) }
    return map
  }

  /// Compares the checksums of the sections that this version does not know, and visits each.
  func visitUnknownSections(_ body: ((entry: SectionEntry, offset: Int)) -> Void) throws(WorldMapError) {
    for section in container.sections where !SectionCode.known.contains(section.entry.code) {
      try container.verify(section, in: file.span.bytes)
      guard section.offset + section.entry.storedLength <= file.count else { throw .truncated(offset: file.count) }
      body(section)
    }
  }

  /// Where each block of points begins, and where the last one ends (bytes from the start of the file).
  package var cutPoints: [Int] {
    pointBlocks.rows.map(\.offset) + (pointBlocks.rows.last.map { [$0.end] } ?? [])
  }

  /// The lengths of the parts in which to send the file, each at most `limit` bytes.
  ///
  /// A block of points begins a part, so that a block that has not changed gives the same parts wherever it stands.
  package func chunkLengths(limit: Int) -> [Int] {
    precondition(limit > 0, "parts need a length")
    let cuts = [0] + cutPoints + [file.count]
    return zip(cuts, cuts.dropFirst()).flatMap { start, end in
      stride(from: start, to: end, by: limit).map { min(limit, end - $0) }
    }
  }

  /// The step of the grid of the positions (metres); zero when they are exact.
  public var step: Float { layout.step }

  /// All anchors, in the order of their ids.
  public func anchors() throws(WorldMapError) -> [Anchor] {
    var anchors: [Anchor] = []
    try visitAnchors { anchors += $0 }
    return anchors
  }

  /// Visits all anchors, block by block, in the order of their ids.
  package func visitAnchors(_ body: ([Anchor]) -> Void) throws(WorldMapError) {
    let span = file.span.bytes
    var last: AnchorID?
    for (index, row) in anchorBlocks.rows.enumerated() {
      let payload = try anchorBlocks.payload(index, in: span, section: .anchors)
      let base = row.offset + BlockHead.size
      let anchors = try AnchorSection.decode(payload: payload, count: row.count, base: base)
      if let last, let next = anchors.first, last >= next.id { throw .invalid("anchors out of order", offset: base) }
      last = anchors.last?.id ?? last
      body(anchors)
    }
  }

  /// Reads the section of what holds for the whole map: the number of views.
  static func views(
    _ section: (entry: SectionEntry, offset: Int)?, in file: RawSpan
  ) throws(WorldMapError) -> UInt32? {
    guard let (entry, offset) = section else { return nil }
    guard entry.codec == SectionCodec.plain, entry.coveredLength == 4, entry.storedLength == 4 else {
      throw .invalid("a META section is 4 bytes", offset: offset)
    }
    return file.integer(UInt32.self, at: offset)
  }
}
