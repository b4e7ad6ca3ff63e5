import Glibc
public import WorldModel

extension Transform {
  /// The rotation as angles about the axes x (pitch), y (yaw) and z (roll), in radians.
  ///
  /// The rotation is first the roll, then the pitch, then the yaw, as those of a camera in ARKit. The pitch is from −π/2 to
  /// π/2, the others from −π to π. Where the pitch is ±π/2, yaw and roll turn about one axis, and the roll is 0.
  /// It belongs to a rigid transform (``validate()``).
  public var eulerAngles: SIMD3<Float> {
    let (x, y, z) = (columns.0, columns.1, columns.2)
    let cosine = (z.x * z.x + z.z * z.z).squareRoot()
    let pitch = atan2(-z.y, cosine)
    // Below this the two other angles would come from rounding alone.
    guard cosine > 1e-6 else { return [pitch, atan2(-x.z, x.x), 0] }
    return [pitch, atan2(z.x, z.z), atan2(x.y, y.y)]
  }
}
