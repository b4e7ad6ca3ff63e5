package import WorldModel

/// A rotation and a translation in the form that inner loops use: three columns and an offset.
package struct RigidMotion: Sendable {
  package var x: SIMD3<Float>
  package var y: SIMD3<Float>
  package var z: SIMD3<Float>
  /// The translation (metres).
  package var offset: SIMD3<Float>

  static let identity = RigidMotion(x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1], offset: .zero)

  init(x: SIMD3<Float>, y: SIMD3<Float>, z: SIMD3<Float>, offset: SIMD3<Float>) {
    (self.x, self.y, self.z, self.offset) = (x, y, z, offset)
  }

  package init(_ transform: Transform) {
    (x, y, z) = transform.axes
    offset = transform.translation
  }

  /// Turns about the vertical, evenly spread over the circle, beginning with none.
  static func yaws(_ count: Int) -> [RigidMotion] {
    let step = 2 * Double.pi / Double(count)
    // The cosine and the sine of the step by their series; the others follow by the rule for sums of angles.
    let square = step * step
    let cosine = 1 - square / 2 * (1 - square / 12 * (1 - square / 30))
    let sine = step * (1 - square / 6 * (1 - square / 20 * (1 - square / 42)))
    var (c, s) = (1.0, 0.0)
    return (0..<count).map { _ in
      defer { (c, s) = (c * cosine - s * sine, c * sine + s * cosine) }
      return RigidMotion(x: [Float(c), 0, Float(-s)], y: [0, 1, 0], z: [Float(s), 0, Float(c)], offset: .zero)
    }
  }

  /// Eight horizontal directions of length 1.
  static let compass: [SIMD3<Float>] = yaws(8).map { $0.x }

  /// The turn by `vector`'s length (radians) about its direction.
  ///
  /// Rodrigues's formula with the series of sin(t)/t and (1 − cos(t))/t², good to 1e-7 for turns below 0.5.
  static func turn(_ vector: SIMD3<Double>) -> RigidMotion {
    let square = (vector * vector).sum()
    let a = 1 - square / 6 * (1 - square / 20 * (1 - square / 42))
    let b = 0.5 - square / 24 * (1 - square / 30 * (1 - square / 56))
    func image(_ e: SIMD3<Double>) -> SIMD3<Float> {
      let once = vector.cross(e)
      return SIMD3<Float>(rounding: e + once * a + vector.cross(once) * b)
    }
    return RigidMotion(x: image([1, 0, 0]), y: image([0, 1, 0]), z: image([0, 0, 1]), offset: .zero)
  }

  @inline(__always)
  func rotate(_ p: SIMD3<Float>) -> SIMD3<Float> { x * p.x + y * p.y + z * p.z }

  @inline(__always)
  package func act(on p: SIMD3<Float>) -> SIMD3<Float> { x * p.x + y * p.y + z * p.z + offset }

  /// This motion, then `rotation` about the point `pivot`.
  func turned(by rotation: RigidMotion, about pivot: SIMD3<Float>) -> RigidMotion {
    RigidMotion(
      x: rotation.rotate(x), y: rotation.rotate(y), z: rotation.rotate(z),
      offset: pivot + rotation.rotate(offset - pivot))
  }

  /// First `other`, then this motion.
  func after(_ other: RigidMotion) -> RigidMotion {
    RigidMotion(x: rotate(other.x), y: rotate(other.y), z: rotate(other.z), offset: act(on: other.offset))
  }

  /// The motion back.
  var inverse: RigidMotion {
    RigidMotion(
      x: [x.x, y.x, z.x], y: [x.y, y.y, z.y], z: [x.z, y.z, z.z],
      offset: -SIMD3(x.dot(offset), y.dot(offset), z.dot(offset)))
  }

  /// This motion, then a shift.
  func shifted(by shift: SIMD3<Float>) -> RigidMotion {
    var result = self
    result.offset += shift
    return result
  }

  package var transform: Transform { Transform(x: x, y: y, z: z, translation: offset) }
}
