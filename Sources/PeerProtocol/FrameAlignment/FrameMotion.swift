import AnchorReplication
package import WorldModel

/// A rotation and a translation between two frames, in working precision: Float would round at each step of a path.
package struct FrameMotion: Equatable, Sendable {
  private var x: SIMD3<Double>
  private var y: SIMD3<Double>
  private var z: SIMD3<Double>
  private var offset: SIMD3<Double>

  package static let identity = FrameMotion(.identity)

  /// A rigid transform, its axes made orthonormal.
  package init(_ transform: Transform) {
    let columns = transform.columns
    x = Self.unit(Self.wide(columns.0))
    let across = Self.wide(columns.1)
    y = Self.unit(across - x * Self.dot(x, across))
    z = Self.cross(x, y)
    offset = Self.wide(columns.3)
  }

  private init(x: SIMD3<Double>, y: SIMD3<Double>, z: SIMD3<Double>, offset: SIMD3<Double>) {
    (self.x, self.y, self.z, self.offset) = (x, y, z, offset)
  }

  /// First `other`, then this motion.
  package func after(_ other: Self) -> Self {
    Self(x: turn(other.x), y: turn(other.y), z: turn(other.z), offset: act(on: other.offset))
  }

  /// The motion back.
  package var inverse: Self {
    let back = Self(
      x: SIMD3(x.x, y.x, z.x), y: SIMD3(x.y, y.y, z.y), z: SIMD3(x.z, y.z, z.z), offset: .zero)
    return Self(x: back.x, y: back.y, z: back.z, offset: -back.turn(offset))
  }

  /// The point that a point of the source frame is in the target frame (metres).
  func act(on point: SIMD3<Double>) -> SIMD3<Double> { turn(point) + offset }

  /// The placement that a placement in the source frame is in the target frame.
  package func act(on transform: Transform) -> Transform {
    let columns = transform.columns
    return Self(
      x: turn(Self.wide(columns.0)), y: turn(Self.wide(columns.1)), z: turn(Self.wide(columns.2)),
      offset: act(on: Self.wide(columns.3))
    ).transform
  }

  /// The motion as an app reads it, without the subnormal numbers that a ``Pose`` refuses.
  package var transform: Transform {
    Transform(columns: (Self.narrow(x, 0), Self.narrow(y, 0), Self.narrow(z, 0), Self.narrow(offset, 1)))
  }

  /// The squared distance of what two motions make of a point (m²).
  func squaredDistance(to other: Self, at point: SIMD3<Double>) -> Double {
    let gap = act(on: point) - other.act(on: point)
    return Self.dot(gap, gap)
  }

  /// The square of the angle between two motions, for small angles (rad²); 4 for a half turn.
  ///
  /// The three axes of a rotation by θ end 8 sin²(θ/2) apart, summed over the squares: 2 θ² for small angles.
  func squaredAngle(to other: Self) -> Double {
    let gaps = [x - other.x, y - other.y, z - other.z]
    return gaps.reduce(0) { $0 + Self.dot($1, $1) } / 2
  }

  private func turn(_ v: SIMD3<Double>) -> SIMD3<Double> { x * v.x + y * v.y + z * v.z }

  private static func dot(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double { (a * b).sum() }

  private static func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
  }

  private static func unit(_ v: SIMD3<Double>) -> SIMD3<Double> { v / dot(v, v).squareRoot() }

  private static func wide(_ v: SIMD4<Float>) -> SIMD3<Double> { SIMD3(Double(v.x), Double(v.y), Double(v.z)) }

  private static func narrow(_ v: SIMD3<Double>, _ last: Float) -> SIMD4<Float> {
    var result = SIMD4(Float(v.x), Float(v.y), Float(v.z), last)
    for index in 0..<3 where result[index].isSubnormal { result[index] = 0 }
    return result
  }
}
