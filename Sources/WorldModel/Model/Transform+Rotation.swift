extension Transform {
  /// The rotation as a unit quaternion (x, y, z, w), w the real part and not negative.
  ///
  /// It belongs to a rigid transform (``validate()``); of any other matrix it is not meaningful.
  /// ``init(quaternion:translation:)`` is the inverse.
  ///
  /// Source: S. W. Shepperd, "Quaternion from rotation matrix", Journal of Guidance and Control 1 (1978): the largest of
  /// the four components comes from a root, so that no small number is divided by.
  public var quaternion: SIMD4<Float> {
    let (x, y, z) = axes
    let squares: SIMD4<Float> = [
      1 + x.x - y.y - z.z, 1 - x.x + y.y - z.z, 1 - x.x - y.y + z.z, 1 + x.x + y.y + z.z,
    ]
    let sums: SIMD3<Float> = [y.z + z.y, z.x + x.z, x.y + y.x]
    let differences: SIMD3<Float> = [y.z - z.y, z.x - x.z, x.y - y.x]
    // Each row is 4 × one component × (x, y, z, w).
    let row: SIMD4<Float> =
      switch squares.max() {
      case squares.w: SIMD4(differences, squares.w)
      case squares.x: [squares.x, sums.z, sums.y, differences.x]
      case squares.y: [sums.z, squares.y, sums.x, differences.y]
      default: [sums.y, sums.x, squares.z, differences.z]
      }
    guard let unit = row.unit else { return [0, 0, 0, 1] }
    return unit.w < 0 ? -unit : unit
  }
}
