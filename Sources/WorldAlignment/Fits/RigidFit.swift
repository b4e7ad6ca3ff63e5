public import WorldModel

/// The rigid transform that moves points onto their partners with the least weighted sum of squared distances.
///
/// Source: Umeyama, "Least-squares estimation of transformation parameters between two point patterns", IEEE PAMI 13(4),
/// 1991, without scale; where gravity is known, the same problem in the horizontal plane, which has a closed form.
public struct RigidFit: Hashable, Sendable {
  /// A point in the source frame, the same one in the target frame (metres), and how much the pair counts.
  public struct Pair: Hashable, Sendable {
    /// The position in the source frame (metres).
    public var source: SIMD3<Float>
    /// The position in the target frame (metres).
    public var target: SIMD3<Float>
    /// The weight: the inverse of the relative variance, at least 0.
    public var weight: Float

    /// A pair that counts once unless told otherwise.
    public init(source: SIMD3<Float>, target: SIMD3<Float>, weight: Float = 1) {
      self.source = source
      self.target = target
      self.weight = weight
    }
  }

  /// Coordinates farther from the origin than this (metres) are refused: Float has steps of 6 cm there.
  public static let farthest: Float = 1_000_000

  /// Source to target.
  public let transform: Transform
  /// The weighted root mean square of the remaining distances (metres).
  public let rms: Double
  /// How sure ``transform`` is, by the distances that remain; with few pairs this is itself a rough figure.
  public let uncertainty: PoseUncertainty

  /// Fits pairs of points.
  ///
  /// - Parameter mode: ``AlignmentMode/gravity`` needs two pairs that are not above each other, ``AlignmentMode/free`` three that are not
  ///   on a line.
  /// - Throws: ``AlignmentError``.
  public init(_ pairs: [Pair], mode: AlignmentMode) throws(AlignmentError) {
    for pair in pairs {
      let size = max(pair.source.largestMagnitude, pair.target.largestMagnitude)
      guard pair.source.isFinite, pair.target.isFinite, pair.weight.isFinite, size <= Self.farthest else {
        throw .notFinite
      }
      guard pair.weight >= 0 else { throw .negativeWeight }
    }
    let used = pairs.filter { $0.weight > 0 }
    let needed = mode == .gravity ? 2 : 3
    guard used.count >= needed else { throw .notEnough(found: used.count, needed: needed) }
    let total = used.reduce(0) { $0 + Double($1.weight) }
    let middle = used.reduce((source: SIMD3<Double>.zero, target: SIMD3<Double>.zero)) { sums, pair in
      let share = Double(pair.weight) / total
      return (sums.source + SIMD3(of: pair.source) * share, sums.target + SIMD3(of: pair.target) * share)
    }
    let moments = CrossMoments(used, about: middle)
    let axes =
      switch mode {
      case .gravity: try moments.yaw()
      case .free: try moments.rotation()
      }
    let shift = middle.target - axes.apply(middle.source)
    transform = Transform(
      x: SIMD3(rounding: axes.x).withoutSubnormals, y: SIMD3(rounding: axes.y).withoutSubnormals,
      z: SIMD3(rounding: axes.z).withoutSubnormals, translation: SIMD3(rounding: shift).withoutSubnormals)
    var squares = 0.0
    var equations = NormalEquations()
    for pair in used {
      let arm = axes.apply(SIMD3(of: pair.source) - middle.source)
      let gap = SIMD3(of: pair.target) - middle.target - arm
      squares += Double(pair.weight) * gap.lengthSquared
      equations.addPoint(arm: SIMD3(rounding: arm), gap: .zero, weight: pair.weight)
    }
    rms = (squares / total).squareRoot()
    // Three coordinates a pair, less what the transform takes up.
    let freedom = 3 * used.count - (mode == .gravity ? 4 : 6)
    let found = equations.uncertainty(
      about: SIMD3(rounding: middle.target), variance: squares / Double(freedom), isLevel: mode == .gravity)
    guard let found else { throw .degenerate }
    uncertainty = found
  }
}
