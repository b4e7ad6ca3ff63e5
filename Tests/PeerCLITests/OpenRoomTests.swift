import PeerCLI
import SharedWorld
import Testing

@Suite("A room cut open")
struct OpenRoomTests {
  private static let bounds = BoundingBox(minimum: [-2, 0, -2], maximum: [2, 2, 2])

  @Test("what lies between the eye and the room is cut away, on no other side")
  func box() {
    let box = OpenRoom.box(of: Self.bounds, seenFrom: [0, 5, 6])
    #expect(box.contains([-2, 0, -2]) && box.contains([2, 1.8, 1.7]))
    #expect(!box.contains([0, 1.95, 0]) && !box.contains([0, 1, 1.9]))
    #expect(OpenRoom.box(of: Self.bounds, seenFrom: [0, 1, 0]).contains([2, 2, 2]))
  }

  @Test("a tap from outside goes through the ceiling, its points and its plane")
  func tap() throws {
    // A floor and a ceiling.
    let positions = (0..<8000).map { index in
      SIMD3<Float>(Float(index / 2 % 64) / 16 - 2, index.isMultiple(of: 2) ? 0 : 2, Float(index / 128) / 16 - 2)
    }
    let cloud = FeatureCloud(positions: positions, identifiers: positions.indices.map { UInt64($0) })
    let ceiling = Anchor(
      name: "ceiling", transform: Transform(translation: [0, 2, 0]), kind: .plane(.init(extent: [4, 4])))
    let camera = PinholeCamera.framing(Self.bounds)
    let box = OpenRoom.box(of: Self.bounds, seenFrom: camera.pose.translation)
    let open = try #require(
      HitTest(cloud: cloud, anchors: [ceiling], within: box).results(at: [0.5, 0.5], through: camera).first)
    #expect(abs(open.transform.translation.y) < 0.05 && open.anchor == nil)
    let shut = try #require(
      HitTest(cloud: cloud, anchors: [ceiling], within: nil).results(at: [0.5, 0.5], through: camera).first)
    #expect(abs(shut.transform.translation.y - 2) < 0.05)
  }
}
