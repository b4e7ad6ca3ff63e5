import Basics
import Testing

@testable import WorldModel

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

  @Test func `a cloud and its copies answer for their own positions`() {
    let cloud = FeatureCloud(positions: cloud(600, seed: 5), identifiers: (0..<600).map { UInt64($0) })
    func near(_ cloud: FeatureCloud) -> [Int] { cloud.spatialIndex.indices(within: 1, of: .zero).sorted() }
    let before = near(cloud)
    var copy = cloud
    #expect(near(copy) == before)
    copy.append(FeatureCloud(positions: [.zero], identifiers: [600]))
    #expect(near(copy) == before + [600])
    #expect(near(cloud) == before)
    // The index is no part of the value.
    let finite = FeatureCloud(positions: [[1, 2, 3]], identifiers: [1])
    _ = finite.spatialIndex
    #expect(finite == FeatureCloud(positions: [[1, 2, 3]], identifiers: [1]))
  }

  @Test func `threads that ask at once get one answer`() async {
    let cloud = FeatureCloud(positions: cloud(20_000, seed: 6), identifiers: (0..<20_000).map { UInt64($0) })
    let answers = await withTaskGroup(of: [Int].self) { group in
      for _ in 0..<8 { group.addTask { cloud.spatialIndex.indices(within: 5, of: .zero) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(answers).count == 1 && answers.count == 8)
    #expect(answers[0].count > 10)
  }

  /// What a nearest cluster is, said plainly: of all depths with enough others close behind, the smallest.
  private static func start(_ depths: [Float], size: Int, reach: Float) -> Float? {
    depths.sorted().first { depth in depths.count { $0 >= depth && $0 <= depth * reach } >= size }
  }

  @Test func `the nearest cluster is that of a search through all depths, whatever the order`() throws {
    var random = SplitMix64(seed: 8)
    var found = 0
    for round in 0..<300 {
      let count = 1 + round % 60
      let depths = (0..<count).map { _ in random.float(in: 1...Float(2 + round % 7)) }
      let size = 1 + round % 5
      var cluster = NearestCluster(size: size, reach: 1.05)
      for depth in depths { cluster.add([depth, 0, 0], at: depth) }
      let start = Self.start(depths, size: size, reach: 1.05)
      let expected = start.map { start in depths.filter { $0 >= start && $0 <= start * 1.05 }.sorted() }
      #expect(cluster.points?.map(\.x).sorted() == expected)
      found += expected == nil ? 0 : 1
    }
    #expect((50..<300).contains(found))
  }

  @Test func `clusters in a cone are those of all points of the cone`() throws {
    let points = cloud(3_000, seed: 4).filter(\.isFinite)
    let index = SpatialIndex(points)
    var random = SplitMix64(seed: 3)
    var found = 0
    for _ in 0..<80 {
      let camera = PinholeCamera(eye: random.vector(in: -6...6), target: random.vector(in: -1...1))
      let cone = ConeSearch([0.5, 0.5], radius: random.float(in: 0.005...0.1), through: camera)
      let inside = points.compactMap { point in cone.depth(point).map { (point: point, depth: $0) } }
      let start = Self.start(inside.map(\.depth), size: 3, reach: 1.02)
      let expected = start.map { start in
        inside.filter { $0.depth >= start && $0.depth <= start * 1.02 }.map(\.point)
      }
      let cluster = index.nearestCluster(of: 3, reach: 1.02, in: cone)
      #expect(cluster.map { Set($0) } == expected.map { Set($0) })
      found += expected == nil ? 0 : 1
    }
    #expect(found > 20)
  }
}
