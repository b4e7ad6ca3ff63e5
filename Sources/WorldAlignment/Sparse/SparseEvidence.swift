import WorldModel

/// The case for a pose in a sparse map, where most points of a scan have no point of the map near them.
///
/// ``Evidence`` asks for such points, so in a sparse map it measures the density of the map and not the truth of the pose. Every
/// figure must pass its threshold. They were set on places of other seeds than those that are reported.
struct SparseEvidence {
  /// The lead over the nearest rival elsewhere, as a t value over blocks; infinite without one.
  let lead: Float
  /// Where gravity is known, the sine of the angle between up in the two frames; else zero.
  let tilt: Float
  /// How sure it is that scan and map repeat each other, by points and spots: the sum of four ``Repetition/certainty``.
  var certainty: Float = .infinity
  /// The certainty of that rival, by spots alone, so the sum of two; an equal room is such a rival.
  var rival: Float = -.infinity

  /// Maps of more points are dense, and judged by ``Evidence`` alone, unless ``mostDensity`` says that they are wide.
  private static let mostMapPoints = 20_000
  /// The most points a cell of half a metre in a wide map that is sparse: as many as a room of 20,000 has.
  private static let mostDensity = 40
  /// Larger scans are judged by ``Evidence`` alone.
  static let mostQueryPoints = 80_000
  /// The least certainty of a pose that is accepted.
  static let leastCertainty: Float = 4

  /// Whether few points of a scan would have one of these points near them.
  ///
  /// A flat of four rooms has four times as many points as a room, and its scans find none of them nearer.
  static func isSparse(_ map: [SIMD3<Float>]) -> Bool {
    if map.count <= mostMapPoints { return true }
    // Cells with fewer hold outliers.
    return map.count <= mostDensity * PointGrid(map, cell: 0.5).occupied.count { $0.count >= 4 }
  }

  /// The figures relative to the least ones of a pose that is accepted.
  private var margin: Float {
    let repetition = min(certainty / Self.leastCertainty, rival > 3 ? 3 / rival : .infinity)
    return min(lead / 3, repetition, Evidence.mostTilt / max(tilt, 0.001))
  }

  /// Whether the figures that are known allow the pose.
  var isAccepted: Bool { margin >= 1 }

  /// How clear the case is, 0–1; from 0.5 on it is accepted.
  var confidence: Float { max(0, margin) / (1 + max(0, margin)) }
}
