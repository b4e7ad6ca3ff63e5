import Basics
import Testing

@testable import WorldModel

@Suite("Grid")
struct GridTests {
  /// How far the coordinates of `left` are from those of `right` at most, computed without rounding.
  private func worst(_ left: FeatureCloud, _ right: FeatureCloud) -> Double {
    zip(left.positions, right.positions).reduce(0) { worst, pair in
      let moved = SIMD3<Double>(pair.0) - SIMD3<Double>(pair.1)
      return max(worst, moved.x.magnitude, moved.y.magnitude, moved.z.magnitude)
    }
  }

  @Test(arguments: [Float(0.00001), 0.0005, 0.02, 10])
  func noCoordinateMovesFartherThanItsBound(bound: Float) throws {
    let map = WorldMap(cloud: Samples.cloud(5000))
    let decoded = try WorldMap(decoding: map.encoded(EncodingOptions(precision: .within(bound: bound))))
    #expect(decoded.cloud.identifiers == map.cloud.identifiers)
    let moved = worst(decoded.cloud, map.cloud)
    #expect(moved <= Double(bound))
    #expect(moved > Double(bound) / 4)
  }

  @Test(arguments: [Float(0.000001), 0.0005, 0.5])
  func outliersFarAwayKeepTheBoundToo(bound: Float) throws {
    var random = SplitMix64(seed: 11)
    let positions = (0..<2000).map { index in
      let scale: Float = [1, 300, 40_000, 8_000_000, 1e30][index % 5]
      return SIMD3(random.unit() - 0.5, random.unit() - 0.5, random.unit() - 0.5) * scale
    }
    let cloud = FeatureCloud(positions: positions, identifiers: positions.indices.map { UInt64($0) })
    let decoded = try WorldMap(
      decoding: WorldMap(cloud: cloud).encoded(EncodingOptions(precision: .within(bound: bound))))
    #expect(worst(decoded.cloud, cloud) <= Double(bound))
  }

  @Test func theGridIsAbsolute() throws {
    let far = FeatureCloud(positions: [[100, 0, 0], [1.2345, 0, 0]], identifiers: [1, 2])
    let near = FeatureCloud(positions: [[1.2345, 0, 0]], identifiers: [2])
    let both = try WorldMap(decoding: WorldMap(cloud: far).encoded(.millimeter))
    let one = try WorldMap(decoding: WorldMap(cloud: near).encoded(.millimeter))
    #expect(both.cloud.positions[1] == one.cloud.positions[0])
    #expect(try one.encoded(.millimeter) == WorldMap(cloud: near).encoded(.millimeter))
  }

  @Test func theBoxOfABlockHoldsItsDecodedPoints() throws {
    let map = WorldMap(cloud: Samples.cloud(1000))
    let decoder = try WorldMapDecoder(map.encoded(EncodingOptions(precision: .within(bound: 0.3))))
    let box = decoder.blockBounds[0]
    #expect(try decoder.points(ofBlock: 0).positions.allSatisfy { box.contains($0) })
  }

  @Test(arguments: [Float(0), -1, .nan, .infinity, 200, 1e-9])
  func uselessBoundsAreRefused(bound: Float) {
    #expect(throws: WorldMapError.self) {
      try WorldMap().encoded(EncodingOptions(precision: .within(bound: bound)))
    }
  }
}
