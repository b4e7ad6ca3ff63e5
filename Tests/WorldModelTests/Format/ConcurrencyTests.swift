import Testing

@testable import WorldModel

/// Maps that several threads encode and decode: nobody can tell from the result.
@Suite("Maps by several threads") struct ConcurrencyTests {
  private static let inSpace = EncodingOptions(effort: .fast, arrangement: .inSpace)

  /// Anchors, every channel and several blocks of either arrangement.
  private static let map: WorldMap = {
    var map = WorldMap(anchors: Samples.anchors, cloud: Samples.cloud(140_000, channels: true), views: 12)
    map.anchors.sort { $0.id < $1.id }
    return map
  }()

  @Test(arguments: [1, 2, 9])
  func `the number of tasks does not reach the bytes`(tasks: Int) async throws {
    for options in [EncodingOptions.fast, Self.inSpace] {
      let isSame = try await Self.map.encoded(options, tasks: tasks) == Self.map.encoded(options)
      #expect(isSame)
    }
    #expect(try await WorldMap().encoded(tasks: tasks) == WorldMap().encoded())
  }

  @Test(arguments: [1, 2, 9])
  func `the number of tasks does not reach the map`(tasks: Int) async throws {
    var map = WorldMap()
    for options in [EncodingOptions.fast, Self.inSpace] {
      let file = try Self.map.encoded(options)
      #expect(try WorldMapDecoder(file).blockCount > 2)
      // Once into fresh memory, once over a map.
      let fresh = try await WorldMap(decoding: file, tasks: tasks)
      try await map.decode(file, tasks: tasks)
      let isSame = fresh == Self.map && map == Self.map
      #expect(isSame)
    }
    try await map.decode(WorldMap().encoded(), tasks: tasks)
    #expect(map == WorldMap())
  }

  @Test(arguments: [1, 2, 9])
  func `of several damaged blocks the first is named`(tasks: Int) async throws {
    var file = try Self.map.encoded(Self.inSpace)
    let cuts = try WorldMapDecoder(file).cutPoints
    for block in [cuts.count - 2, 4, 3] { file[cuts[block] + 1000] ^= 4 }
    let expected = WorldMapError.damaged("block 3 of section PNTS", offset: cuts[3])
    #expect(throws: expected) { try WorldMap(decoding: file) }
    var map = WorldMap(anchors: Samples.anchors)
    await #expect(throws: expected) { try await map.decode(file, tasks: tasks) }
    #expect(map == WorldMap())
  }

  @Test(arguments: [1, 2, 9])
  func `a point that cannot be encoded is noticed in any block`(tasks: Int) async throws {
    for place in [0, 139_999] {
      var positions = Self.map.cloud.positions
      positions[place].y = .nan
      let cloud = FeatureCloud(positions: positions, identifiers: Self.map.cloud.identifiers)
      await #expect(throws: WorldMapError.model(.notFinite("position"))) {
        try await WorldMap(cloud: cloud).encoded(tasks: tasks)
      }
    }
  }

  @Test func `blocks that are finished early wait for their turn`() throws {
    let encoder = try WorldMapEncoder(Self.map, Self.inSpace)
    let blocks = 0..<encoder.blockCount
    let assembly = BlockAssembly(count: blocks.count, into: encoder.emptyPart(of: blocks))
    var blockEncoder = encoder.blockEncoder()
    #expect(blocks.map { _ in assembly.take() } == Array(blocks))
    #expect(assembly.take() == nil)
    for index in [3, 1, 0, 2] + blocks.dropFirst(4).reversed() {
      assembly.add(try encoder.encode(index, with: &blockEncoder), at: index)
    }
    let isSame = try encoder.file([assembly.finish()]) == Self.map.encoded(Self.inSpace)
    #expect(isSame)
  }
}
