extension Transform {
  /// How far an axis may be from unit length, and two axes from a right angle, for a matrix to count as rigid: 0.001.
  ///
  /// The bound is on each entry of RᵀR − I. It lets through the rounding of long products of Float matrices and
  /// refuses any scale or shear that would be seen: 1 mm at a metre.
  package static let rigidTolerance: Float = 0.001

  /// The three axes as columns: the rotation part.
  package var axes: (x: SIMD3<Float>, y: SIMD3<Float>, z: SIMD3<Float>) {
    (columns.0.xyz, columns.1.xyz, columns.2.xyz)
  }

  /// A rotation and then a translation, from the axes of the rotation and the position (metres).
  public init(x: SIMD3<Float>, y: SIMD3<Float>, z: SIMD3<Float>, translation: SIMD3<Float>) {
    self.init(columns: (SIMD4(x, 0), SIMD4(y, 0), SIMD4(z, 0), SIMD4(translation, 1)))
  }

  /// Refuses a matrix that is not a rotation and a translation of finite, normal numbers.
  ///
  /// - Throws: ``ModelError/notFinite(_:)``, ``ModelError/subnormal(_:)`` or ``ModelError/notRigid(_:)``.
  public func validate() throws(ModelError) {
    for column in [columns.0, columns.1, columns.2, columns.3] {
      guard column.isFinite else { throw .notFinite("transform") }
      guard !column.isSubnormal else { throw .subnormal("transform") }
    }
    guard SIMD4(columns.0.w, columns.1.w, columns.2.w, columns.3.w) == [0, 0, 0, 1] else {
      throw .notRigid("the last row is not 0 0 0 1")
    }
    let (x, y, z) = axes
    let lengths = SIMD3(x.lengthSquared, y.lengthSquared, z.lengthSquared) - 1
    let angles = SIMD3(x.dot(y), y.dot(z), z.dot(x))
    for error in [lengths, angles] {
      for index in 0..<3 where !(error[index].magnitude <= Self.rigidTolerance) {
        throw .notRigid("the axes are not at right angles and of length 1")
      }
    }
    guard x.cross(y).dot(z) > 0 else { throw .notRigid("the axes are left-handed") }
  }

  /// Whether ``validate()`` passes.
  public var isRigid: Bool {
    do { try validate() } catch { return false }
    return true
  }

  /// The inverse of a rigid transform: the transposed rotation, and the position seen from inside.
  public var inverse: Transform {
    let (x, y, z) = axes
    let t = translation
    return Transform(
      x: [x.x, y.x, z.x], y: [x.y, y.y, z.y], z: [x.z, y.z, z.z], translation: -SIMD3(x.dot(t), y.dot(t), z.dot(t)))
  }

  /// The matrix product: first `right`, then `left`.
  public static func * (left: Transform, right: Transform) -> Transform {
    let c = right.columns
    return Transform(columns: (left.times(c.0), left.times(c.1), left.times(c.2), left.times(c.3)))
  }

  /// The world position of the local point `point` (metres).
  public func act(on point: SIMD3<Float>) -> SIMD3<Float> {
    times(SIMD4(point, 1)).xyz
  }

  /// The world direction of the local direction `direction`: rotated, not moved.
  public func rotate(_ direction: SIMD3<Float>) -> SIMD3<Float> {
    times(SIMD4(direction, 0)).xyz
  }

  /// The nearest rigid transform along Gram–Schmidt: z is kept, then y, then x; subnormal components become zero.
  ///
  /// Use it after many products, or on poses from elsewhere whose axes are a little off. Nil when an axis is zero,
  /// not finite or parallel to another, or the axes are left-handed.
  public func orthonormalized() -> Transform? {
    let (x, y, z) = axes
    guard let z = z.unit, let y = (y - z * y.dot(z)).unit else { return nil }
    let right = y.cross(z)
    guard right.dot(x) > 0, translation.isFinite else { return nil }
    return Transform(
      x: right.flushed, y: y.flushed, z: z.flushed, translation: translation.flushed)
  }

  /// A pose at `eye` whose −z looks at `target` and whose y is as near `up` as it can be, as a camera stands.
  ///
  /// - Parameters:
  ///   - eye: The position (metres).
  ///   - target: A point to look at (metres), not the eye itself.
  ///   - up: The direction that is up in the picture; when it is along the view, the world's z (or x) serves instead.
  public static func looking(
    at target: SIMD3<Float>, from eye: SIMD3<Float>, up: SIMD3<Float> = [0, 1, 0]
  ) -> Transform {
    guard let z = (eye - target).unit else { return Transform(translation: eye) }
    let candidates: [SIMD3<Float>] = [up, [0, 0, 1], [1, 0, 0]]
    // Below a thousandth the direction of the cross product is mostly rounding.
    let sideways = candidates.map { $0.cross(z) }.first { $0.lengthSquared > 1e-6 * up.lengthSquared }
    guard let x = sideways?.unit else { return Transform(translation: eye) }
    return Transform(x: x.flushed, y: z.cross(x).flushed, z: z.flushed, translation: eye)
  }

  /// A rotation by a quaternion and then a translation.
  ///
  /// - Parameters:
  ///   - quaternion: (x, y, z, w) with w the real part; it is normalised. Nil is returned when it cannot be.
  ///   - translation: The position (metres).
  public init?(quaternion: SIMD4<Float>, translation: SIMD3<Float> = .zero) {
    guard let q = quaternion.unit else { return nil }
    let (x, y, z, w) = (q.x, q.y, q.z, q.w)
    self.init(
      x: SIMD3(1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)).flushed,
      y: SIMD3(2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)).flushed,
      z: SIMD3(2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)).flushed,
      translation: translation)
  }

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

  /// The matrix times a column vector.
  private func times(_ v: SIMD4<Float>) -> SIMD4<Float> {
    columns.0 * v.x + columns.1 * v.y + columns.2 * v.z + columns.3 * v.w
  }
}

extension SIMD4 {
  /// The first three components.
  package var xyz: SIMD3<Scalar> { SIMD3(x, y, z) }
}

extension SIMD3 where Scalar == Float {
  /// The same with subnormal components set to zero.
  fileprivate var flushed: Self {
    var result = self
    for index in 0..<3 where self[index].isSubnormal { result[index] = 0 }
    return result
  }
}
