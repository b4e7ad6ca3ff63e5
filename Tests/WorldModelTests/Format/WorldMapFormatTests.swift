import Basics
import Testing

@testable import WorldModel

@Suite("World map format")
struct WorldMapFormatTests {
  /// A small map with every kind of anchor and every channel, points already in order.
  static let full: WorldMap = {
    var map = WorldMap(anchors: Samples.anchors, cloud: Samples.cloud(60, channels: true), views: 12)
    map.anchors.sort { $0.id < $1.id }
    return map
  }()

  @Test(arguments: [0, 1, 2, 1000, 65_536, 65_537])
  func mapsOfAllSizesSurvive(count: Int) throws {
    let map = WorldMap(cloud: Samples.cloud(count))
    for effort in [EncodingOptions.Effort.fast, .compact] {
      let isSame = try WorldMap(decoding: map.encoded(EncodingOptions(effort: effort))) == map
      #expect(isSame)
    }
  }

  @Test func everythingSurvives() throws {
    #expect(try WorldMap(decoding: Self.full.encoded()) == Self.full)
    #expect(try WorldMap(decoding: Self.full.encoded(.fast)) == Self.full)
  }

  @Test func orderDoesNotReachTheBytes() throws {
    var shuffled = Self.full
    shuffled.anchors.reverse()
    shuffled.cloud = shuffled.cloud.selecting(Array(shuffled.cloud.indices.reversed()))
    #expect(try shuffled.encoded() == Self.full.encoded())
  }

  @Test func positionsAreKeptBitForBit() throws {
    let positions: [SIMD3<Float>] = [
      [-0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude], [1e-30, -1e30, 0.1],
    ]
    let map = WorldMap(cloud: FeatureCloud(positions: positions, identifiers: [0, .max]))
    let decoded = try WorldMap(decoding: map.encoded())
    #expect(
      decoded.cloud.positions.map { [$0.x.bitPattern, $0.y.bitPattern, $0.z.bitPattern] }
        == positions.map { [$0.x.bitPattern, $0.y.bitPattern, $0.z.bitPattern] })
    #expect(decoded.cloud.identifiers == [0, .max])
  }

  @Test func unknownSectionsAreKeptAndWrittenBack() throws {
    var map = Self.full
    map.unknownSections = [
      .init(code: 0x5A59_5857, codec: 9, rawLength: 77, coveredLength: 2, bytes: [1, 2, 3, 4, 5])
    ]
    let file = try map.encoded()
    let decoded = try WorldMap(decoding: file)
    #expect(decoded == map)
    #expect(try decoded.encoded() == file)
  }

  @Test func blocksCanBeEncodedInAnyOrderAndReadAlone() throws {
    let map = WorldMap(cloud: Samples.cloud(70_000))
    let encoder = try WorldMapEncoder(map)
    #expect(encoder.blockCount == 2)
    let second = try encoder.part(1..<2)
    let file = try encoder.file([encoder.part(0..<1), second])
    let isSame = try file == map.encoded()
    #expect(isSame)
    let decoder = try WorldMapDecoder(file)
    #expect(decoder.pointCount == 70_000)
    let points = try decoder.points(ofBlock: 1)
    let isTail = points.identifiers.elementsEqual(map.cloud.identifiers.suffix(points.count))
    #expect(isTail && points.count < 65_536)
    #expect(decoder.cutPoints.last == file.count)
  }

  @Test func errorsSayWhatAndWhere() throws {
    var file = try Self.full.encoded()
    #expect(throws: WorldMapError.notAWorldMap) { try WorldMap(decoding: Array("ply\nformat ascii 1.0".utf8)) }
    #expect(throws: WorldMapError.invalid("bytes follow the end of the map", offset: file.count)) {
      try WorldMap(decoding: file + [0])
    }
    file[file.count - 1] ^= 1
    let error = #expect(throws: WorldMapError.self) { try WorldMap(decoding: file) }
    guard case .damaged("block 0 of section PNTS", let offset) = error else {
      Issue.record("unexpected error \(String(describing: error))")
      return
    }
    #expect(offset > 0 && offset < file.count)
    var later = file
    later[8] = 2
    #expect(throws: WorldMapError.unsupportedVersion(found: 2, supported: 1, offset: 8)) {
      try WorldMap(decoding: later)
    }
  }

  @Test func mapsThatBreakTheModelAreNotWritten() {
    let twin = Samples.anchors[0]
    #expect(throws: WorldMapError.model(.duplicateAnchor(twin.id))) { try WorldMap(anchors: [twin, twin]).encoded() }
    let cloud = FeatureCloud(positions: [.zero, .zero], identifiers: [3, 3])
    #expect(throws: WorldMapError.model(.duplicatePoint(3))) { try WorldMap(cloud: cloud).encoded() }
  }

  @Test func mapsThatNobodyCouldReadAreNotWritten() throws {
    let section = WorldMap.UnknownSection(code: 0x5A59_5857, codec: 0, rawLength: 1, coveredLength: 1, bytes: [1])
    // Beside the points, and the anchors and views of the first.
    for (known, room) in [(Self.full, 61), (WorldMap(), 63)] {
      var map = known
      map.unknownSections = .init(repeating: section, count: room)
      #expect(try WorldMap(decoding: map.encoded()) == map)
      map.unknownSections.append(section)
      #expect(throws: WorldMapError.model(.overLimit(field: "sections", limit: 64))) { try map.encoded() }
    }
    let encoder = try WorldMapEncoder(Self.full)
    let length = try encoder.file([encoder.part(0..<1)]).count
    #expect(try encoder.file([encoder.part(0..<1)], limit: length).count == length)
    #expect(throws: WorldMapError.model(.overLimit(field: "the encoded map", limit: length - 1))) {
      try encoder.file([encoder.part(0..<1)], limit: length - 1)
    }
    #expect(throws: ModelError.overLimit(field: "cloud", limit: Limits.cloud)) {
      try FeatureCloud.validate(count: Limits.cloud / 532 + 1, bytesPerPoint: 532)
    }
    try FeatureCloud.validate(count: Limits.cloud / 532, bytesPerPoint: 532)
  }

  @Test func encodingAgainUsesTheSameMemory() throws {
    let map = WorldMap(cloud: Samples.cloud(500))
    var file = [UInt8](repeating: 7, count: 20_000)
    try map.encode(.fast, into: &file)
    #expect(try file == map.encoded(.fast))
    #expect(file.capacity >= 20_000)
  }

  @Test func decodingAgainUsesTheSameMemory() throws {
    let large = WorldMap(cloud: Samples.cloud(900))
    let small = WorldMap(anchors: Samples.anchors.sorted { $0.id < $1.id }, cloud: Samples.cloud(100, channels: true))
    var map = WorldMap()
    for next in [large, small, large, WorldMap(), small] {
      try map.decode(next.encoded(.fast))
      let isSame = map == next
      #expect(isSame)
    }
    #expect(throws: WorldMapError.notAWorldMap) { try map.decode([1, 2, 3]) }
    #expect(map == WorldMap())
  }

  @Test func partialReadTouchesOnlyBlocksThatMeetTheBox() throws {
    let map = WorldMap(cloud: Samples.cloud(70_000))
    var file = try map.encoded()
    let box = BoundingBox(minimum: [1, 0, 1], maximum: [1.5, 1, 1.5])
    let expected = map.cropped(to: box).cloud
    #expect(!expected.isEmpty)
    let isSame = try WorldMapDecoder(file).points(in: box) == expected
    #expect(isSame)
    let far = BoundingBox(minimum: [50, 50, 50], maximum: [60, 60, 60])
    file[file.count - 1] ^= 1
    #expect(try WorldMapDecoder(file).points(in: far).isEmpty)
    #expect(throws: WorldMapError.self) { try WorldMapDecoder(file).points(in: box) }
  }

  @Test func blocksAreReadWhileTheFileArrives() throws {
    var map = WorldMap(anchors: Self.full.anchors, cloud: Samples.cloud(70_000), views: 12)
    map.unknownSections = [.init(code: 0x5A59_5857, codec: 0, rawLength: 2, coveredLength: 1, bytes: [1, 2])]
    let file = try map.encoded(EncodingOptions(effort: .fast, arrangement: .inSpace))
    let whole = try WorldMapDecoder(file)
    #expect(whole.blockCount > 3 && whole.arrivedBlockCount == whole.blockCount)
    #expect(throws: WorldMapError.truncated(offset: whole.cutPoints[0] - 1)) {
      try WorldMapDecoder(beginningOf: Array(file[..<(whole.cutPoints[0] - 1)]))
    }
    for (arrived, cut) in whole.cutPoints.enumerated() {
      let part = try WorldMapDecoder(beginningOf: Array(file[..<cut]))
      #expect(part.arrivedBlockCount == arrived && part.pointCount == 70_000 && part.views == 12)
      #expect(try part.anchors() == map.anchors)
      let isSame = try part.points(ofBlocks: 0..<arrived) == whole.points(ofBlocks: 0..<arrived)
      #expect(isSame)
      #expect(throws: WorldMapError.truncated(offset: cut)) { try part.map() }
      guard arrived < whole.blockCount else { continue }
      #expect(throws: WorldMapError.truncated(offset: cut)) { try part.points(ofBlock: arrived) }
      let early = try WorldMapDecoder(beginningOf: Array(file[..<(whole.cutPoints[arrived + 1] - 1)]))
      #expect(early.arrivedBlockCount == arrived)
    }
    #expect(throws: WorldMapError.truncated(offset: file.count - 1)) {
      try WorldMapDecoder(beginningOf: Array(file.dropLast())).map()
    }
    let isSame = try WorldMapDecoder(beginningOf: file).map() == map
    #expect(isSame)
  }

  @Test func salvageKeepsWholeBlocks() throws {
    var map = WorldMap(anchors: Samples.anchors.sorted { $0.id < $1.id }, cloud: Samples.cloud(70_000))
    let file = try map.encoded(.fast)
    let blocks = try WorldMapDecoder(file).cutPoints
    let second = try WorldMapDecoder(file).points(ofBlock: 1)
    #expect(WorldMap.salvage(file).faults.isEmpty)
    // A flipped bit in the first block of points, and the section table lost.
    var damaged = file
    damaged[blocks[0] + 1000] ^= 4
    damaged[40] ^= 1
    let salvage = WorldMap.salvage(damaged)
    #expect(
      salvage.faults == [
        .damaged("the section table", offset: 0), .damaged("a block of section PNTS", offset: blocks[0]),
      ])
    map.cloud = second
    let isRest = salvage.map == map
    #expect(isRest)
    // The file cut within its last block.
    let cut = WorldMap.salvage(Array(file[..<(file.count - 5)]))
    #expect(cut.map.cloud.count == 70_000 - second.count)
    #expect(cut.map.anchors == map.anchors)
    #expect(WorldMap.salvage([]).map == WorldMap())
  }

  @Test func salvageKeepsViewsAndUnknownSections() throws {
    var map = WorldMap(cloud: Samples.cloud(70_000), views: 12)
    // What another version may have put there, with what looks like a block.
    map.unknownSections = [
      .init(
        code: 0x5A59_5857, codec: 1, rawLength: 9, coveredLength: 4, bytes: Array("headWBLK and twenty bytes".utf8)),
      .init(code: 0x5B59_5857, codec: 0, rawLength: 2, coveredLength: 2, bytes: [1, 2]),
    ]
    let file = try map.encoded(.fast)
    let blocks = try WorldMapDecoder(file).cutPoints
    var damaged = file
    damaged[blocks[0] + 1000] ^= 4
    let salvage = WorldMap.salvage(damaged)
    #expect(salvage.faults == [.damaged("block 0 of section PNTS", offset: blocks[0])])
    #expect(salvage.map.views == 12 && salvage.map.unknownSections == map.unknownSections)
    // The last section damaged as well, or cut off.
    damaged[file.count - 1] ^= 1
    #expect(WorldMap.salvage(damaged).faults.map(\.offset) == [blocks[0], file.count - 2])
    #expect(WorldMap.salvage(damaged).map.unknownSections == [map.unknownSections[0]])
    let cut = WorldMap.salvage(Array(file[..<(file.count - 1)]))
    #expect(cut.faults == [.truncated(offset: file.count - 2), .truncated(offset: file.count - 1)])
    #expect(cut.map.cloud.count == 70_000 && cut.map.views == 12)
    #expect(cut.map.unknownSections == [map.unknownSections[0]])
    // Views that are not what was written are not believed.
    damaged = file
    damaged[32 + 4 * 40] ^= 1
    #expect(WorldMap.salvage(damaged).map.views == nil && WorldMap.salvage(damaged).faults.count == 1)
  }

  @Test func headsThatClaimTheRestOfAFileAreNotAllBelieved() throws {
    let sound = try Self.full.encoded(.fast)
    var writer = ByteWriter()
    let heads = 2000
    for index in 0..<heads {
      writer.write(BlockHead.magic)
      writer.write(SectionCode.points.rawValue)
      writer.write(UInt32(1))
      writer.write(UInt32((heads - index) * BlockHead.size))
      writer.write(UInt64(index))
    }
    // Sixteen times the whole, less what each claims less than the one before; then one claim is passed over as a whole.
    let salvage = WorldMap.salvage(writer.bytes + sound)
    #expect((16...40).contains(salvage.faults.count))
    #expect(salvage.map.anchors == Self.full.anchors && salvage.map.cloud == Self.full.cloud)
    // A whole block within one that is damaged is found.
    var damaged = writer.bytes[..<BlockHead.size] + sound
    damaged[12..<16] = [200, 1, 0, 0]
    #expect(WorldMap.salvage(Array(damaged)).map.anchors == Self.full.anchors)
  }

  @Test func fewChangedPointsChangeFewBlocks() throws {
    let cloud = Samples.cloud(200_000)
    let whole = try WorldMapDecoder(WorldMap(cloud: cloud).encoded(.fast))
    let changed = try WorldMapDecoder(
      WorldMap(
        cloud: FeatureCloud(
          positions: Array(cloud.positions.dropFirst(30)), identifiers: Array(cloud.identifiers.dropFirst(30))
        )
      ).encoded(.fast))
    let known = Set(whole.blockChecksums)
    let fresh = changed.blockChecksums.filter { !known.contains($0) }
    #expect(whole.blockCount >= 4)
    #expect(fresh.count == 1)
  }
}
