import WorldModel

/// The neighbourhood of a pose: the best pose there, and whether others explain the cloud nearly as well.
///
/// Closest points overrate their own precision, because every pose finds pairs of its own. Where few points of a scan are
/// in the map there is a valley of many minima, which may span several degrees. So each motion is held at a distance, to
/// both sides, while the others are free (a profile likelihood). A pose is only as well known as these rivals are worse.
struct Vicinity {
  /// A pose with the closeness of every point there.
  private struct Pose {
    var motion: RigidMotion
    var closeness: [Float]
    var sum: Float
  }

  /// The distance at which a pose is another one: a shift (metres) and a turn (2°, in radians).
  static let (shift, turn): (Float, Double) = (0.05, 0.034_906_585)
  /// Rivals that are freed to see whether they settle somewhere better.
  private static let mostFreed = 3
  /// The relative gain that makes another pose the best, and how often one may.
  private static let (gain, mostRounds): (Float, Int) = (1.002, 4)
  /// The distance at which the closeness is a quarter (metres): with an error of 2 cm in scan and map, each in all directions,
  /// the pairs of the right pose are 5 cm apart.
  private static let scale: Float = 0.045
  /// Of larger clouds every n-th point is used.
  private static let mostPoints = 1500

  private let points: [SIMD3<Float>]
  private let middle: SIMD3<Float>
  private let map: PointGrid
  private let isUpright: Bool
  /// The motions that are not known: with gravity no tilts.
  private let unknowns: [Int]

  init(of cloud: [SIMD3<Float>], in map: PointGrid, _ mode: AlignmentMode) {
    let step = max(1, (cloud.count + Self.mostPoints - 1) / Self.mostPoints)
    points = stride(from: 0, to: cloud.count, by: step).map { cloud[$0] }
    middle = points.mean
    self.map = map
    isUpright = mode == .gravity
    unknowns = isUpright ? NormalEquations.yawOnly : Array(0..<6)
  }

  /// The best pose near `start`, and by how many standard deviations of the sum over the points it is better than the best
  /// pose that is farther from it than ``shift`` or ``turn``.
  func best(near start: RigidMotion) -> (motion: RigidMotion, lead: Float) {
    var best = settled(start, held: nil)
    var round = 1
    while true {
      let held = unknowns.flatMap { unknown in
        [-1, 1].map { settled(moved(best.motion, unknown, by: $0), held: unknown) }
      }
      let freed = held.sorted { $0.sum > $1.sum }.prefix(Self.mostFreed).map { settled($0.motion, held: nil) }
      if round < Self.mostRounds, let better = freed.max(by: { $0.sum < $1.sum }), better.sum > Self.gain * best.sum {
        best = better
        round += 1
        continue
      }
      let rivals = held + freed.filter { isAnother($0.motion, than: best.motion) }
      return (best.motion, rivals.map { Self.lead(of: best, over: $0) }.min() ?? 0)
    }
  }

  /// Closest points from `start`, and how well the points meet the map there.
  private func settled(_ start: RigidMotion, held: Int?) -> Pose {
    var closest = ClosestPoints(from: start, isUpright: isUpright, held: held)
    _ = closest.run(points, on: map, .last)
    let closeness = points.map { point in
      map.nearest(to: closest.motion.act(on: point), within: Fitness.farthest).map {
        Fitness.closeness(of: $0.square, scale: Self.scale)
      } ?? 0
    }
    return Pose(motion: closest.motion, closeness: closeness, sum: closeness.reduce(0, +))
  }

  private func moved(_ motion: RigidMotion, _ unknown: Int, by distances: Double) -> RigidMotion {
    if unknown >= 3 {
      var step = SIMD3<Float>.zero
      step[unknown - 3] = Float(distances) * Self.shift
      return motion.shifted(by: step)
    }
    var step = SIMD3<Double>.zero
    step[unknown] = distances * Self.turn
    return motion.turned(by: .turn(step), about: motion.act(on: middle))
  }

  private func isAnother(_ pose: RigidMotion, than other: RigidMotion) -> Bool {
    pose.differs(from: other, at: middle, shift: Self.shift, cosines: 2.998_782)
  }

  /// The gain in closeness over a rival, divided by its standard deviation if the points gain independently.
  private static func lead(of pose: Pose, over rival: Pose) -> Float {
    var (sum, squares): (Float, Float) = (0, 0)
    for (mine, other) in zip(pose.closeness, rival.closeness) {
      sum += mine - other
      squares += (mine - other) * (mine - other)
    }
    return squares > 0 ? sum / squares.squareRoot() : 0
  }
}
