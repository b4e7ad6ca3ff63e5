import Testing
import WorldModel

@Suite struct SpatialIndexTests {
  /// Points in clumps, with outliers, duplicates and holes.
  private func cloud(_ count: Int, seed: UInt64) -> [SIMD3<Float>] {
    var random = SplitMix64(seed: seed)
    let centers = (0..<5).map { _ in random.vector(in: -4...4) }
    return (0..<count).map { index in
      switch index % 50 {
      case 7: random.vector(in: -3000...3000)
      case 9: [.nan, 1, 2]
      case 11: centers[0]
      default: centers[index % 5] + random.vector(in: -0.5...0.5)
      }
    }
  }

  @Test(arguments: [0, 1, 15, 16, 17, 128, 129, 3_000])
  func `spheres agree with looking at every point`(count: Int) {
    let points = cloud(count, seed: UInt64(count))
    let index = SpatialIndex(points)
    #expect(index.count == points.count { $0.isFinite })
    var random = SplitMix64(seed: 1)
    for _ in 0..<20 {
      let center = random.vector(in: -4...4)
      let radius = random.float(in: 0.05...3)
      let expected = points.indices.filter {
        let offset = points[$0] - center
        return offset.dot(offset) <= radius * radius
      }
      #expect(index.indices(within: radius, of: center).sorted() == expected)
    }
  }

  @Test func `cones agree with projecting every point`() {
    let points = cloud(3_000, seed: 4)
    let index = SpatialIndex(points)
    var random = SplitMix64(seed: 2)
    var found = 0
    for _ in 0..<60 {
      let camera = PinholeCamera(
        eye: random.vector(in: -6...6), target: random.vector(in: -1...1), focalLength: random.float(in: 0.5...2),
        aspectRatio: 1.5)
      let screen = SIMD2(random.float(in: -0.5...1.5), random.float(in: -0.5...1.5))
      let radius = random.float(in: 0.01...0.2)
      let result = Set(index.indices(within: radius, of: screen, through: camera))
      for (slot, point) in points.enumerated() {
        guard let place = camera.project(point) else {
          #expect(!result.contains(slot))
          continue
        }
        let offset = (place - screen) * SIMD2(1.5, 1)
        let distance = (offset * offset).sum().squareRoot()
        // Within a rounding of the border either answer is right.
        guard (distance - radius).magnitude > 1e-4 else { continue }
        #expect(result.contains(slot) == (distance < radius))
      }
      found += result.count
    }
    #expect(found > 1_000)
  }
}
