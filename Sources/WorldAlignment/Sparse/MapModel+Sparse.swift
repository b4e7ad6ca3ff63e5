import WorldModel

extension MapModel {
  /// Points of a scan that move it to its last place, and that compare poses.
  private static let mostCompared = 1_000

  /// The decision on the best of some poses where the map is sparse; nil where it is not sure.
  func sparseVerdict(_ query: Query, _ starts: [RigidMotion], _ mode: AlignmentMode) -> Relocalization? {
    guard let sparse, query.cropped.count <= SparseEvidence.mostQueryPoints else { return nil }
    let scan = SparseScan(query.cropped)
    let sample = Self.some(Self.mostCompared, of: scan.grains.points)
    let poses = starts.map { settled(sample, $0, in: sparse, mode) }
    guard let best = poses.first else { return nil }
    let rivals = poses.filter { $0.isElsewhere(than: best, at: query.middle) }
    let nearest = nearest(of: rivals, to: best, sample, in: sparse)
    var evidence = SparseEvidence(
      lead: nearest?.lead ?? .infinity,
      tilt: mode == .gravity ? SIMD2(best.y.x, best.y.z).length : 0)
    // The cheapest figure comes first.
    guard evidence.isAccepted else { return nil }
    evidence.certainty = scan.certainty(at: best, in: sparse, by: [\.points, \.spots])
    guard evidence.isAccepted else { return nil }
    if let nearest { evidence.rival = scan.certainty(at: nearest.rival, in: sparse, by: [\.spots]) }
    guard evidence.isAccepted else { return nil }
    return answer(scan.grains.points, best, evidence, mode, in: sparse)
  }

  /// The pose of a scan near a believed one where it and a sparse map repeat each other; nil where they do not.
  func repeated(_ query: Query, near believed: RigidMotion, _ mode: AlignmentMode) -> RigidMotion? {
    guard let sparse, query.cropped.count <= SparseEvidence.mostQueryPoints else { return nil }
    let scan = SparseScan(query.cropped)
    let motion = settled(Self.some(Self.mostCompared, of: scan.grains.points), believed, in: sparse, mode)
    let certainty = scan.certainty(at: motion, in: sparse, by: [\.points, \.spots])
    return certainty >= SparseEvidence.leastCertainty ? motion : nil
  }

  /// Closest points with ever nearer pairs.
  private func settled(
    _ cloud: [SIMD3<Float>], _ start: RigidMotion, in sparse: PointGrid, _ mode: AlignmentMode
  ) -> RigidMotion {
    var closest = ClosestPoints(from: start, isUpright: mode == .gravity)
    for reach: Float in [0.06, 0.04, 0.03] {
      guard closest.run(cloud, on: sparse, .init(reach: reach, scale: reach / 3, uprightness: 2, steps: 3)) else {
        break
      }
    }
    return closest.motion
  }

  /// The rival that comes nearest to a pose, and by how many standard deviations the pose is closer to the map.
  private func nearest(
    of rivals: [RigidMotion], to best: RigidMotion, _ sample: [SIMD3<Float>], in sparse: PointGrid
  ) -> (rival: RigidMotion, lead: Float)? {
    let closeness = { (motion: RigidMotion) in
      sample.map { p in
        sparse.nearest(to: motion.act(on: p), within: Fitness.farthest).map {
          Fitness.closeness(of: $0.square, scale: 0.03)
        } ?? 0
      }
    }
    let mine = closeness(best)
    return rivals.map { rival -> (rival: RigidMotion, lead: Float) in
      var blocks = Blocks()
      for (point, (own, other)) in zip(sample, zip(mine, closeness(rival))) { blocks.add(own - other, at: point) }
      return (rival, Blocks.tValue(of: blocks.sums, prior: 1e-9))
    }.min { $0.lead < $1.lead }
  }

  private func answer(
    _ points: [SIMD3<Float>], _ motion: RigidMotion, _ evidence: SparseEvidence, _ mode: AlignmentMode,
    in sparse: PointGrid
  ) -> Relocalization? {
    // Only for how sure the pose is: it stays where it was judged.
    var last = ClosestPoints(from: motion, isUpright: mode == .gravity)
    guard last.run(points, on: sparse, .init(reach: 0.03, scale: 0.01, uprightness: 0.01, steps: 1)) else { return nil }
    let fitness = Fitness(of: points, motion, in: sparse)
    let uncertainty = last.equations.uncertainty(
      about: last.center + center, variance: Double(fitness.rms * fitness.rms) / 3, isLevel: false)
    guard let uncertainty else { return nil }
    let hits = points.map(motion.act).filter { sparse.hasPoint(near: $0, within: Repetition.hit) }
    return Relocalization(
      proposal: motion.shifted(by: center).transform.orthonormalized(), uncertainty: uncertainty,
      inliers: fitness.inliers, inlierRatio: Float(fitness.inliers) / Float(points.count), rms: fitness.rms,
      confidence: evidence.confidence, state: .normal,
      support: BoundingBox(containing: hits).map { box in
        Relocalization.Support(
          source: .geometry, points: hits.count,
          box: BoundingBox(minimum: box.minimum + center, maximum: box.maximum + center))
      })
  }

  /// At most `count` of the points, spread over all.
  private static func some(_ count: Int, of points: [SIMD3<Float>]) -> [SIMD3<Float>] {
    guard points.count > count else { return points }
    return (0..<count).map { points[$0 * points.count / count] }
  }
}
