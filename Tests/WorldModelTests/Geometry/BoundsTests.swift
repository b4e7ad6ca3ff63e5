import Testing
import WorldModel

@Suite struct BoundsTests {
  @Test func `exact bounds skip what is not finite`() throws {
    let bounds = try #require(Bounds([[1, 2, 3], [.infinity, 0, 0], [-1, 5, 0], [0, .nan, 0]] as [SIMD3<Float>]))
    #expect(bounds == Bounds(lower: [-1, 2, 0], upper: [1, 5, 3]))
    #expect(bounds.center == [0, 3.5, 1.5])
    #expect(bounds.extent == [2, 3, 3])
    #expect(Bounds([SIMD3<Float>]()) == nil)
    #expect(Bounds(ignoringOutliersOf: [[.nan, 0, 0]]) == nil)
  }

  @Test func `a few points are all kept`() throws {
    let points: [SIMD3<Float>] = [[0, 0, 0], [4, 1, -2], [2, 8, 1]]
    #expect(Bounds(ignoringOutliersOf: points) == Bounds(points))
  }

  @Test func `percentiles by hand`() throws {
    // 0…100 and one outlier: the 2nd percentile is 2, the 98th 99, a tenth of 97 is 9.7, clamped at the lower end.
    let points = (0...100).map { SIMD3<Float>(Float($0), 0, 0) } + [[1e6, 0, 0]]
    let bounds = try #require(Bounds(ignoringOutliersOf: points))
    #expect(bounds.lower == .zero)
    #expect((bounds.upper.x - 108.7).magnitude < 1e-3)
  }

  @Test func `planes by hand`() throws {
    let floor = Plane(transform: Transform(translation: [0, -1, 0]), extent: [2, 4])
    #expect(floor.distance(along: Ray(origin: [0, 1, 0], direction: [0, -1, 0])) == 2)
    #expect(floor.distance(along: Ray(origin: [0, 1, 0], direction: [0, 1, 0])) == nil)
    #expect(floor.distance(along: Ray(origin: [0, 1, 0], direction: [1, 0, 0])) == nil)
    #expect(floor.contains([1, -1, 2]) && !floor.contains([1.01, -1, 0]) && !floor.contains([0, -1, -2.01]))
    #expect(Plane(transform: .identity).contains([1e9, 0, 0]))
  }
}
