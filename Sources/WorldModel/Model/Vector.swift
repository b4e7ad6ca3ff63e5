/// The few vector operations the package needs; Swift's SIMD types have none of them outside Apple's `simd`.
///
/// They are inlinable because inner loops of other modules would otherwise call them unspecialised, 50 times slower.
extension SIMD where Scalar: FloatingPoint {
  /// The scalar product.
  @inlinable package func dot(_ other: Self) -> Scalar { (self * other).sum() }

  /// The squared Euclidean length.
  @inlinable package var lengthSquared: Scalar { dot(self) }

  /// The Euclidean length.
  @inlinable package var length: Scalar { lengthSquared.squareRoot() }

  /// The vector of length 1 in this direction; nil when the length is zero or not finite.
  @inlinable package var unit: Self? {
    let length = length
    guard length.isFinite, length > 0 else { return nil }
    return self / length
  }
}

extension SIMD3 where Scalar: FloatingPoint {
  /// The vector product, right-handed: x × y = z.
  @inlinable package func cross(_ other: Self) -> Self {
    Self(
      y * other.z - z * other.y,
      z * other.x - x * other.z,
      x * other.y - y * other.x)
  }
}

extension SIMD where Scalar == Float {
  /// Whether every component is finite.
  @inlinable package var isFinite: Bool { indices.allSatisfy { self[$0].isFinite } }

  /// Whether some component is subnormal: not zero, yet below the smallest normal number.
  var isSubnormal: Bool { indices.contains { self[$0].isSubnormal } }
}
