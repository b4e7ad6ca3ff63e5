import WorldModel

/// How well points meet a map at one pose.
struct Fitness {
  /// The mean closeness: 1 for a point on a point of the map, 1/4 at 3 cm, nothing beyond 10 cm.
  var closeness: Float
  /// How many points lie within ``Relocalization/reach``.
  var inliers: Int
  /// The root mean square distance of these (metres).
  var rms: Float

  /// The distance at which the closeness is a quarter, and the largest that is looked at (metres).
  private static let scale: Float = 0.03
  static let farthest: Float = 0.1

  init(of points: [SIMD3<Float>], _ motion: RigidMotion, in map: PointGrid) {
    var sum: Float = 0
    var squares: Float = 0
    var inliers = 0
    for p in points {
      guard let (_, square) = map.nearest(to: motion.act(on: p), within: Self.farthest) else { continue }
      if square <= Relocalization.reach * Relocalization.reach {
        inliers += 1
        squares += square
      }
      sum += Self.closeness(of: square, scale: Self.scale)
    }
    closeness = sum / Float(max(1, points.count))
    self.inliers = inliers
    rms = inliers == 0 ? 0 : (squares / Float(inliers)).squareRoot()
  }

  /// The closeness of a point whose squared distance from the map is `square`; a quarter at `scale` metres.
  @inline(__always)
  static func closeness(of square: Float, scale: Float) -> Float {
    let root = 1 / (1 + square / (scale * scale))
    return root * root
  }
}

/// The case for and against the best pose: finding it is easier than knowing that it is right.
///
/// Every figure must pass its threshold. They were set on places of other seeds than those that are reported.
struct Evidence {
  /// The share of the query's points that are inliers.
  var overlap: Float
  /// The closeness at the pose, relative to the best pose elsewhere.
  var lead: Float
  /// The closeness at the pose, relative to the best of eight shifts by ``slide``: a corridor can be slid along.
  var sharpness: Float
  /// Where gravity is known, the sine of the angle between up in the two frames; else zero.
  var tilt: Float

  /// The standard deviation of the orientation by the pairs of the last pass (radians): few points, or points near a line, fit
  /// at many turns.
  var deviation: Float
  /// The lead over other poses nearby, in standard deviations (``Vicinity``); infinite while they are not known.
  var nearby: Float

  /// The horizontal shift to which a pose is compared (metres).
  static let slide: Float = 0.12
  /// The sine of the largest tilt of a pose that is accepted, 1.2°.
  ///
  /// A device knows up to a fraction of a degree: a pose that tilts by more fits something else.
  static let mostTilt: Float = 0.021
  /// The least overlap of a pose that is accepted.
  static let leastOverlap: Float = 0.55

  /// The figures relative to the least ones of a pose that is accepted.
  ///
  /// A wrong pose may have a large overlap, as in dense places, or a large lead by chance, but hardly both.
  private var margins: (overlap: Float, lead: Float, both: Float, pose: Float) {
    let turn = min(Self.mostTilt / max(tilt, 0.001), 0.003 / max(deviation, 1e-5))
    let pose = min(sharpness / 1.35, turn, max(nearby, 0) / 3)
    return (overlap / Self.leastOverlap, lead / 1.4, overlap * lead / 1.05, pose)
  }

  /// How clear the case is, 0–1; from 0.5 on all thresholds are passed.
  var confidence: Float {
    let (overlap, lead, both, pose) = margins
    let least = min(overlap, lead, both, pose)
    return least / (1 + least)
  }

  var state: Relocalization.State {
    let (overlap, lead, both, pose) = margins
    if overlap < 1 { return .limited(.littleOverlap) }
    return min(lead, both, pose) < 1 ? .limited(.ambiguous) : .normal
  }
}
