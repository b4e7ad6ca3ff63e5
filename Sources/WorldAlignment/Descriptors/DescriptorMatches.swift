import WorldModel

/// The pairs of points of two clouds that look alike.
struct DescriptorMatches {
  /// A point of the query, one of the map, and the least distance between their sightings.
  struct Match {
    let query: Int32
    let map: Int32
    let distance: Int32
  }

  /// The matches, best first.
  let matches: [Match]

  /// A match is nearer than this share of the median distance of random descriptors: 60 of 150 for ARKit's.
  private static let near = 0.4
  /// How many random pairs give that median.
  private static let samples = 2000

  /// Finds the pairs each of which is among the two nearest of the other.
  ///
  /// Two, since the right one is often the second; both ways, since a point that looks like everything is otherwise matched by
  /// everything.
  init(of query: DescriptorSet, in map: DescriptorSet) {
    let limit = Int((Self.near * Double(Self.typicalDistance(query, map))).rounded(.up))
    let planes = BitPlanes(map, against: query)
    var ofQuery = [NearestTwo](repeating: NearestTwo(), count: query.positions.count)
    var ofMap = [NearestTwo](repeating: NearestTwo(), count: map.positions.count)
    let (queryOwners, mapOwners) = (query.owners, map.owners)
    planes.forEachPair(query, below: limit) { mine, theirs in
      let distance = Int32(query.distance(mine, map, theirs))
      let (i, j) = (queryOwners[mine], mapOwners[theirs])
      ofQuery[Int(i)].add(j, at: distance)
      ofMap[Int(j)].add(i, at: distance)
    }
    var matches: [Match] = []
    for (i, nearest) in ofQuery.enumerated() {
      for (j, distance) in [nearest.first, nearest.second] where j >= 0 && ofMap[Int(j)].contains(Int32(i)) {
        matches.append(Match(query: Int32(i), map: j, distance: distance))
      }
    }
    self.matches = matches.sorted { ($0.distance, $0.query, $0.map) < ($1.distance, $1.query, $1.map) }
  }

  /// The median distance of sightings that have nothing to do with each other.
  ///
  /// The pairs come from a lattice: multiples of two large primes hit all sightings about equally.
  private static func typicalDistance(_ query: DescriptorSet, _ map: DescriptorSet) -> Float {
    quantile(
      0.5,
      of: (0..<samples).map { sample in
        let (mine, theirs) = (sample * 15_485_863 % query.count, sample * 32_452_843 % map.count)
        return Float(query.distance(mine, map, theirs))
      })
  }
}

/// The two nearest others of a point; −1 where there is none.
struct NearestTwo {
  private(set) var first: (point: Int32, distance: Int32) = (-1, .max)
  private(set) var second: (point: Int32, distance: Int32) = (-1, .max)

  /// Takes note of a distance to another point, of which another one may have come before.
  mutating func add(_ point: Int32, at distance: Int32) {
    if point == first.point {
      first.distance = min(distance, first.distance)
    } else {
      if point == second.point { second.distance = min(distance, second.distance) }
      if (distance, point) < (second.distance, second.point) { second = (point, distance) }
      if (second.distance, second.point) < (first.distance, first.point) { (first, second) = (second, first) }
    }
  }

  func contains(_ point: Int32) -> Bool { first.point == point || second.point == point }
}
