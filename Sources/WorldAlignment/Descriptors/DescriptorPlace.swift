import WorldModel

/// Finds a cloud in a map by what its points look like.
struct DescriptorPlace {
  /// Fewer points with descriptors than this give no pose.
  static let fewestPoints = 20
  /// Fewer matches than this give none.
  private static let fewestMatches = 8
  /// Poses that are fitted and compared.
  private static let mostCompared = 12
  /// The reaches of the fits, one after the other (metres).
  private static let reaches: [Float] = [0.10, 0.08, 0.06, 0.06]

  let map: DescriptorSet

  /// The place of a query, with the decision on it; nil where the two look nothing alike or are not comparable.
  func locate(_ query: DescriptorSet, _ mode: AlignmentMode) -> Relocalization? {
    guard query.isComparable(with: map), min(query.positions.count, map.positions.count) >= Self.fewestPoints else {
      return nil
    }
    let matches = DescriptorMatches(of: query, in: map).matches
    guard matches.count >= Self.fewestMatches else { return nil }
    let center = matches.map { map.positions[Int($0.map)] }.mean
    let all = MatchedPoints(matches, query, map, about: center, mode)
    let distinct = MatchedPoints(matches.filter(\.isDistinct), query, map, about: center, mode)
    let middle = all.middle
    let found = Self.compared(all, distinct, middle).map {
      (motion: $0, evidence: MatchEvidence(distinct, all, at: $0, mode))
    }
    .sorted { $0.evidence.excess > $1.evidence.excess }
    guard let best = found.first else { return nil }
    let elsewhere = found.dropFirst().filter {
      // 25 cm or 10°.
      $0.motion.differs(from: best.motion, at: middle, shift: 0.25, cosines: 2.969_6)
    }
    let verdict = best.evidence.verdict(against: elsewhere.map(\.evidence))
    return Self.answer(best.motion, best.evidence, verdict, distinct, center, points: query.positions.count, mode)
  }

  /// The poses that bring most of the distinct matches together, and most of all of them, each fitted to all.
  private static func compared(
    _ all: MatchedPoints, _ distinct: MatchedPoints, _ middle: SIMD3<Float>
  ) -> [RigidMotion] {
    let proposals = all.proposals()
    return [distinct, all].flatMap { counted in
      var order = proposals.map { (motion: $0, count: counted.count(at: $0, within: 0.08)) }
      order.sort { $0.count > $1.count }
      var compared: [RigidMotion] = []
      while let best = order.first, compared.count < mostCompared {
        var motion = best.motion
        for reach in reaches {
          guard let next = all.fitted(from: motion, within: reach) else { break }
          motion = next
        }
        compared.append(motion)
        // 15 cm or 6°.
        order = order.filter { $0.motion.differs(from: best.motion, at: middle, shift: 0.15, cosines: 2.989_04) }
      }
      return compared
    }
  }

  private static func answer(
    _ motion: RigidMotion, _ evidence: MatchEvidence, _ verdict: MatchEvidence.Verdict, _ matched: MatchedPoints,
    _ center: SIMD3<Float>, points: Int, _ mode: AlignmentMode
  ) -> Relocalization {
    let pairs = evidence.hits.map {
      RigidFit.Pair(source: matched.sources[$0.index], target: matched.targets[$0.index] + center)
    }
    var world = motion
    world.offset += center
    let squares = evidence.hits.reduce(Float.zero) { $0 + $1.error * $1.error }
    let fit = try? RigidFit(pairs, mode: mode)
    let box = BoundingBox(containing: pairs.map(\.target))
    return Relocalization(
      proposal: world.transform.orthonormalized(), uncertainty: fit?.uncertainty, inliers: pairs.count,
      inlierRatio: Float(pairs.count) / Float(points),
      rms: pairs.isEmpty ? 0 : (squares / Float(pairs.count)).squareRoot(),
      confidence: fit == nil ? 0 : verdict.confidence, state: fit == nil ? .limited(.littleOverlap) : verdict.state,
      support: box.map { Relocalization.Support(source: .descriptors, points: pairs.count, box: $0) })
  }
}

extension MatchedPoints {
  /// The median of the query's matched points on each axis (metres).
  var middle: SIMD3<Float> {
    var middle = SIMD3<Float>.zero
    for axis in 0..<3 { middle[axis] = quantile(0.5, of: sources.map { $0[axis] }) }
    return middle
  }
}
