import Basics
import Testing
import WorldFormats
import WorldModel

@Suite struct SyntheticRoomTests {
  @Test func `the same seed gives the same bytes on every machine`() throws {
    let map = SyntheticRoom(seed: 42, pointCount: 2_000, includesColors: true).map()
    var writer = ByteWriter()
    for (index, point) in map.cloud.enumerated() {
      for axis in 0..<3 { writer.write(point.position[axis]) }
      writer.write(map.cloud.identifiers[index])
      let color = try #require(point.color)
      writer.write(bytes: [color.x, color.y, color.z])
    }
    for anchor in map.anchors {
      writer.write(bytes: anchor.id.bytes)
      for axis in 0..<3 { writer.write(anchor.transform.translation[axis]) }
    }
    #expect(
      SHA256Digest(hashing: writer.bytes).description
        == "7107cd0a42b91dfc3e89bd8cc0aa4962144f4afee624f6945f96f2fcc73aeee5")
  }

  @Test func `maps are valid and in canonical order`() throws {
    for seed in 0..<20 as Range<UInt64> {
      let map = SyntheticRoom(seed: seed, pointCount: 1_000).map()
      try map.validate()
      #expect(map.cloud.count == 1_000 && map.cloud.isSorted)
      #expect(map.anchors.count { if case .plane = $0.kind { true } else { false } } >= 10)
      #expect(map.anchors.contains { $0.name == "floor" && $0.transform.columns.1 == [0, 1, 0, 0] })
    }
  }

  @Test func `colors change nothing else`() {
    var room = SyntheticRoom(seed: 5, pointCount: 500)
    let plain = room.map()
    room.includesColors = true
    let painted = room.map()
    #expect(painted.cloud.positions == plain.cloud.positions && painted.cloud.identifiers == plain.cloud.identifiers)
    #expect(painted.anchors == plain.anchors && painted.cloud.channels.colors?.count == 500)
  }

  @Test func `most points lie on surfaces, few far away`() throws {
    let map = SyntheticRoom(seed: 3, pointCount: 20_000).map()
    let bounds = try #require(BoundingBox(ignoringOutliersOf: map.cloud.positions))
    let inside = map.cloud.positions.count { bounds.contains($0) }
    #expect((19_600..<20_000).contains(inside))
    #expect(bounds.extent.max() < 8)
    #expect(try #require(map.bounds).extent.max() > 500)
    #expect(map.extent == bounds.extent && map.center == bounds.center)
    let ids = map.cloud.identifiers
    let gaps = zip(ids, ids.dropFirst()).count { $1 - $0 > 1 }
    #expect(gaps > 10_000)
  }

  @Test func `walls face inwards`() throws {
    for anchor in SyntheticRoom(seed: 9, pointCount: 0).map().anchors where anchor.name.hasSuffix("wall") {
      #expect(anchor.transform.columns.1.xyz.dot(anchor.transform.translation) < 0)
    }
  }

  @Test func `a tap in the room hits what is framed`() throws {
    let map = SyntheticRoom(seed: 1, pointCount: 20_000).map()
    let test = HitTest(map)
    let camera = PinholeCamera(eye: .zero, target: [0, -1, -1.5])
    let hits = test.results(at: [0.5, 0.5], through: camera)
    let nearest = try #require(hits.first)
    #expect(nearest.transform.isRigid)
    #expect(hits.contains { $0.kind == .plane } && hits.contains { $0.kind == .featurePoints })
  }
}
