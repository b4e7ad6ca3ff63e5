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
    let matches = DescriptorMatches(of: query, in: map)
    guard matches.matches.count >= Self.fewestMatches else { return nil }
    let center = matches.matches.map { map.positions[Int($0.map)] }.mean
    let matched = MatchedPoints(matches, query, map, about: center, mode)
    let grid = PointGrid(matched.targets, cell: MatchEvidence.reach)
    let middle = matched.middle
    let found = compared(matched, middle).map { (motion: $0, evidence: MatchEvidence(matched, at: $0, grid, mode)) }
      .sorted { $0.evidence.excess > $1.evidence.excess }
    guard let best = found.first else { return nil }
    let elsewhere = found.dropFirst().filter {
      // 25 cm or 10°.
      $0.motion.differs(from: best.motion, at: middle, shift: 0.25, cosines: 2.969_6)
    }
    let rival = elsewhere.map(\.evidence.tail).max() ?? 0
    return Self.answer(best.motion, best.evidence, rival: rival, matched, center, points: query.positions.count, mode)
  }

  /// The poses that bring most matches together, each fitted to them, and each apart from the others.
  private func compared(_ matched: MatchedPoints, _ middle: SIMD3<Float>) -> [RigidMotion] {
    var order = matched.proposals().map { (motion: $0, count: matched.count(at: $0, within: 0.08)) }
    order.sort { $0.count > $1.count }
    var compared: [RigidMotion] = []
    while let best = order.first, compared.count < Self.mostCompared {
      var motion = best.motion
      for reach in Self.reaches {
        guard let next = matched.fitted(from: motion, within: reach) else { break }
        motion = next
      }
      compared.append(motion)
      // 15 cm or 6°.
      order = order.filter { $0.motion.differs(from: best.motion, at: middle, shift: 0.15, cosines: 2.989_04) }
    }
    return compared
  }

  private static func answer(
    _ motion: RigidMotion, _ evidence: MatchEvidence, rival: Double, _ matched: MatchedPoints, _ center: SIMD3<Float>,
    points: Int, _ mode: AlignmentMode
  ) -> Relocalization {
    let pairs = evidence.hits.map {
      RigidFit.Pair(source: matched.sources[$0.index], target: matched.targets[$0.index] + center)
    }
    var world = motion
    world.offset += center
    let squares = evidence.hits.reduce(Float.zero) { $0 + $1.error * $1.error }
    let fit = try? RigidFit(pairs, mode: mode)
    let state = fit == nil ? .limited(.ambiguous) : evidence.state(rival: rival)
    let box = BoundingBox(containing: pairs.map(\.target))
    return Relocalization(
      proposal: world.transform.orthonormalized(), uncertainty: fit?.uncertainty, inliers: pairs.count,
      inlierRatio: Float(pairs.count) / Float(points),
      rms: pairs.isEmpty ? 0 : (squares / Float(pairs.count)).squareRoot(),
      confidence: fit == nil ? 0 : evidence.confidence(rival: rival), state: state,
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
