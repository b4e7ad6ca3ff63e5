import WorldModel

/// A rotation in working precision, by columns.
struct RotationAxes {
  var x: SIMD3<Double>
  var y: SIMD3<Double>
  var z: SIMD3<Double>

  func apply(_ v: SIMD3<Double>) -> SIMD3<Double> { x * v.x + y * v.y + z * v.z }
}

/// The weighted products of the coordinates of paired points about their middles, from which a rotation follows.
struct CrossMoments {
  /// Σ w · target · sourceᵀ, by columns: one for each source coordinate.
  private var columns = [SIMD3<Double>](repeating: .zero, count: 3)
  /// Σ w |source|² and Σ w |target|²: what the moments are compared with.
  private var sourceSize = 0.0
  private var targetSize = 0.0
  /// The same in the horizontal plane.
  private var sourceLevel = 0.0
  private var targetLevel = 0.0
  /// Spreads below this are rounding (square metres, times the weights).
  private var rounding = 0.0

  /// A spread below this share of the largest gives no direction: 3 mm beside a line of a metre.
  private static let tolerance = 1e-5

  init(_ pairs: [RigidFit.Pair], about middle: (source: SIMD3<Double>, target: SIMD3<Double>)) {
    var farthest: Float = 0
    var total = 0.0
    for pair in pairs {
      farthest = max(farthest, pair.source.largestMagnitude, pair.target.largestMagnitude)
      total += Double(pair.weight)
      let source = SIMD3<Double>(of: pair.source) - middle.source
      let target = SIMD3<Double>(of: pair.target) - middle.target
      let weight = Double(pair.weight)
      for index in 0..<3 { columns[index] += target * (weight * source[index]) }
      sourceSize += weight * source.lengthSquared
      targetSize += weight * target.lengthSquared
      sourceLevel += weight * (source.x * source.x + source.z * source.z)
      targetLevel += weight * (target.x * target.x + target.z * target.z)
    }
    // Eight steps of Float at the farthest point.
    rounding = total * Double(farthest) * Double(farthest) * 1e-12
  }

  /// The turn about y that fits best: the angle whose tangent is Σ(target × source) / Σ(target · source) in the plane.
  func yaw() throws(AlignmentError) -> RotationAxes {
    let along = columns[0].x + columns[2].z
    let across = columns[2].x - columns[0].z
    guard sourceLevel > max(Self.tolerance * sourceSize, rounding),
      targetLevel > max(Self.tolerance * targetSize, rounding)
    else { throw .degenerate }
    let length = (along * along + across * across).squareRoot()
    guard length > Self.tolerance * (sourceLevel * targetLevel).squareRoot() else { throw .ambiguous }
    let (cosine, sine) = (along / length, across / length)
    return RotationAxes(x: [cosine, 0, -sine], y: [0, 1, 0], z: [sine, 0, cosine])
  }

  /// The rotation U · diag(1, 1, det UVᵀ) · Vᵀ of the singular value decomposition H = U S Vᵀ.
  ///
  /// V comes from the eigenvectors of HᵀH, U from H V; the third axes are vector products of the others, which is where the
  /// determinant goes.
  func rotation() throws(AlignmentError) -> RotationAxes {
    let scale = (sourceSize * targetSize).squareRoot()
    guard scale > 0 else { throw .degenerate }
    let h = columns.map { $0 / scale }
    let eigen = SymmetricEigen((0..<9).map { h[$0 / 3].dot(h[$0 % 3]) }, size: 3)
    let singular = eigen.values.map { max($0, 0).squareRoot() }
    guard singular[1] > max(Self.tolerance * singular[0], rounding / scale) else { throw .degenerate }
    let v = eigen.vectors.map { SIMD3($0[0], $0[1], $0[2]) }
    let image = { (e: SIMD3<Double>) in h[0] * e.x + h[1] * e.y + h[2] * e.z }
    let v2 = v[0].cross(v[1])
    guard let u0 = image(v[0]).unit, let u1 = (image(v[1]) - u0 * image(v[1]).dot(u0)).unit else { throw .degenerate }
    let u2 = u0.cross(u1)
    // A mirror image with two equal extents fits as well after turns about the axis of the third.
    let mirrored = image(v2).dot(u2) < 0
    guard !mirrored || singular[1] - singular[2] > Self.tolerance * singular[0] else { throw .ambiguous }
    let column = { (index: Int) in u0 * v[0][index] + u1 * v[1][index] + u2 * v2[index] }
    return RotationAxes(x: column(0), y: column(1), z: column(2))
  }
}
