import WorldModel

/// The two long axes of a point's neighbourhood: the directions in which the point can slide along its own surface.
struct OwnSurface {
  /// The longest axis, of length 1.
  let first: SIMD3<Float>
  /// The middle axis; its length is its extent relative to that of the longest one, so it is short on an edge.
  let second: SIMD3<Float>

  /// Neighbours within this distance count (metres): short, lest an edge look like a wall.
  static let reach: Float = 0.12
  /// Fewer neighbours, the point included, do not tell an edge from a wall.
  private static let fewest: Float = 4

  /// - Parameter cloud: A grid of cells of ``reach`` with the point itself.
  init(of point: SIMD3<Float>, in cloud: PointGrid) {
    var (sum, count) = (SIMD3<Float>.zero, Float.zero)
    var (x, y, z) = (SIMD3<Float>.zero, SIMD3<Float>.zero, SIMD3<Float>.zero)
    cloud.forEachRun(around: point, reach: Self.reach) { run in
      for other in run {
        let d = cloud.points[other] - point
        guard d.lengthSquared <= Self.reach * Self.reach else { continue }
        sum += d
        count += 1
        (x, y, z) = (x + d * d.x, y + d * d.y, z + d * d.z)
      }
    }
    let mean = sum / count
    // A millimetre of own noise keeps the matrix regular where there is no neighbour.
    let noise: Float = 1e-6
    (x, y, z) = (x / count - mean * mean.x, y / count - mean * mean.y, z / count - mean * mean.z)
    (x.x, y.y, z.z) = (x.x + noise, y.y + noise, z.z + noise)
    let axis = Self.dominant(x, y, z)
    let largest = SIMD3(x.dot(axis), y.dot(axis), z.dot(axis)).dot(axis)
    // Without the longest axis the middle one dominates.
    let rest = axis * largest
    let middle = Self.dominant(x - rest * axis.x, y - rest * axis.y, z - rest * axis.z)
    let extent = SIMD3(x.dot(middle), y.dot(middle), z.dot(middle)).dot(middle)
    first = axis
    second = middle * (count < Self.fewest ? 1 : (max(extent, 0) / largest).squareRoot())
  }

  /// The eigenvector of the largest eigenvalue of a symmetric matrix of these columns, by squaring the matrix.
  private static func dominant(_ x: SIMD3<Float>, _ y: SIMD3<Float>, _ z: SIMD3<Float>) -> SIMD3<Float> {
    var (x, y, z) = (x, y, z)
    // 2⁶ = 64 steps of the power iteration: two axes that it cannot tell apart serve alike.
    for _ in 0..<6 {
      let scale = 1 / max(x.x + y.y + z.z, 1e-30)
      (x, y, z) = (x * scale, y * scale, z * scale)
      let image = { (v: SIMD3<Float>) in x * v.x + y * v.y + z * v.z }
      (x, y, z) = (image(x), image(y), image(z))
    }
    let longest = x.x >= y.y && x.x >= z.z ? x : y.y >= z.z ? y : z
    return longest.unit ?? [1, 0, 0]
  }
}
