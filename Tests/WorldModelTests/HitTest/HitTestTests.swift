import Basics
import Testing
import WorldModel

@Suite struct HitTestTests {
  private let camera = PinholeCamera(focalLength: 1, aspectRatio: 1)

  /// A wall of points at depth `z`, 2.5 cm apart, spanning ±1 m.
  private func wall(z: Float) -> [SIMD3<Float>] {
    (0..<6400).map { [Float($0 % 80) * 0.025 - 1, Float($0 / 80) * 0.025 - 1, z] }
  }

  private func cloud(_ positions: [SIMD3<Float>]) -> FeatureCloud {
    FeatureCloud(positions: positions, identifiers: positions.indices.map { UInt64($0) })
  }

  @Test func `nothing there is no result`() {
    #expect(HitTest(WorldMap()).results(at: [0.5, 0.5], through: camera).isEmpty)
    let test = HitTest(cloud: cloud(wall(z: -2)))
    #expect(test.results(at: [0.01, 0.5], through: camera).isEmpty == false)
    #expect(test.results(at: [-0.5, 0.5], through: camera).isEmpty)
    #expect(test.results(at: [.nan, 0.5], through: camera).isEmpty)
    // The wall is behind a camera that looks the other way.
    let turned = PinholeCamera(eye: .zero, target: [0, 0, 1])
    #expect(test.results(at: [0.5, 0.5], through: turned).isEmpty)
  }

  @Test func `a wall of points by hand`() throws {
    let test = HitTest(cloud: cloud(wall(z: -2)))
    // (0.7, 0.4) leaves at slope (0.2, 0.1): it meets z = −2 at (0.4, 0.2, −2).
    let hit = try #require(test.results(at: [0.7, 0.4], through: camera).first)
    #expect(hit.kind == .featurePoints && hit.anchor == nil)
    #expect(near(hit.transform.translation, [0.4, 0.2, -2], within: 1e-4))
    #expect(near(hit.transform.columns.1.xyz, [0, 0, 1], within: 1e-4))
    #expect(near(hit.transform.columns.0.xyz, [1, 0, 0], within: 1e-4))
    #expect(near(hit.transform.columns.2.xyz, [0, -1, 0], within: 1e-4))
    #expect((hit.distance - SIMD3<Float>(0.4, 0.2, -2).length).magnitude < 1e-4)
  }

  @Test func `a lone outlier in front does not hide the wall`() throws {
    let hidden = HitTest(cloud: cloud(wall(z: -2) + [[0, 0, -0.5], [0, 0, -1]]))
    let hit = try #require(hidden.results(at: [0.5, 0.5], through: camera).first)
    #expect(near(hit.transform.translation, [0, 0, -2], within: 1e-3))
  }

  @Test func `a sparse cloud is searched farther out, up to a limit`() throws {
    // Three points 0.1 m below the ray at 2 m: they appear 0.05 picture heights from the middle.
    let sparse = cloud([[-0.02, -0.1, -2], [0.02, -0.1, -2], [0, -0.11, -2]])
    var test = HitTest(cloud: sparse)
    let hit = try #require(test.results(at: [0.5, 0.5], through: camera).first)
    #expect((hit.distance - 2).magnitude < 0.2)
    test.largestRadius = 0.04
    #expect(test.results(at: [0.5, 0.5], through: camera).isEmpty)
  }

  @Test func `the nearer of two walls is hit`() throws {
    let test = HitTest(cloud: cloud(wall(z: -2) + wall(z: -1.5)))
    let hits = test.results(at: [0.5, 0.5], through: camera)
    #expect(hits.count == 1)
    #expect((try #require(hits.first).transform.translation.z + 1.5).magnitude < 1e-3)
  }

  @Test func `planes within and beyond their extent`() throws {
    // A wall at z = −4 facing the camera: its y axis is +z.
    let pose = Transform(columns: ([1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, -4, 1]))
    let id = AnchorID(high: 1, low: 2)
    let test = HitTest(
      cloud: FeatureCloud(), planes: [HitTest.Surface(Plane(transform: pose, extent: [2, 1]), anchor: id)])
    let inside = try #require(test.results(at: [0.6, 0.5], through: camera).first)
    #expect(inside.kind == .plane && inside.anchor == id)
    #expect(near(inside.transform.translation, [0.4, 0, -4]))
    #expect(inside.transform.columns.1 == [0, 0, 1, 0])
    #expect(test.results(at: [0.5, 0.3], through: camera).isEmpty)
    let beyond = test.results(at: [0.5, 0.3], through: camera, kinds: [.plane, .extendedPlane])
    #expect(beyond.map(\.kind) == [.extendedPlane])
    #expect(near(try #require(beyond.first).transform.translation, [0, 0.8, -4]))
  }

  @Test func `results are sorted by distance`() {
    let pose = Transform(columns: ([1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, -4, 1]))
    var far = pose
    far.translation.z = -6
    let test = HitTest(
      cloud: cloud(wall(z: -2)), planes: [far, pose].map { HitTest.Surface(Plane(transform: $0)) })
    let hits = test.results(at: [0.5, 0.5], through: camera)
    #expect(hits.map(\.kind) == [.featurePoints, .plane, .plane])
    #expect(hits.map(\.transform.translation.z).map { ($0 * 100).rounded() } == [-200, -400, -600])
  }

  @Test func `hits on random walls are rigid, on the wall and face the camera`() throws {
    var random = SplitMix64(seed: 5)
    for _ in 0..<40 {
      let eye = random.vector(in: -1...1)
      let frame = PinholeCamera(eye: random.vector(in: -1...1), target: .zero).pose
      let points = (0..<3000).map { _ in
        frame.columns.0.xyz * random.float(in: -1...1) + frame.columns.1.xyz * random.float(in: -1...1)
          + frame.columns.2.xyz * random.float(in: -0.002...0.002) - [0, 0, 5]
      }
      let camera = PinholeCamera(eye: eye, target: [0, 0, -5], focalLength: 1, aspectRatio: 1)
      let normal = frame.columns.2.xyz
      // Seen edge-on a wall of points has no place that is right.
      guard normal.dot(camera.pose.columns.2.xyz).magnitude > 0.3 else { continue }
      let hit = try #require(HitTest(cloud: cloud(points)).results(at: [0.5, 0.5], through: camera).first)
      let axes = [hit.transform.columns.0.xyz, hit.transform.columns.1.xyz, hit.transform.columns.2.xyz]
      #expect(near(axes[0].cross(axes[1]), axes[2], within: 1e-4))
      #expect(axes.allSatisfy { ($0.length - 1).magnitude < 1e-4 })
      #expect(axes[1].dot(normal).magnitude > 0.99)
      #expect(axes[1].dot(camera.pose.columns.2.xyz) > 0)
      #expect((hit.transform.translation - [0, 0, -5]).dot(normal).magnitude < 0.02)
    }
  }
}
