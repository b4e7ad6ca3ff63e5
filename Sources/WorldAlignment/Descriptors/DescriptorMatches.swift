import WorldModel

/// The pairs of points of two clouds that look alike.
///
/// Two devices in one place have a fifth of their points in common, too few for shape to decide; but a descriptor says
/// what a point looks like. The nearest descriptor is a poor partner, though. A plain wall has a nearest point too, and
/// a point that looks like everything is the nearest of many. An absolute threshold would belong to one kind of
/// descriptor, and ours are whatever a device records.
///
/// So the threshold is a share of the median distance of random pairs in these two clouds, and a match has to be among
/// the two nearest both ways. The ratio test (Lowe 2004) then says which matches are *distinct*: nothing else looks
/// nearly as much alike. As Lowe has it, the second nearest would spoil the test here: the map has one feature several
/// times, some centimetres apart. So the rival must lie ``apart`` from the point, in either cloud. Distinct matches
/// count for a pose; all of them count against one, since the leg of a chair looks like that of each other chair.
///
/// `BitPlanes` finds the pairs in the first place; `MatchedPoints` and `MatchEvidence` make a pose of the matches and
/// judge it. The figures behind the numbers: Documentation/alignment.md.
struct DescriptorMatches {
  /// A point of the query, one of the map, and the least distance between their sightings.
  struct Match {
    let query: Int32
    let map: Int32
    let distance: Int32
    /// Whether nothing elsewhere in either cloud looks nearly as much alike.
    let isDistinct: Bool
  }

  /// The matches: the distinct ones first, of both kinds the best first.
  let matches: [Match]

  /// A match is nearer than this share of the median distance of random descriptors: 60 of 150 for ARKit's.
  private static let near = 0.4
  /// How many random pairs give that median.
  private static let samples = 2000
  /// A match is distinct if it is nearer than this share of the distance of any other pair that one of its points is in, and
  /// nearer by this share of the limit: of things that are equal but for a few bits one is always a little nearer.
  private static let (distinct, leastGap): (Float, Float) = (0.8, 0.125)
  /// Points within this reach of each other may be one feature, which a map has several times (metres).
  private static let apart: Float = 0.25

  /// Finds the pairs each of which is among the two nearest of the other.
  ///
  /// Two, since the right one is often the second; both ways, since a point that looks like everything is otherwise matched by
  /// everything.
  init(of query: DescriptorSet, in map: DescriptorSet) {
    let limit = Int((Self.near * Double(Self.typicalDistance(query, map))).rounded(.up))
    let planes = BitPlanes(map, against: query)
    var ofQuery = [NearestFew](repeating: NearestFew(), count: query.positions.count)
    var ofMap = [NearestFew](repeating: NearestFew(), count: map.positions.count)
    let (queryOwners, mapOwners) = (query.owners, map.owners)
    planes.forEachPair(query, below: limit) { mine, theirs in
      let distance = Int32(query.distance(mine, map, theirs))
      let (i, j) = (queryOwners[mine], mapOwners[theirs])
      ofQuery[Int(i)].add(j, at: distance)
      ofMap[Int(j)].add(i, at: distance)
    }
    var matches: [Match] = []
    let gap = Self.leastGap * Float(limit)
    for (i, nearest) in ofQuery.enumerated() {
      for (j, distance) in nearest.two where j >= 0 && ofMap[Int(j)].two.contains(where: { $0.point == Int32(i) }) {
        let others = min(
          nearest.distance(apartFrom: Int(j), map.positions, Self.apart) ?? Int32(limit),
          ofMap[Int(j)].distance(apartFrom: i, query.positions, Self.apart) ?? Int32(limit))
        matches.append(
          Match(
            query: Int32(i), map: j, distance: distance,
            isDistinct: Float(distance) < min(Self.distinct * Float(others), Float(others) - gap)))
      }
    }
    self.matches = matches.sorted {
      ($0.isDistinct ? 0 : 1, $0.distance, $0.query, $0.map) < ($1.isDistinct ? 0 : 1, $1.distance, $1.query, $1.map)
    }
  }

  /// The median distance of sightings that have nothing to do with each other.
  ///
  /// The pairs are the upper bits of products with two odd numbers, which hit all sightings about equally.
  private static func typicalDistance(_ query: DescriptorSet, _ map: DescriptorSet) -> Float {
    quantile(
      0.5,
      of: (0..<samples).map { sample in
        let mine = UInt64(sample) &* 0x9e37_79b9_7f4a_7c15 >> 32
        let theirs = UInt64(sample) &* 0xd1b5_4a32_d192_ed03 >> 32
        return Float(query.distance(Int(mine) % query.count, map, Int(theirs) % map.count))
      })
  }
}

/// The few points of the other cloud that look most like a point, nearest first.
struct NearestFew {
  typealias Entry = (point: Int32, distance: Int32)

  /// More are not kept.
  static let most = 6

  /// The points; −1 where there is none.
  private(set) var entries: [6 of Entry] = .init(repeating: (-1, .max))

  /// The nearest two.
  var two: [Entry] { [entries[0], entries[1]] }

  /// Records a distance to a point, of which another one may have come before.
  mutating func add(_ point: Int32, at distance: Int32) {
    guard (distance, point) < (entries[Self.most - 1].distance, entries[Self.most - 1].point) else { return }
    // The place of an earlier distance to the point, or the last one, is given up.
    var place = 0
    while place < Self.most - 1, entries[place].point != point { place += 1 }
    guard entries[place].point != point || distance < entries[place].distance else { return }
    while place > 0, (distance, point) < (entries[place - 1].distance, entries[place - 1].point) {
      entries[place] = entries[place - 1]
      place -= 1
    }
    entries[place] = (point, distance)
    assert(place == Self.most - 1 || distance <= entries[place + 1].distance, "the nearest come first")
  }

  /// The distance to the nearest one that lies farther than `reach` from a point of the cloud (metres); nil where all lie
  /// near it.
  ///
  /// If more lie near it than are kept, that to the last one is the least that it can be.
  func distance(apartFrom point: Int, _ positions: [SIMD3<Float>], _ reach: Float) -> Int32? {
    for index in 0..<Self.most {
      let other = entries[index]
      guard other.point >= 0 else { return nil }
      if (positions[Int(other.point)] - positions[point]).lengthSquared > reach * reach { return other.distance }
    }
    return entries[Self.most - 1].distance
  }
}
