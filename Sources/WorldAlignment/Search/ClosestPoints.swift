import WorldModel

/// Iterative closest points with a robust kernel: moves a cloud onto the surfaces and points that it nearly meets.
///
/// Where the target has a surface, only the distance along its normal counts in full (Chen and Medioni 1992); a Cauchy
/// kernel bounds what a wrong pair can do.
struct ClosestPoints {
  /// The motion found so far.
  private(set) var motion: RigidMotion
  /// The information of the last step's pairs, about ``center``.
  private(set) var equations = NormalEquations()
  /// The number of pairs of the last step.
  private(set) var pairs = 0
  /// The middle of the cloud in the target's frame (metres): steps turn about it.
  private(set) var center: SIMD3<Float> = .zero

  /// How one pass pairs and weighs.
  struct Pass {
    /// A point is paired with the nearest within this distance (metres).
    var reach: Float
    /// The residual at which a pair has half its weight (metres).
    var scale: Float
    /// Where gravity is known, how much each pair counts against tilting the cloud, as an arm (square metres).
    var uprightness: Float
    var steps: Int

    /// The last pass, on all points: its pairs are near, and nothing but the map moves the cloud.
    static let last = Pass(reach: 0.04, scale: 0.01, uprightness: 0.01, steps: 8)
  }

  /// Fewer pairs than this move nothing.
  static let fewestPairs = 30

  /// Whether the cloud's y is nearly up.
  private let isUpright: Bool
  private let held: Int?

  /// - Parameters:
  ///   - isUpright: Whether gravity is known, so that a tilt beyond a fraction of a degree is a wrong fit.
  ///   - held: The motion that no step makes: 0–2 are turns about x, y and z, 3–5 shifts along them.
  init(from motion: RigidMotion, isUpright: Bool, held: Int? = nil) {
    self.motion = motion
    self.isUpright = isUpright
    self.held = held
  }

  /// Runs one pass; says whether it had enough pairs.
  ///
  /// - Parameter normals: For each point of `target` its surface's normal, or zero; nil where all count as points.
  mutating func run(
    _ cloud: [SIMD3<Float>], on target: PointGrid, normals: [SIMD3<Float>]? = nil, _ pass: Pass
  ) -> Bool {
    let middle = cloud.mean
    for _ in 0..<pass.steps {
      center = motion.act(on: middle)
      gather(cloud, on: target, normals: normals, pass)
      guard pairs >= Self.fewestPairs else { return false }
      if isUpright {
        // The turn that would set the cloud upright again.
        equations.addTurn(motion.y.cross([0, 1, 0]), weight: pass.uprightness * Float(pairs))
      }
      if let held { equations.hold(held) }
      let step = SymmetricEigen(equations.symmetric(isLevel: false), size: 6).solve(equations.gradient, tolerance: 1e-6)
      let turn = SIMD3(step[0], step[1], step[2])
      let shift = SIMD3<Float>(rounding: SIMD3(step[3], step[4], step[5]))
      motion = motion.turned(by: .turn(turn), about: center).shifted(by: shift)
      guard (turn * turn).sum() > 1e-10 || shift.lengthSquared > 1e-9 else { break }
    }
    return true
  }

  /// Pairs the points and adds up what each demands.
  private mutating func gather(
    _ cloud: [SIMD3<Float>], on target: PointGrid, normals: [SIMD3<Float>]? = nil, _ pass: Pass
  ) {
    equations = NormalEquations()
    pairs = 0
    let softness = 1 / (pass.scale * pass.scale)
    for point in cloud {
      let p = motion.act(on: point)
      guard let (slot, _) = target.nearest(to: p, within: pass.reach) else { continue }
      pairs += 1
      let gap = target.points[slot] - p
      let normal = normals?[slot] ?? .zero
      if normal == .zero {
        let weight = 1 / (1 + gap.lengthSquared * softness)
        equations.addPoint(arm: p - center, gap: gap, weight: weight)
      } else {
        let residual = gap.dot(normal)
        let weight = 1 / (1 + residual * residual * softness)
        equations.add(arm: p - center, direction: normal, residual: residual, weight: weight)
      }
    }
  }
}
