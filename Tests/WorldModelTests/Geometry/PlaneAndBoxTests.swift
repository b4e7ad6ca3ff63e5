import Testing
import WorldModel

@Suite struct PlaneAndBoxTests {
  @Test func `what is not finite is skipped`() {
    #expect(BoundingBox(ignoringOutliersOf: [[.nan, 0, 0]]) == nil)
    #expect(BoundingBox(ignoringOutliersOf: []) == nil)
    let box = BoundingBox(ignoringOutliersOf: [[1, 2, 3], [.infinity, 0, 0], [-1, 5, 0], [0, .nan, 0]])
    #expect(box == BoundingBox(minimum: [-1, 2, 0], maximum: [1, 5, 3]))
  }

  @Test func `a few points are all kept`() throws {
    let points: [SIMD3<Float>] = [[0, 0, 0], [4, 1, -2], [2, 8, 1]]
    #expect(BoundingBox(ignoringOutliersOf: points) == BoundingBox(containing: points))
  }

  @Test func `percentiles by hand`() throws {
    // 0…100 and one outlier: the 2nd percentile is 2, the 98th 99, 4 % of 97 is 3.88, clamped at the lower end.
    let points = (0...100).map { SIMD3<Float>(Float($0), 0, 0) } + [[1e6, 0, 0]]
    let bounds = try #require(BoundingBox(ignoringOutliersOf: points))
    #expect(bounds.minimum == .zero)
    #expect((bounds.maximum.x - 102.88).magnitude < 1e-3)
  }

  @Test func `planes by hand`() throws {
    let floor = Plane(transform: Transform(translation: [0, -1, 0]), extent: [2, 4])
    #expect(floor.distance(along: Ray(origin: [0, 1, 0], direction: [0, -1, 0])) == 2)
    #expect(floor.distance(along: Ray(origin: [0, 1, 0], direction: [0, 1, 0])) == nil)
    #expect(floor.distance(along: Ray(origin: [0, 1, 0], direction: [1, 0, 0])) == nil)
    #expect(floor.contains([1, -1, 2]) && !floor.contains([1.01, -1, 0]) && !floor.contains([0, -1, -2.01]))
    #expect(Plane(transform: .identity).contains([1e9, 0, 0]))
  }

  @Test func `an outline counts instead of the extent`() {
    // An L: the square 0…2 without its corner 1…2.
    let outline: [SIMD2<Float>] = [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]]
    let plane = Plane(transform: Transform(translation: [10, 0, 0]), extent: [9, 9], outline: outline)
    #expect(plane.contains([10.5, 0, 1.5]) && plane.contains([11.5, 0, 0.5]))
    #expect(!plane.contains([11.5, 0, 1.5]) && !plane.contains([9.9, 0, 0.5]))
  }
}
