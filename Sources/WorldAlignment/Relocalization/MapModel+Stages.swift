import WorldModel

extension MapModel {
  /// Poses that are refined and compared.
  static let mostDistinct = 4
  /// Peaks that are polished in full.
  private static let mostPolished = 160

  /// The polished peaks of the search, best first.
  ///
  /// The coarse score says little: of hard scans the right peak may be the hundredth of its direction. So all peaks are polished
  /// roughly with a part of the points, and only the best of these in full.
  /// - Parameter tilts: The turns that may make the cloud upright.
  func candidates(
    for query: Query, _ mode: AlignmentMode, tilts: [RigidMotion], _ work: inout PlaceMemory.Work,
    _ isCancelled: () -> Bool
  ) throws(AlignmentError) -> [RankedPose] {
    // Fewer turns in a sparse map pay for the second decision there.
    let upright = sparse == nil ? 120 : 90
    let turns = mode == .gravity ? upright : 60
    let few = stride(from: 0, to: query.sample.count, by: 4).map { query.sample[$0] }
    var rough: [RankedPose] = []
    for tilt in tilts {
      let scan = SearchCloud(query.points.map { tilt.rotate($0) })
      var search = PoseSearch(scan, in: points, box, turns: turns * tilts.count)
      for turn in RigidMotion.yaws(turns) {
        guard !isCancelled() else { throw .cancelled }
        rough += search.peaks(turn).map { peak in
          nearness.polish(few, middle: query.middle, peak.after(tilt), tilts: mode == .free, isRough: true)
        }
        work.turns += 1
      }
    }
    rough.sort { $0.score > $1.score }
    let polished = rough.prefix(Self.mostPolished).map { pose in
      nearness.polish(query.sample, middle: query.middle, pose.motion, tilts: mode == .free)
    }
    return polished.sorted { $0.score > $1.score }
  }

  /// The best poses that are at different places.
  static func distinct(_ ranked: [RankedPose], at middle: SIMD3<Float>) -> [RankedPose] {
    var distinct: [RankedPose] = []
    for pose in ranked where distinct.allSatisfy({ pose.motion.isElsewhere(than: $0.motion, at: middle) }) {
      distinct.append(pose)
      if distinct.count == mostDistinct { break }
    }
    return distinct
  }

  /// The pose after closest points with ever nearer pairs.
  func refined(_ query: Query, _ start: RigidMotion, _ mode: AlignmentMode) -> RigidMotion {
    var closest = ClosestPoints(from: start, isUpright: mode == .gravity)
    let (grid, normals) = (surfaces.grid, surfaces.normals)
    _ =
      closest.run(query.points, on: grid, normals: normals, .init(reach: 0.15, scale: 0.05, uprightness: 1, steps: 10))
      && closest.run(
        query.points, on: grid, normals: normals, .init(reach: 0.08, scale: 0.02, uprightness: 1, steps: 10))
      && closest.run(query.points, on: all, .init(reach: 0.05, scale: 0.015, uprightness: 0.1, steps: 6))
    return closest.motion
  }

  /// Poses after ``refined(_:_:_:)``, with the closeness there, best first.
  func judged(
    _ query: Query, _ poses: [RigidMotion], _ mode: AlignmentMode, _ work: inout PlaceMemory.Work,
    _ isCancelled: () -> Bool
  ) throws(AlignmentError) -> [(motion: RigidMotion, closeness: Float)] {
    var judged: [(motion: RigidMotion, closeness: Float)] = []
    for pose in poses {
      guard !isCancelled() else { throw .cancelled }
      let motion = refined(query, pose, mode)
      work.refinements += 1
      judged.append((motion, Fitness(of: query.points, motion, in: all).closeness))
    }
    return judged.sorted { $0.closeness > $1.closeness }
  }

  /// The decision on the best of some poses, by what the best elsewhere reaches.
  func verdict(
    _ query: Query, _ judged: [(motion: RigidMotion, closeness: Float)], _ mode: AlignmentMode
  ) -> Relocalization {
    guard let best = judged.first else { return .without(.littleOverlap) }
    let other = judged.dropFirst().first { $0.motion.isElsewhere(than: best.motion, at: query.middle) }
    let answer = verdict(query, best.motion, mode, elsewhere: other?.closeness)
    return answer.isAccepted ? answer : sparseVerdict(query, judged.map(\.motion), mode) ?? answer
  }

  /// The decision on a pose, and on the best one near it if the pose itself convinces.
  func verdict(_ query: Query, _ start: RigidMotion, _ mode: AlignmentMode, elsewhere: Float?) -> Relocalization {
    let (answer, motion) = verdict(query, start, mode, elsewhere: elsewhere, nearby: .infinity)
    guard answer.isAccepted else { return answer }
    let best = Vicinity(of: query.all, in: all, mode).best(near: motion)
    return verdict(query, best.motion, mode, elsewhere: elsewhere, nearby: best.lead).answer
  }

  /// The last pass with all points, the decision, and the pose that it is about.
  private func verdict(
    _ query: Query, _ start: RigidMotion, _ mode: AlignmentMode, elsewhere: Float?, nearby: Float
  ) -> (answer: Relocalization, motion: RigidMotion) {
    var closest = ClosestPoints(from: start, isUpright: mode == .gravity)
    let isDetermined = closest.run(query.all, on: all, .last)
    let motion = closest.motion
    let fitness = Fitness(of: query.points, motion, in: all)
    let slid = RigidMotion.compass.map { direction in
      Fitness(of: query.points, motion.shifted(by: direction * Evidence.slide), in: all).closeness
    }
    // A map so small that there is no pose elsewhere must convince by the other figures.
    let overlap = Float(fitness.inliers) / Float(query.points.count)
    let least: Float = 1e-3
    let uncertainty =
      isDetermined
      ? closest.equations.uncertainty(
        about: closest.center + self.center, variance: Double(fitness.rms * fitness.rms) / 3, isLevel: false) : nil
    let evidence = Evidence(
      overlap: overlap, lead: fitness.closeness / max(elsewhere ?? 0, least),
      sharpness: fitness.closeness / max(slid.max() ?? 0, least),
      tilt: mode == .gravity ? SIMD2(motion.y.x, motion.y.z).length : 0,
      deviation: uncertainty.map { Float($0.orientation) } ?? .infinity, nearby: nearby)
    var world = motion
    world.offset += center
    let answer = Relocalization(
      proposal: world.transform.orthonormalized(), uncertainty: uncertainty, inliers: fitness.inliers,
      inlierRatio: overlap, rms: fitness.rms, confidence: evidence.confidence, state: evidence.state,
      support: support(of: query, motion))
    return (answer, motion)
  }

  /// The part of the map that the inliers at a pose lie in.
  private func support(of query: Query, _ motion: RigidMotion) -> Relocalization.Support? {
    let inliers = query.points.map(motion.act).filter { all.nearest(to: $0, within: Relocalization.reach) != nil }
    guard let box = BoundingBox(containing: inliers) else { return nil }
    return Relocalization.Support(
      source: .geometry, points: inliers.count,
      box: BoundingBox(minimum: box.minimum + center, maximum: box.maximum + center))
  }
}
