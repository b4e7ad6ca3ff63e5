import Testing
import WorldAlignment
import WorldModel

@Suite struct MapMergeTests {
  private static let quarter = Transform(x: [0, 0, -1], y: [0, 1, 0], z: [1, 0, 0], translation: [1, 0, 0])

  /// A map with points and anchors; `identifiers` has one entry a point.
  private static func map(_ points: [SIMD3<Float>], _ identifiers: [UInt64], _ anchors: [Anchor] = []) -> WorldMap {
    WorldMap(anchors: anchors, cloud: FeatureCloud(positions: points, identifiers: identifiers), views: 2)
  }

  @Test func `duplicates are joined, and identifiers stay unique`() throws {
    let map = Self.map([[0, 0, 0], [1, 0, 0]], [1, 2])
    let inverse = Self.quarter.inverse
    // 1 cm from a known point; new with a known identifier; new with its own.
    let points: [SIMD3<Float>] = [[1.01, 0, 0], [5, 0, 0], [6, 0, 0]]
    let other = Self.map(points.map { inverse.act(on: $0) }, [7, 2, 9])
    let merge = try MapMerge(map, adding: other, at: Self.quarter)
    #expect(merge.added == 2 && merge.joined == 1 && merge.renumbered == 1)
    #expect(merge.map.cloud.count == 4 && Set(merge.map.cloud.identifiers) == [0, 1, 2, 9])
    for (identifier, place) in zip(merge.map.cloud.identifiers, merge.map.cloud.positions) {
      let expected: SIMD3<Float> = [0: [5, 0, 0], 1: [0, 0, 0], 2: [1, 0, 0], 9: [6, 0, 0]][identifier] ?? .zero
      #expect((place - expected).length < 1e-5)
    }
    try merge.map.validate()
    #expect(merge.map.views == 4)
  }

  @Test func `anchors come along in the frame of the first, which keeps its own`() throws {
    let common = Anchor(name: "common")
    var moved = common
    moved.transform.translation = [9, 9, 9]
    let lamp = Anchor(name: "lamp", transform: Transform(translation: [2, 1, 0]))
    let merge = try MapMerge(
      Self.map([[0, 0, 0]], [1], [common]), adding: Self.map([[0, 0, 0]], [1], [moved, lamp]), at: Self.quarter)
    #expect(merge.map.anchors.count == 2)
    #expect(merge.map.anchors.first { $0.id == common.id } == common)
    let place = try #require(merge.map.anchors.first { $0.id == lamp.id }).transform.translation
    #expect((place - SIMD3(1, 1, -2)).length < 1e-6)
  }

  @Test func `a map merged with itself is the same`() throws {
    var draws = Draws(seed: 1)
    let points = draws.points(200)
    let map = Self.map(points, (0..<200).map { UInt64($0) })
    let merge = try MapMerge(map, adding: map, at: .identity)
    #expect(merge.added == 0 && merge.joined == 200 && merge.map.cloud == map.cloud)
  }

  @Test func `a transform that is not rigid is refused`() throws {
    let map = Self.map([[0, 0, 0]], [1])
    let scale = Transform(x: [2, 0, 0], y: [0, 2, 0], z: [0, 0, 2], translation: .zero)
    #expect(throws: ModelError.self) { try MapMerge(map, adding: map, at: scale) }
  }
}
