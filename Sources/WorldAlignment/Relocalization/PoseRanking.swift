import WorldModel

/// A pose that the search proposes, with its score on the fine grid.
struct RankedPose {
  /// The mean value of the fine grid under the scan's points, 0–200.
  var score: Float
  var motion: RigidMotion
}

extension RigidMotion {
  /// Whether two poses of a cloud differ by more than the stages after the search can make up for.
  ///
  /// - Parameter middle: The middle of the cloud (metres).
  func isElsewhere(than other: RigidMotion, at middle: SIMD3<Float>) -> Bool {
    differs(from: other, at: middle, shift: 0.4, cosines: 2.980_5)
  }

  /// Whether two poses of a cloud differ by more than a shift of its middle (metres) or a turn.
  ///
  /// - Parameter cosines: The least sum of the cosines between the axes, 1 + 2 cos(angle): 2.980,5 stands for 8°.
  func differs(from other: RigidMotion, at middle: SIMD3<Float>, shift: Float, cosines: Float) -> Bool {
    let distance = act(on: middle) - other.act(on: middle)
    return distance.lengthSquared > shift * shift || x.dot(other.x) + y.dot(other.y) + z.dot(other.z) < cosines
  }
}

extension OccupancyGrid {
  /// Steps of the polishing: shift (metres) and sine of the turn.
  private static let steps: [(shift: Float, sine: Float)] = [(0.12, 0.035), (0.06, 0.017), (0.03, 0.009)]

  /// Improves a pose by coordinate search over shift and turn with shrinking steps.
  ///
  /// - Parameters:
  ///   - tilts: Whether to try turns about all three axes, not only about y.
  ///   - isRough: Whether to end after the largest steps, which is enough to tell which poses deserve the others.
  func polish(
    _ points: [SIMD3<Float>], middle: SIMD3<Float>, _ start: RigidMotion, tilts: Bool, isRough: Bool = false
  ) -> RankedPose {
    var motion = start
    var best = sum(over: points, motion)
    for (shift, sine) in isRough ? Self.steps.prefix(1) : Self.steps[...] {
      for _ in 0..<3 {
        var isBetter = false
        for move in 0..<(tilts ? 12 : 8) {
          let other = Self.moved(motion, move, shift: shift, sine: sine, middle: middle)
          let score = sum(over: points, other)
          if score > best { (best, motion, isBetter) = (score, other, true) }
        }
        if !isBetter { break }
      }
    }
    return RankedPose(score: Float(best) / Float(max(1, points.count)), motion: motion)
  }

  /// The moves of the search: along x, y and z, then about y, x and z, each to both sides.
  private static func moved(
    _ motion: RigidMotion, _ move: Int, shift: Float, sine: Float, middle: SIMD3<Float>
  ) -> RigidMotion {
    let sign: Float = move & 1 == 0 ? 1 : -1
    var step = SIMD3<Float>.zero
    if move < 6 {
      step[move / 2] = sign * shift
      return motion.shifted(by: step)
    }
    step[[1, 0, 2][move / 2 - 3]] = sign * sine
    return motion.turned(by: .turn(SIMD3(of: step)), about: motion.act(on: middle))
  }
}
