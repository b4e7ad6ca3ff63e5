import Basics
import Testing
import WorldModel

/// Whether two vectors differ by at most `tolerance` in each component.
func near(_ left: SIMD3<Float>, _ right: SIMD3<Float>, within tolerance: Float = 1e-5) -> Bool {
  let difference = left - right
  return all(difference .<= tolerance .& difference .>= -tolerance)
}

@Suite struct PinholeCameraTests {
  @Test func `the middle of the picture is minus z`() {
    let camera = PinholeCamera(focalLength: 1, aspectRatio: 2)
    #expect(camera.ray(through: [0.5, 0.5]) == Ray(origin: .zero, direction: [0, 0, -1]))
  }

  @Test func `corners by hand`() throws {
    // f = 1, 2:1: at 1 m ahead the picture spans x −1…1 and y −0.5…0.5; (0, 0) is the top left.
    let camera = PinholeCamera(focalLength: 1, aspectRatio: 2)
    #expect(try #require(camera.project([-1, 0.5, -1])) == [0, 0])
    #expect(try #require(camera.project([1, -0.5, -1])) == [1, 1])
    #expect(try #require(camera.project([2, 1, -2])) == [1, 0])
    #expect(near(camera.ray(through: [0, 0]).direction, SIMD3(-1, 0.5, -1) / Float(1.5)))
  }

  @Test func `points beside and behind the camera have no place on the screen`() {
    let camera = PinholeCamera()
    #expect(camera.project([0, 0, 1]) == nil)
    #expect(camera.project([1, 0, 0]) == nil)
    #expect(camera.project([.nan, 0, -1]) == nil)
  }

  @Test func `looking at a target by hand`() {
    // From +x, looking at −x: the world's −z is to the right, y stays up.
    let camera = PinholeCamera(eye: [5, 1, 0], target: [0, 1, 0])
    #expect(camera.pose.columns.0 == [0, 0, -1, 0])
    #expect(camera.pose.columns.1 == [0, 1, 0, 0])
    #expect(camera.pose.columns.2 == [1, 0, 0, 0])
    #expect(camera.pose.columns.3 == [5, 1, 0, 1])
  }

  @Test func `looking straight down puts minus z at the top`() {
    let camera = PinholeCamera(eye: [0, 3, 0], target: [0, 0, 0])
    #expect(camera.pose.columns.0 == [1, 0, 0, 0])
    #expect(camera.pose.columns.1 == [0, 0, -1, 0])
    let nowhere = PinholeCamera(eye: [1, 1, 1], target: [1, 1, 1])
    #expect(nowhere.pose == Transform(translation: [1, 1, 1]))
  }

  @Test func `a point on the ray projects to where the ray began`() throws {
    var random = SplitMix64(seed: 7)
    for _ in 0..<500 {
      let eye = random.vector(in: -5...5)
      let camera = PinholeCamera(
        eye: eye, target: random.vector(in: -5...5), focalLength: random.float(in: 0.5...2),
        aspectRatio: random.float(in: 0.5...2))
      let screen = SIMD2(random.float(in: 0...1), random.float(in: 0...1))
      let point = camera.ray(through: screen).point(at: random.float(in: 0.5...20))
      let back = try #require(camera.project(point))
      #expect(((back - screen) * (back - screen)).sum() < 1e-8)
    }
  }

  @Test func `framing shows every corner and touches the margin`() throws {
    var random = SplitMix64(seed: 8)
    for _ in 0..<200 {
      let lower = random.vector(in: -10...10)
      let bounds = BoundingBox(minimum: lower, maximum: lower + random.vector(in: 0.1...8))
      let camera = PinholeCamera.framing(
        bounds, from: random.vector(in: -1...1), focalLength: random.float(in: 0.5...2),
        aspectRatio: random.float(in: 0.5...2))
      var largest: Float = 0
      for corner in bounds.corners {
        let offset = try #require(camera.project(corner)) - 0.5
        largest = max(largest, max(offset.x, -offset.x, offset.y, -offset.y))
      }
      #expect((0.4499...0.4501).contains(largest))
    }
  }

  @Test func `framing ignores points at kilometers`() throws {
    var random = SplitMix64(seed: 9)
    var positions = (0..<1000).map { _ in random.vector(in: -2...2) }
    for _ in 0..<15 { positions.append(random.vector(in: -1...1) * 9_000) }
    positions.append([.nan, 0, 0])
    let cloud = FeatureCloud(positions: positions, identifiers: (0..<1016).map { UInt64($0) })
    let camera = PinholeCamera.framing(WorldMap(cloud: cloud))
    #expect(camera.pose.translation.length < 10)
    for point in positions.prefix(1000) {
      let screen = try #require(camera.project(point))
      #expect(all(screen .>= 0 .& screen .<= 1))
    }
  }

  @Test func `framing without points uses anchors, or two meters around the origin`() {
    let anchors = [Anchor(name: "a", transform: Transform(translation: [100, 0, 0]))]
    let camera = PinholeCamera.framing(WorldMap(anchors: anchors))
    #expect((camera.pose.translation - SIMD3(100, 0, 0)).length < 0.1)
    let empty = PinholeCamera.framing(WorldMap())
    #expect((2...8).contains(empty.pose.translation.length))
  }
}
