/// The few vector operations that geometry needs; written out so that every machine rounds alike.
extension SIMD3<Float> {
  /// The scalar product with `other`.
  @inline(__always)
  package func dot(_ other: Self) -> Float { x * other.x + y * other.y + z * other.z }

  /// The vector product with `other`, by the right-hand rule.
  @inline(__always)
  package func cross(_ other: Self) -> Self {
    Self(y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x)
  }

  /// The Euclidean length.
  @inline(__always)
  package var length: Float { dot(self).squareRoot() }

  /// The vector of length one in the same direction; nil when there is none (zero, infinite or NaN).
  package var normalized: Self? {
    let length = length
    guard length > 0, length.isFinite else { return nil }
    return self / length
  }

  /// Whether no component is infinite or NaN.
  @inline(__always)
  package var isFinite: Bool { x.isFinite && y.isFinite && z.isFinite }
}

extension SIMD4<Float> {
  /// The first three components.
  @inline(__always)
  package var xyz: SIMD3<Float> { SIMD3(x, y, z) }
}
