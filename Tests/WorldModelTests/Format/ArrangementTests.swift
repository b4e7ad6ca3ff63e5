import Basics
import Testing
import WorldFormats

@testable import WorldModel

/// Which points share a block, and what an update of a map costs by it.
@Suite struct ArrangementTests {
  private static let inSpace = EncodingOptions(effort: .fast, arrangement: .inSpace)

  /// The scan of a room: a corner's points come from many passes, so their identifiers are all over.
  private static let room = SyntheticRoom(seed: 3, pointCount: 120_000).map().cloud

  /// The points nearest to a lower corner of the room, one in a hundred of all.
  private static let corner: Set<Int> = {
    let corner = BoundingBox(ignoringOutliersOf: room.positions)?.minimum ?? .zero
    let byDistance = room.indices.sorted {
      (room.positions[$0] - corner).lengthSquared < (room.positions[$1] - corner).lengthSquared
    }
    return Set(byDistance.prefix(room.count / 100))
  }()

  @Test func `what is decoded does not depend on the arrangement`() throws {
    let full = WorldMap(anchors: [Anchor(name: "lamp")], cloud: Samples.cloud(40_000, channels: true), views: 3)
    for precision in [EncodingOptions.Precision.lossless, .within(bound: 0.001)] {
      let plain = try WorldMap(decoding: full.encoded(EncodingOptions(precision: precision)))
      let file = try full.encoded(EncodingOptions(precision: precision, arrangement: .inSpace))
      let isSame = try WorldMap(decoding: file) == plain
      #expect(isSame)
      #expect(try WorldMapDecoder(file).blockCount > 2)
    }
  }

  @Test func `storage order and tasks do not reach the bytes`() async throws {
    let map = WorldMap(cloud: Self.room)
    let file = try map.encoded(Self.inSpace)
    var random = SplitMix64(seed: 8)
    let shuffled = WorldMap(cloud: Self.room.selecting(Self.room.indices.shuffled(using: &random)))
    let isSame = try shuffled.encoded(Self.inSpace) == file
    #expect(isSame)
    let isSameByTwo = try await shuffled.encoded(Self.inSpace, tasks: 2) == file
    #expect(isSameByTwo)
    // The same on every machine and in every later version.
    let plan = try BlockPlan(Self.room, .inSpace)
    let order = try #require(plan.order)
    #expect(order.withUnsafeBytes { XXH64.hash($0) } == 907_862_889_727_295_150)
    #expect(
      plan.blocks.map(\.count)
        == [13_860, 7_323, 12_244, 7_369, 11_220, 10_362, 11_964, 4_452, 14_633, 8_679, 11_808, 6_086])
  }

  @Test func `a shuffled cloud is encoded by identifier like a sorted one`() throws {
    var random = SplitMix64(seed: 9)
    let shuffled = Self.room.selecting(Self.room.indices.shuffled(using: &random))
    let isSame = try WorldMap(cloud: shuffled).encoded(.fast) == WorldMap(cloud: Self.room).encoded(.fast)
    #expect(isSame)
  }

  @Test func `sorting moves every channel along`() throws {
    let cloud = Samples.cloud(500, channels: true)
    var random = SplitMix64(seed: 10)
    let shuffled = cloud.selecting(cloud.indices.shuffled(using: &random))
    #expect(try shuffled.sorted() == cloud)
    #expect(shuffled != cloud)
    let twice = shuffled.selecting(Array(shuffled.indices) + [7])
    #expect(throws: ModelError.duplicatePoint(shuffled.identifiers[7])) { try twice.sorted() }
  }

  @Test func `an update of a corner changes few chunks in space, and nearly all by identifier`() throws {
    var positions = Self.room.positions
    for index in Self.corner { positions[index] += [0.01, 0, -0.005] }
    let first = (Self.room.identifiers.max() ?? 0) + 1
    let added = Self.corner.sorted().map { Self.room.positions[$0] + [0, 0.004, 0] }
    let updates = [
      FeatureCloud(positions: positions, identifiers: Self.room.identifiers),
      Self.room.selecting(Self.room.indices.filter { !Self.corner.contains($0) }),
      FeatureCloud(
        positions: Self.room.positions + added,
        identifiers: Self.room.identifiers + added.indices.map { first + UInt64($0) }),
    ]
    for update in updates {
      #expect(try Self.shareOfNewBytes(update, Self.inSpace) < 0.15)
    }
    for update in updates.prefix(2) {
      #expect(try Self.shareOfNewBytes(update, .fast) > 0.9)
    }
  }

  /// Which share of the bytes of `update` is in chunks that a holder of the room does not have.
  private static func shareOfNewBytes(_ update: FeatureCloud, _ options: EncodingOptions) throws -> Double {
    let known = Set(try chunks(WorldMap(cloud: room).encoded(options)))
    let file = try WorldMap(cloud: update).encoded(options)
    let fresh = try chunks(file).filter { !known.contains($0) }
    return Double(fresh.reduce(0) { $0 + $1.count }) / Double(file.count)
  }

  private static func chunks(_ file: [UInt8]) throws -> [ArraySlice<UInt8>] {
    let lengths = try WorldMapDecoder(file).chunkLengths(limit: 262_144)
    #expect(lengths.reduce(0, +) == file.count && lengths.allSatisfy { (1...262_144).contains($0) })
    var rest = file[...]
    return lengths.map { length in
      defer { rest = rest.dropFirst(length) }
      return rest.prefix(length)
    }
  }

  @Test func `a box is read from the blocks that it meets`() throws {
    let map = WorldMap(cloud: Self.room)
    var file = try map.encoded(Self.inSpace)
    let low = BoundingBox(ignoringOutliersOf: Self.room.positions)?.minimum ?? .zero
    let box = BoundingBox(minimum: low, maximum: low + 1)
    let expected = map.cropped(to: box).cloud
    #expect(expected.count > 100)
    let decoder = try WorldMapDecoder(file)
    let isSame = try decoder.points(in: box) == expected
    #expect(isSame)
    // Every block that the box does not meet may be damaged.
    let others = zip(decoder.cutPoints, decoder.blockBounds).filter { !$1.intersects(box) }
    #expect(others.count > decoder.blockCount / 2)
    for (start, _) in others { file[start + 100] ^= 1 }
    let isSameStill = try WorldMapDecoder(file).points(in: box) == expected
    #expect(isSameStill)
  }

  @Test func `blocks in space are neither large nor tiny, wherever the points lie`() throws {
    var random = SplitMix64(seed: 12)
    func scattered(_ count: Int, _ scale: Float) -> [SIMD3<Float>] {
      (0..<count).map { _ in SIMD3(random.unit() - 0.5, random.unit() - 0.5, random.unit() - 0.5) * scale }
    }
    let clouds = [
      scattered(50_000, 4) + scattered(300, 9_000), scattered(50_000, 1e-30), scattered(50_000, 1e30),
      [SIMD3<Float>](repeating: [1, 2, 3], count: 100_000),
      [SIMD3<Float>](repeating: [-0.0, 0, -3e38], count: 20_000) + scattered(10, 5),
      scattered(3_000, 4), [],
    ]
    for positions in clouds {
      let cloud = FeatureCloud(positions: positions, identifiers: positions.indices.map { UInt64($0) })
      let plan = try BlockPlan(cloud, .inSpace)
      #expect(plan.blocks.map(\.count).reduce(0, +) == positions.count)
      #expect(plan.blocks.allSatisfy { $0.count <= BlockPlan.largestSpatial })
      #expect(plan.blocks.count < 2 || plan.blocks.allSatisfy { $0.count >= BlockPlan.smallestSpatial })
      let isSame = try WorldMap(decoding: WorldMap(cloud: cloud).encoded(Self.inSpace)).cloud == cloud
      #expect(isSame)
    }
    let bad = WorldMap(cloud: FeatureCloud(positions: [[0, .nan, 0]], identifiers: [1]))
    #expect(throws: WorldMapError.model(.notFinite("position"))) { try bad.encoded(Self.inSpace) }
  }
}
