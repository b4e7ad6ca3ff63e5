import Basics
import Testing
import WorldModel

@testable import WorldAlignment

@Suite struct BitPlanesTests {
  /// Points with random descriptors, every third much like one of a few others.
  private func cloud(_ count: Int, bytes: Int, seed: UInt64) throws -> DescriptorSet {
    var random = SplitMix64(seed: seed)
    var descriptors: [UInt8] = []
    for index in 0..<count {
      // The last bytes are the same everywhere.
      descriptors += (0..<bytes).map { place in
        if place >= bytes - 2 { return 0x5a }
        let bits = random.next()
        return index % 3 == 0
          ? UInt8(truncatingIfNeeded: bits & bits >> 8 & bits >> 16) : UInt8(truncatingIfNeeded: bits)
      }
    }
    let cloud = FeatureCloud(
      positions: [SIMD3<Float>](repeating: .zero, count: count), identifiers: (0..<count).map(UInt64.init),
      channels: FeatureCloud.Channels(
        descriptors: FeatureCloud.Descriptors(kind: "test", size: bytes, bytes: descriptors)))
    return try #require(try DescriptorSet(cloud, sightings: nil))
  }

  /// 130 sightings are a block and a bit, 100 queries a tile and a bit; 512 bytes are the most there are, 3 the least
  /// that vary.
  @Test(arguments: [3, 9, 32, 64, 512])
  func `the pairs below a limit are those that a count of each pair gives`(bytes: Int) throws {
    let (map, query) = (try cloud(130, bytes: bytes, seed: 1), try cloud(bytes == 9 ? 100 : 5, bytes: bytes, seed: 2))
    let distances = (0..<query.count).flatMap { i in (0..<map.count).map { query.distance(i, map, $0) } }
    for limit in [0, 1, distances.min()! + 1, distances.sorted()[distances.count / 3], 8 * bytes] {
      var found: Set<[Int]> = []
      BitPlanes(map, against: query).forEachPair(query, below: limit) { i, j in
        #expect(found.insert([i, j]).inserted)
      }
      let near = distances.indices.filter { distances[$0] < limit }
      #expect(found == Set(near.map { [$0 / map.count, $0 % map.count] }))
    }
  }

  @Test func `the logarithm is that of the tables`() {
    for (x, log) in [(1, 0), (2, 0.693_147_180_6), (10, 2.302_585_093), (0.3, -1.203_972_804), (1e-9, -20.723_265_84)] {
      #expect(abs(Double(x).naturalLogarithm - log) < 1e-6)
    }
  }
}
