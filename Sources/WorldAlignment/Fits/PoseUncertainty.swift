import WorldModel

/// How sure a transform is: the covariance of the small motion that may still be missing.
///
/// That motion is a turn about ``center`` (a vector of radians) and then a shift (metres), both in the target frame. About
/// the middle of the measured points the two hardly depend on each other, which they would about a far origin.
public struct PoseUncertainty: Hashable, Sendable {
  /// The point of the target frame that the turn leaves in place (metres).
  public let center: SIMD3<Float>
  /// The 6 × 6 covariance, row by row: turn (rad²), then shift (m²); rows of held directions are zero.
  public let covariance: [Double]

  package init(center: SIMD3<Float>, covariance: [Double]) {
    self.center = center
    self.covariance = covariance
  }

  /// The standard deviation of the position of ``center``, over all directions (metres).
  public var position: Double { (covariance[21] + covariance[28] + covariance[35]).squareRoot() }

  /// The standard deviation of the orientation, over all axes (radians).
  public var orientation: Double { (covariance[0] + covariance[7] + covariance[14]).squareRoot() }
}

extension NormalEquations {
  /// The covariance when each measurement of weight 1 has the variance `variance` (m²); nil when some motion is free.
  func uncertainty(about center: SIMD3<Float>, variance: Double, isLevel: Bool) -> PoseUncertainty? {
    let size = isLevel ? 4 : 6
    // Turns are measured in radians, shifts in metres: a lever of a metre makes them comparable.
    guard let inverse = SymmetricEigen(symmetric(isLevel: isLevel), size: size).inverse(tolerance: 1e-9) else {
      return nil
    }
    var covariance = [Double](repeating: 0, count: 36)
    let rows = isLevel ? Self.yawOnly : Array(0..<6)
    for (i, row) in rows.enumerated() {
      for (j, column) in rows.enumerated() { covariance[row * 6 + column] = inverse[i * size + j] * variance }
    }
    return PoseUncertainty(center: center, covariance: covariance)
  }
}
