import AlignmentTrials
import Basics
import Testing
import WorldModel

@testable import WorldAlignment

@Suite struct DescriptorMatchesTests {
  /// Points in a row, a metre apart unless told otherwise; each looks like the bytes of a number.
  private func row(_ looks: [UInt64], apart: Float = 1) throws -> DescriptorSet {
    let bytes = looks.flatMap { look in
      var random = SplitMix64(seed: look >> 8)
      // The low byte flips so many of 64 bits.
      let word = random.next() ^ (1 << (look & 0xff) - 1)
      return (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) }
    }
    let cloud = FeatureCloud(
      positions: looks.indices.map { [apart * Float($0), 0, 0] }, identifiers: looks.indices.map(UInt64.init),
      channels: FeatureCloud.Channels(descriptors: FeatureCloud.Descriptors(kind: "test", size: 8, bytes: bytes)))
    return try #require(try DescriptorSet(cloud, sightings: nil))
  }

  /// Twelve things that look unlike each other; the first `equal` ones of them alike, but for a bit each.
  private func looks(equal: Int) -> [UInt64] {
    (0..<12).map { $0 < equal ? 99 << 8 | UInt64($0) : UInt64($0) << 8 }
  }

  @Test func `a match is distinct if nothing elsewhere in either cloud looks nearly as much alike`() throws {
    let (one, two) = (try row(looks(equal: 1)), try row(looks(equal: 2)))
    let single = DescriptorMatches(of: one, in: one).matches
    #expect(single.filter(\.isDistinct).map(\.query).sorted() == Array(0..<12))
    // Of what is there twice, in the map or in the query, the matches are kept; which of them is right nothing tells.
    for (query, map) in [(two, two), (one, two), (two, one)] {
      let matches = DescriptorMatches(of: query, in: map).matches
      let distinct = matches.filter(\.isDistinct)
      #expect(distinct.map(\.query).sorted() == Array((query.count == map.count ? 2 : 1)..<12).map { Int32($0) })
      #expect(matches.contains { $0.query == 0 && $0.map == 0 })
      #expect(matches.prefix(distinct.count).filter(\.isDistinct).count == distinct.count)
    }
    // Two points within 25 cm are one thing that the map has twice.
    let near = try row(looks(equal: 2), apart: 0.2)
    #expect(DescriptorMatches(of: near, in: near).matches.filter(\.isDistinct).contains { $0.query == 0 })
  }

  @Test func `the six nearest are kept whatever the order in which distances come`() {
    var random = SplitMix64(seed: 5)
    for _ in 0..<200 {
      var distances: [(point: Int32, distance: Int32)] = []
      for _ in 0..<30 { distances.append((Int32(random.next() % 9), Int32(random.next() % 12))) }
      var nearest = NearestFew()
      for (point, distance) in distances { nearest.add(point, at: distance) }
      var least: [Int32: Int32] = [:]
      for (point, distance) in distances { least[point] = min(distance, least[point] ?? .max) }
      let expected = least.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.prefix(6)
      let kept = (0..<6).map { nearest.entries[$0] }.filter { $0.point >= 0 }
      #expect(kept.map(\.point) == expected.map(\.key) && kept.map(\.distance) == expected.map(\.value))
    }
  }

  @Test func `the next one elsewhere is the first of the nearest that is not beside the match`() {
    let positions: [SIMD3<Float>] = [.zero, [0.1, 0, 0], [0.2, 0, 0], [3, 0, 0]]
    var nearest = NearestFew()
    for (point, distance) in [(0, 5), (1, 6), (2, 7)] as [(Int32, Int32)] { nearest.add(point, at: distance) }
    #expect(nearest.distance(apartFrom: 0, positions, 0.25) == nil)
    nearest.add(3, at: 20)
    #expect(nearest.distance(apartFrom: 0, positions, 0.25) == 20)
    #expect(nearest.distance(apartFrom: 3, positions, 0.25) == 5)
    // All that are kept are beside it: another one is at least as far as the last.
    var crowded = NearestFew()
    for point in 0..<8 as Range<Int32> { crowded.add(point, at: 10 + point) }
    #expect(crowded.distance(apartFrom: 0, [SIMD3<Float>](repeating: .zero, count: 8), 0.25) == 15)
  }

  @Test func `made-up descriptors are as far from each other as those of phones' maps`() throws {
    let trial = DescribedTrial(.onePlace, points: 600, sightings: 5, mode: .gravity, seed: 3)
    let map = try #require(try DescriptorSet(trial.map, sightings: trial.mapSightings))
    let query = try #require(try DescriptorSet(trial.query, sightings: trial.querySightings))
    let random = (0..<2_000).map { query.distance($0 * 7 % query.count, map, $0 * 13 % map.count) }.sorted()
    #expect((140...165).contains(random[1_000]))
    let set = map.words.reduce(0) { $0 + $1.nonzeroBitCount }
    #expect((0.43...0.48).contains(Double(set) / Double(512 * map.count)))
    var same: [Int] = []
    for (i, position) in query.positions.enumerated() {
      let place = trial.truth.act(on: position)
      for (j, other) in map.positions.enumerated() where (other - place).lengthSquared < 0.0025 {
        let pairs = (query.starts[i]..<query.starts[i + 1]).flatMap { mine in
          (map.starts[j]..<map.starts[j + 1]).map { query.distance(Int(mine), map, Int($0)) }
        }
        same.append(try #require(pairs.min()))
      }
    }
    same.sort()
    #expect((15...35).contains(same[same.count / 10]) && (60...100).contains(same[same.count / 2]))
  }
}
