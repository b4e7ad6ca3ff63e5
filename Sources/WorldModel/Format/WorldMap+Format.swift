extension WorldMap {
  /// The bytes of a `.worldmap` file; equal maps and options give equal bytes on every machine.
  ///
  /// Anchors are written in the order of their ids, points in the order of their identifiers.
  ///
  /// - Throws: ``WorldMapError/model(_:)`` when the map breaks a rule of the model,
  ///   ``WorldMapError/invalidOption(_:)`` when the options do not fit it.
  public func encoded(_ options: EncodingOptions = .lossless) throws(WorldMapError) -> [UInt8] {
    let encoder = try WorldMapEncoder(self, options)
    return encoder.file((0..<encoder.blockCount).map { encoder.block($0) })
  }

  /// Reads a `.worldmap` file.
  ///
  /// - Parameter file: The whole file. Every checksum is compared, and nothing is believed that does not fit.
  /// - Throws: ``WorldMapError`` with the offset of the fault.
  public init(decoding file: [UInt8]) throws(WorldMapError) {
    let decoder = try WorldMapDecoder(file)
    self = try decoder.map()
  }
}

/// Encodes a map block by block, so that the blocks can be done one after the other or on several threads.
public struct WorldMapEncoder: Sendable {
  private let map: WorldMap
  private let cloud: FeatureCloud
  private let layout: CloudLayout
  private let effort: EncodingOptions.Effort
  private let ranges: [Range<Int>]

  /// Checks the map and brings its points into order.
  public init(_ map: WorldMap, _ options: EncodingOptions = .lossless) throws(WorldMapError) {
    do throws(ModelError) {
      try map.validate()
      cloud = try map.cloud.sorted()
    } catch {
      throw .model(error)
    }
    self.map = map
    effort = options.effort
    layout = CloudLayout(cloud, step: try options.step())
    ranges = PointsSection.blocks(of: cloud)
  }

  /// The number of blocks of points.
  public var blockCount: Int { ranges.count }

  /// A finished block of points.
  public struct Block: Sendable {
    let encoded: EncodedBlock
    /// The length in the file (bytes).
    public var storedLength: Int { encoded.bytes.count }
  }

  /// Encodes the block at `index`, which takes no notice of the others.
  public func block(_ index: Int) -> Block {
    Block(encoded: PointBlockEncoder.encode(ranges[index], of: cloud, layout: layout, effort: effort))
  }

  /// Puts all blocks, in order, and everything else into a file.
  public func file(_ blocks: [Block]) -> [UInt8] {
    precondition(blocks.count == blockCount, "a file needs every block once")
    var meta = ByteWriter()
    meta.write(UInt32(map.views == nil ? 0 : 1))
    meta.write(map.views ?? 0)
    let unknown = map.unknownSections.sorted { $0.code < $1.code }
    return Container.assemble(
      [
        SectionBody(code: .meta, codec: SectionCodec.plain, rawLength: 8, covered: meta.bytes),
        AnchorSection.encode(map.anchors),
        PointsSection.assemble(blocks.map(\.encoded), layout: layout),
      ] + unknown.map(\.body))
  }
}

extension WorldMap.UnknownSection {
  fileprivate var body: SectionBody {
    SectionBody(
      code: SectionCode(rawValue: code), codec: codec, rawLength: rawLength, covered: Array(bytes[..<coveredLength]),
      parts: [Array(bytes[coveredLength...])])
  }

  init(_ section: (entry: SectionEntry, offset: Int), in file: RawSpan) {
    code = section.entry.code.rawValue
    codec = section.entry.codec
    rawLength = section.entry.rawLength
    coveredLength = section.entry.coveredLength
    bytes = file.extracting(section.offset..<(section.offset + section.entry.storedLength)).copied
  }
}
