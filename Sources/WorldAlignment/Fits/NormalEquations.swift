import WorldModel

/// The normal equations of a small rigid motion: a turn about a center (radians), then a shift (metres).
///
/// The six unknowns are the turn's vector and the shift, in this order; measurements add to `information` (JᵀWJ) and
/// `gradient` (JᵀWr).
struct NormalEquations {
  /// 6 × 6, row by row.
  private(set) var information = [Double](repeating: 0, count: 36)
  private(set) var gradient = [Double](repeating: 0, count: 6)

  /// Adds the demand that the point at `arm` from the center moves by `residual` metres along `direction`.
  @inline(__always)
  mutating func add(arm: SIMD3<Float>, direction: SIMD3<Float>, residual: Float, weight: Float) {
    let turn = arm.cross(direction)
    let row: [6 of Float] = [turn.x, turn.y, turn.z, direction.x, direction.y, direction.z]
    for i in 0..<6 {
      let weighted = Double(row[i] * weight)
      gradient[i] += weighted * Double(residual)
      for j in 0...i { information[i * 6 + j] += weighted * Double(row[j]) }
    }
  }

  /// Adds the demand that the point at `arm` from the center moves by `gap`.
  @inline(__always)
  mutating func addPoint(arm: SIMD3<Float>, gap: SIMD3<Float>, weight: Float) {
    add(arm: arm, direction: [1, 0, 0], residual: gap.x, weight: weight)
    add(arm: arm, direction: [0, 1, 0], residual: gap.y, weight: weight)
    add(arm: arm, direction: [0, 0, 1], residual: gap.z, weight: weight)
  }

  /// Adds the demand for a turn (radians) with a weight in square metres, in the two directions other than y.
  mutating func addTurn(_ turn: SIMD3<Float>, weight: Float) {
    for axis in [0, 2] {
      information[axis * 6 + axis] += Double(weight)
      gradient[axis] += Double(weight * turn[axis])
    }
  }

  /// Takes one of the six unknowns out: it stays zero.
  mutating func hold(_ unknown: Int) {
    gradient[unknown] = 0
    for other in 0..<6 {
      information[unknown * 6 + other] = 0
      information[other * 6 + unknown] = 0
    }
  }

  /// The whole information matrix; of the turn only the part about y when `isLevel`.
  func symmetric(isLevel: Bool) -> [Double] {
    var full = information
    for i in 0..<6 {
      for j in 0..<i { full[j * 6 + i] = full[i * 6 + j] }
    }
    return isLevel ? Self.yawOnly.flatMap { i in Self.yawOnly.map { full[i * 6 + $0] } } : full
  }

  /// The unknowns that remain where gravity is known: the turn about y, and the shift.
  static let yawOnly = [1, 3, 4, 5]
}
