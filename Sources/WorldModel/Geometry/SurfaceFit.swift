/// The flat surface that fits a few points best: principal component analysis of their 3×3 covariance.
package struct SurfaceFit: Equatable, Sendable {
  /// The middle of the points (metres).
  package let center: SIMD3<Float>
  /// The unit normal; its sign carries no meaning.
  package let normal: SIMD3<Float>
  /// The standard deviation of the points along the normal (metres).
  package let thickness: Float

  /// Fits `points`; nil for fewer than three, and when they lie on one line or one spot.
  package init?(_ points: some Collection<SIMD3<Float>>) {
    guard points.count >= 3 else { return nil }
    let center = points.reduce(SIMD3<Float>.zero, +) / Float(points.count)
    var diagonal = SIMD3<Float>.zero
    var mixed = SIMD3<Float>.zero  // yz, zx, xy
    for point in points {
      let offset = point - center
      diagonal += offset * offset
      mixed += SIMD3(offset.y * offset.z, offset.z * offset.x, offset.x * offset.y)
    }
    let trace = diagonal.sum()
    guard trace > 0, trace.isFinite else { return nil }
    // Scaled to trace 1, so that thresholds mean the same for a screw and for a house.
    let smallest = Self.smallestEigenvalue(diagonal / trace, mixed / trace)
    guard let normal = Self.eigenvector(diagonal / trace, mixed / trace, smallest) else { return nil }
    self.center = center
    self.normal = normal
    thickness = (max(0, smallest) * trace / Float(points.count)).squareRoot()
  }

  /// The smallest root of the characteristic polynomial, by Newton's method from 0.
  ///
  /// All three roots are real and none is negative, so from the left of the smallest the steps rise to it and never
  /// overshoot.
  private static func smallestEigenvalue(_ d: SIMD3<Float>, _ m: SIMD3<Float>) -> Float {
    let trace = d.x + d.y + d.z
    let minors = d.x * d.y + d.y * d.z + d.z * d.x - m.dot(m)
    let determinant = d.x * (d.y * d.z - m.x * m.x) - m.z * (m.z * d.z - m.x * m.y) + m.y * (m.z * m.x - d.y * m.y)
    var root: Float = 0
    for _ in 0..<24 {
      let value = ((root - trace) * root + minors) * root - determinant
      let slope = (3 * root - 2 * trace) * root + minors
      guard slope > 1e-12, value < 0 else { break }
      root -= value / slope
    }
    return root
  }

  /// The direction that the matrix minus `root` maps to zero: the longest vector product of two of its rows.
  private static func eigenvector(_ d: SIMD3<Float>, _ m: SIMD3<Float>, _ root: Float) -> SIMD3<Float>? {
    let rows = (
      SIMD3(d.x - root, m.z, m.y), SIMD3(m.z, d.y - root, m.x), SIMD3(m.y, m.x, d.z - root)
    )
    let products = [rows.0.cross(rows.1), rows.1.cross(rows.2), rows.2.cross(rows.0)]
    // Two small eigenvalues mean a line: the product of the others, which is this length, is then zero.
    guard let longest = products.max(by: { $0.dot($0) < $1.dot($1) }), longest.length > 1e-4 else { return nil }
    return longest.unit
  }
}
