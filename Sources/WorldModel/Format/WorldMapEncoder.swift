import Basics

/// Encodes a map in parts, so that they can be done one after the other or on several threads.
public struct WorldMapEncoder: Sendable {
  /// Consecutive finished blocks of points.
  public struct Part: Sendable {
    var rows: [BlockDirectory.Row] = []
    var bytes: [UInt8] = []

    mutating func append(_ block: PointBlockEncoder.Block) {
      rows.append(block.row)
      bytes.append(contentsOf: block.bytes)
    }
  }

  private let cloud: FeatureCloud
  private let layout: CloudLayout
  private let options: EncodingOptions
  private let plan: BlockPlan
  /// The sections before the points.
  private let sections: [SectionBody]
  private let unknownSections: [WorldMap.UnknownSection]

  /// Checks the map and plans its blocks.
  ///
  /// - Throws: ``WorldMapError/model(_:)`` or ``WorldMapError/invalidOption(_:)``.
  public init(_ map: WorldMap, _ options: EncodingOptions = .lossless) throws(WorldMapError) {
    do throws(ModelError) {
      try map.validateButPositions()
      cloud = map.cloud
      plan = try BlockPlan(cloud, options.arrangement)
    } catch {
      throw .model(error)
    }
    self.options = options
    layout = CloudLayout(cloud, step: try options.step())
    sections = try Self.sections(of: map)
    unknownSections = map.unknownSections.sorted { $0.code < $1.code }
  }

  /// The sections before the points.
  private static func sections(of map: WorldMap) throws(WorldMapError) -> [SectionBody] {
    var sections: [SectionBody] = []
    if let views = map.views { sections.append(.meta(views: views)) }
    if let provider = map.provider { sections.append(ProviderSection.encode(provider)) }
    if !map.anchors.isEmpty { sections.append(AnchorSection.encode(map.anchors)) }
    if !map.keyframes.isEmpty { sections.append(SurveySections.encode(map.keyframes)) }
    do throws(ModelError) {
      if let evidence = try SurveySections.encodeEvidence(of: map.cloud) { sections.append(evidence) }
    } catch {
      throw .model(error)
    }
    return sections
  }

  /// The number of blocks of points.
  public var blockCount: Int { plan.blocks.count }

  /// Encodes consecutive blocks, which takes no notice of the others.
  ///
  /// - Parameters:
  ///   - blocks: Which blocks.
  ///   - memory: An array whose memory is used again; its bytes do not matter.
  /// - Throws: ``WorldMapError/model(_:)`` when a coordinate is not finite.
  public func part(_ blocks: Range<Int>, reusing memory: consuming [UInt8] = []) throws(WorldMapError) -> Part {
    var part = emptyPart(of: blocks, reusing: memory)
    var encoder = blockEncoder()
    for index in blocks { part.append(try encode(index, with: &encoder)) }
    return part
  }

  /// A part without blocks that has room for these.
  ///
  /// The first part begins with room for what stands before the blocks, and has room for those of the other parts.
  func emptyPart(of blocks: Range<Int>, reusing memory: consuming [UInt8] = []) -> Part {
    let isFirst = blocks.lowerBound == 0
    let room = isFirst ? prefixLength : 0
    let points = isFirst ? cloud.count : plan.blocks[blocks].reduce(0) { $0 + $1.count }
    memory.removeAll(keepingCapacity: true)
    // Room for what nothing makes smaller: memory that is not written to costs nothing, growing takes twice the room.
    memory.reserveCapacity(room + points * layout.bytesPerPoint + blocks.count * 1024)
    memory.append(contentsOf: repeatElement(0, count: room))
    return Part(bytes: memory)
  }

  /// An encoder of this map's blocks, one at a time.
  func blockEncoder() -> PointBlockEncoder {
    PointBlockEncoder(cloud, layout: layout, options, largest: plan.blocks.reduce(0) { max($0, $1.count) })
  }

  /// Encodes one block, which is valid until the next one is encoded.
  ///
  /// - Throws: ``WorldMapError/model(_:)`` when a coordinate is not finite.
  func encode(
    _ index: Int, with encoder: inout PointBlockEncoder
  ) throws(WorldMapError) -> PointBlockEncoder.Block {
    let range = plan.blocks[index]
    do throws(ModelError) {
      guard plan.order != nil else { return try encoder.encode(range) }
      // Points that stand apart in the cloud are copied for their block: never all of the cloud at once, nor two blocks.
      encoder.cloud = FeatureCloud()
      encoder.cloud = cloud.selecting(plan.indices(range))
      return try encoder.encode(0..<range.count)
    } catch {
      throw .model(error)
    }
  }

  /// Puts all parts, in order, and everything else into a file.
  ///
  /// - Throws: ``WorldMapError/model(_:)`` when it would be larger than ``Limits/map``: no decoder would accept it.
  public func file(_ parts: consuming [Part]) throws(WorldMapError) -> [UInt8] {
    try file(parts, limit: Limits.map)
  }

  /// The same with another limit (bytes).
  func file(_ parts: consuming [Part], limit: Int) throws(WorldMapError) -> [UInt8] {
    let rows = parts.flatMap(\.rows)
    precondition(rows.count == blockCount, "a file needs every block once")
    let parityLength = hasParity ? rows.reduce(0) { $0 + ParitySection.length(of: $1.storedLength) } : 0
    let pieces = rows.map(\.storedLength) + unknownSections.map(\.bytes.count) + [parityLength]
    let length = pieces.reduce(prefixLength, +)
    guard length <= limit else { throw .model(.overLimit(field: "the encoded map", limit: limit)) }
    parts.reverse()
    var file = parts.popLast()?.bytes ?? [UInt8](repeating: 0, count: prefixLength)
    // Each part is given up before the next is copied.
    while let part = parts.popLast() { file += part.bytes }
    let parity = hasParity ? [ParitySection.body(of: rows, in: file, from: prefixLength)] : []
    for section in parity { file += section.covered }
    for section in unknownSections { file += section.bytes }
    let before = sections + [PointsSection.body(rows, layout: layout)]
    var prefix = Container.head(of: before + parity + unknownSections.map(\.body))
    for section in before { prefix += section.covered + section.rest }
    precondition(prefix.count == prefixLength, "the room before the blocks was misjudged")
    file.withUnsafeMutableBytes { $0.copyBytes(from: prefix) }
    return file
  }

  /// Whether a parity follows the points; one section more than a file may have is left out.
  private var hasParity: Bool {
    options.hasParity && blockCount > 0 && sections.count + 1 + unknownSections.count < Container.sectionLimit
  }

  /// The bytes before the first block of points.
  private var prefixLength: Int {
    var parameters = ByteWriter()
    layout.write(to: &parameters)
    let count = sections.count + 1 + (hasParity ? 1 : 0) + unknownSections.count
    let table = Container.headerSize + SectionEntry.size * count
    let directory = 8 + parameters.count + BlockDirectory.rowSize * blockCount
    return sections.reduce(table + directory) { $0 + $1.entry.storedLength }
  }
}

extension SectionBody {
  /// The section of what holds for the whole map.
  fileprivate static func meta(views: UInt32) -> SectionBody {
    var writer = ByteWriter()
    writer.write(views)
    return SectionBody(code: .meta, codec: SectionCodec.plain, rawLength: 4, covered: writer.bytes)
  }
}

extension WorldMap.UnknownSection {
  fileprivate var body: SectionBody {
    SectionBody(
      code: SectionCode(rawValue: code), codec: codec, rawLength: rawLength, covered: Array(bytes[..<coveredLength]),
      rest: Array(bytes[coveredLength...]))
  }

  init(_ section: (entry: SectionEntry, offset: Int), in file: RawSpan) {
    code = section.entry.code.rawValue
    codec = section.entry.codec
    rawLength = section.entry.rawLength
    coveredLength = section.entry.coveredLength
    bytes = file.extracting(section.offset..<(section.offset + section.entry.storedLength)).copied
  }
}
