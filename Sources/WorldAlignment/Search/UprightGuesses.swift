import WorldModel

/// Guesses which way is up in a cloud whose frame is not known, by the directions in which its surfaces face.
enum UprightGuesses {
  /// Normals within an angle with this cosine belong together (18°).
  private static let cosine: Float = 0.95
  /// The directions that most normals share, each tried to both sides; the first of them before the others.
  private static let (first, most) = (3, 5)

  /// Rotations each of which makes one of the likely directions point up: those to try first, then those to try where the
  /// first ones show no place.
  static func rounds(of points: [SIMD3<Float>]) -> [[RigidMotion]] {
    let ups = ups(of: points)
    return [ups.prefix(first), ups.dropFirst(first)].filter { !$0.isEmpty }.map { round in
      round.flatMap { [tilt($0), tilt(-$0)] }
    }
  }

  /// The likely directions, the likeliest first; none is near another one or its opposite.
  static func ups(of points: [SIMD3<Float>]) -> [SIMD3<Float>] {
    var normals = SurfaceCloud(points).normals.filter { $0 != .zero }
    var ups: [SIMD3<Float>] = []
    while ups.count < most, let up = mode(of: normals) {
      ups.append(up)
      normals.removeAll { $0.dot(up).magnitude > cosine }
    }
    // Where two walls are seen and no floor, up lies across both.
    if ups.count > 1, let across = ups[0].cross(ups[1]).unit, ups.allSatisfy({ $0.dot(across).magnitude < cosine }) {
      ups.insert(across, at: min(ups.count, first))
    }
    return ups.isEmpty ? [[0, 1, 0]] : ups
  }

  /// The direction that most normals share, whatever their signs; nil when there are none.
  private static func mode(of normals: [SIMD3<Float>]) -> SIMD3<Float>? {
    let seeds = stride(from: 0, to: normals.count, by: max(1, normals.count / 200)).map { normals[$0] }
    let counts = seeds.map { seed in normals.count { $0.dot(seed).magnitude > cosine } }
    guard let best = counts.indices.max(by: { counts[$0] < counts[$1] }) else { return nil }
    var direction = seeds[best]
    for _ in 0..<3 {
      let sum = normals.reduce(SIMD3<Float>.zero) { sum, normal in
        let along = normal.dot(direction)
        return along.magnitude > cosine ? sum + (along > 0 ? normal : -normal) : sum
      }
      direction = sum.unit ?? direction
    }
    return direction
  }

  /// The shortest rotation that turns the unit vector `up` to y.
  static func tilt(_ up: SIMD3<Float>) -> RigidMotion {
    // Any axis across serves for what points straight down.
    let across: SIMD3<Float> = up.x.magnitude < 0.7 ? [1, 0, 0] : [0, 0, 1]
    let q: SIMD4<Float> = up.y < -0.9999 ? SIMD4(across.cross(up), 0) : SIMD4(up.cross([0, 1, 0]), 1 + up.y)
    return Transform(quaternion: q).map(RigidMotion.init) ?? .identity
  }
}
