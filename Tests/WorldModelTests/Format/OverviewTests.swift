import Basics
import Testing

@testable import WorldModel

/// What is told of a file without unpacking it.
@Suite struct OverviewTests {
  /// A file of blocks that are as they are given, and of another section.
  private static func file(of blocks: [FeatureCloud], _ other: SectionBody? = nil) throws -> [UInt8] {
    var (rows, bytes): ([BlockDirectory.Row], [UInt8]) = ([], [])
    for block in blocks {
      let part = try WorldMapEncoder(WorldMap(cloud: block)).part(0..<1)
      rows += part.rows
      bytes += part.bytes.suffix(part.rows[0].storedLength)
    }
    let body = PointsSection.body(rows, layout: CloudLayout(blocks[0], step: 0))
    let sections = [other, body].compactMap(\.self)
    return Container.head(of: sections) + sections.flatMap(\.covered) + bytes
  }

  private static func cloud(_ identifiers: [UInt64]) -> FeatureCloud {
    FeatureCloud(positions: identifiers.map { [Float($0), 1, -2] }, identifiers: identifiers)
  }

  /// What a call throws; nil when it does not.
  private static func failure(_ body: () throws(WorldMapError) -> Void) -> WorldMapError? {
    do throws(WorldMapError) { try body() } catch { return error }
    return nil
  }

  @Test(arguments: [EncodingOptions.Arrangement.byIdentifier, .inSpace])
  func `it says what the unpacked map says`(arrangement: EncodingOptions.Arrangement) throws {
    // With more than 65,536 points the outliers are told by some of them, and which these are depends on their order.
    let large = WorldMap(cloud: Samples.cloud(66_000), views: 5)
    var full = WorldMapFormatTests.full
    full.provider = PeerID(SHA256Digest(words: [1, 2, 3, 4]))
    for (map, room) in [(large, 40_000), (full, 8), (full, KeyTally.room), (Samples.survey, 4), (WorldMap(), 4)] {
      let decoder = try WorldMapDecoder(map.encoded(EncodingOptions(effort: .fast, arrangement: arrangement)))
      if map.cloud.count > 65_536 { #expect(decoder.isInOrder(0..<decoder.blockCount) == (arrangement != .inSpace)) }
      var anchors: [Anchor] = []
      let overview = try decoder.overview(room: room) { anchors += $0 }
      #expect(overview == MapOverview(map))
      #expect(anchors == map.anchors && overview.anchors == anchors.count)
      #expect(overview.points == map.cloud.count && overview.bounds == map.bounds)
      #expect(overview.boundsWithoutOutliers == BoundingBox(ignoringOutliersOf: map.cloud.positions))
      #expect(overview.mapping == MappingEvidence(map.cloud, views: map.views))
      #expect(overview.provider == map.provider && overview.keyframes == map.keyframes)
      let rows = map.cloud.channels.evidence ?? []
      #expect(overview.evidence.residuals == rows.compactMap(\.residual).sorted())
      #expect(overview.evidence.depthDeviations == rows.compactMap(\.depthDeviation).sorted())
      #expect(overview.evidence.sightings == rows.reduce(0) { $0 + Int($1.sightings) })
      try decoder.checkWhole(room: room)
    }
  }

  @Test(arguments: [4, KeyTally.room])
  func `the evidence of points that are gone does not count`(room: Int) throws {
    var before = Self.cloud(Array(0..<90))
    before.channels.evidence = before.indices.map { FeatureEvidence(sightings: 1, residual: Float($0)) }
    let evidence = try SurveySections.encodeEvidence(of: before)
    // Every third is gone, the others lie in two blocks, and one is new.
    let blocks = [1, 2].map { rest in Self.cloud((0..<90).filter { $0 % 3 == rest } + [UInt64(1_000 + rest)]) }
    let file = try Self.file(of: blocks, evidence)
    let overview = try WorldMapDecoder(file).overview(room: room)
    #expect(overview.evidence.sightings == 60 && overview.channels.evidence != nil)
    #expect(overview.evidence.residuals == (0..<90).filter { $0 % 3 != 0 }.map { Float($0) })
    #expect(try overview == MapOverview(WorldMap(decoding: file)))
  }

  @Test(arguments: [4, 40, KeyTally.room])
  func `an identifier in two blocks is found, the lowest of several`(room: Int) throws {
    let odd = (0..<60).map { UInt64($0 * 2 + 1) }
    let cases: [([UInt64], UInt64?)] = [
      ((0..<60).map { UInt64($0 * 2) }, nil), ([2, 4, 37, 90, 111], 37), ([1], 1), ([119], 119),
    ]
    for (second, twin) in cases {
      let blocks = [Self.cloud(odd), Self.cloud(second), Self.cloud([1_000, 1_001])]
      let decoder = try WorldMapDecoder(Self.file(of: blocks))
      let expected = Self.failure { () throws(WorldMapError) in _ = try decoder.map() }
      #expect(expected == twin.map { decoder.failure(.duplicatePoint($0), of: 0..<3) })
      #expect(Self.failure { () throws(WorldMapError) in try decoder.checkWhole(room: room) } == expected)
      #expect(Self.failure { () throws(WorldMapError) in _ = try decoder.overview(room: room) } == expected)
    }
  }

  @Test func `damage of a block counts before the order of all`() throws {
    var file = try Self.file(of: [Self.cloud(Array(0..<100)), Self.cloud([9]), Self.cloud([500, 501])])
    file[file.count - 1] ^= 1
    let decoder = try WorldMapDecoder(file)
    let expected = Self.failure { () throws(WorldMapError) in _ = try decoder.map() }
    #expect(expected?.description.hasPrefix("block 2 of section PNTS") == true)
    #expect(Self.failure { () throws(WorldMapError) in _ = try decoder.overview(room: 8) } == expected)
  }

  @Test func `it refuses what the whole map is refused for, in the same words`() throws {
    var map = WorldMapFormatTests.full
    (map.keyframes, map.provider) = (Samples.survey.keyframes, PeerID(SHA256Digest(words: [1, 2, 3, 4])))
    map.cloud.channels.evidence = map.cloud.indices.map { FeatureEvidence(sightings: UInt32($0)) }
    map.unknownSections = [.init(code: 0x5A59_5857, codec: 0, rawLength: 9, coveredLength: 9, bytes: Array(1...9))]
    let file = try map.encoded(EncodingOptions(effort: .fast, hasParity: true))
    let sections = try Container(reading: file.span.bytes).sections
    #expect(sections.count == 8)
    // In each section: its beginning, where what it covers ends, and its end.
    let places = sections.flatMap { entry, offset in
      [offset, offset + entry.coveredLength - 1, offset + entry.storedLength - 1]
    }
    for place in places {
      var damaged = file
      damaged[place] ^= 1
      guard let decoder = try? WorldMapDecoder(damaged) else { continue }
      let expected = Self.failure { () throws(WorldMapError) in _ = try decoder.map() }
      #expect(expected != nil)
      #expect(Self.failure { () throws(WorldMapError) in _ = try decoder.overview() } == expected)
      // What `worldmap verify` does: each block, the anchors, and the rest.
      let parts = Self.failure { () throws(WorldMapError) in
        for block in 0..<decoder.blockCount { _ = try decoder.points(ofBlock: block) }
        try decoder.visitAnchors { _ in }
        try decoder.checkWhole()
      }
      #expect(parts == expected)
    }
  }

  @Test func `rows of evidence out of order, and anchors, are found though nothing is kept of them`() throws {
    var map = WorldMap(cloud: Samples.cloud(12))
    let body = try #require(try SurveySections.encodeEvidence(of: Samples.survey.cloud))
    var bytes = body.covered
    bytes.replaceSubrange(4..<40, with: body.covered[40..<76])
    map.unknownSections = [
      .init(
        code: body.code.rawValue, codec: body.codec, rawLength: body.rawLength, coveredLength: bytes.count, bytes: bytes
      )
    ]
    let decoder = try WorldMapDecoder(map.encoded())
    let expected = Self.failure { () throws(WorldMapError) in _ = try decoder.map() }
    #expect(expected?.description.hasPrefix("evidence out of order") == true)
    #expect(Self.failure { () throws(WorldMapError) in try decoder.checkWhole() } == expected)
    #expect(Self.failure { () throws(WorldMapError) in _ = try decoder.overview() } == expected)
    // Two blocks of anchors of which the second is the first once more.
    let anchors = AnchorSection.encode(Samples.anchors)
    var rows = try WorldMapDecoder(WorldMap(anchors: Samples.anchors).encoded()).anchorBlocks.rows
    rows += rows
    let twice = SectionBody(
      code: .anchors, codec: SectionCodec.blocks, rawLength: 2 * anchors.rawLength,
      covered: BlockDirectory(parameters: [], rows: rows).encoded(), rest: anchors.rest + anchors.rest)
    let points = PointsSection.body([], layout: CloudLayout(FeatureCloud(), step: 0))
    let again = try WorldMapDecoder(
      Container.head(of: [twice, points]) + twice.covered + twice.rest + points.covered)
    let refused = Self.failure { () throws(WorldMapError) in _ = try again.map() }
    #expect(refused?.description.hasPrefix("anchors out of order") == true)
    #expect(Self.failure { () throws(WorldMapError) in _ = try again.overview() } == refused)
    #expect(Self.failure { () throws(WorldMapError) in try again.visitAnchors { _ in } } == refused)
  }
}
