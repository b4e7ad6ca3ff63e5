import Testing
import WorldModel

@testable import WorldAlignment

@Suite struct UprightGuessesTests {
  /// Points of a square of 2 m that `u` and `v` span from a corner, 6 cm apart.
  private func wall(_ u: SIMD3<Float>, _ v: SIMD3<Float>) -> [SIMD3<Float>] {
    (0..<34).flatMap { i in (0..<34).map { u * (Float(i) * 0.06) + v * (Float($0) * 0.06) } }
  }

  @Test func `two walls without a floor show which way is up`() {
    let turn = RigidMotion.turn([0.3, -0.2, 0.4])
    let corner = (wall([1, 0, 0], [0, 1, 0]) + wall([0, 0, 1], [0, 1, 0])).map(turn.rotate)
    #expect(UprightGuesses.ups(of: corner).contains { $0.dot(turn.y).magnitude > 0.999 })
    // One of the rotations makes the corner upright, the other one upside down.
    let tilts = UprightGuesses.rounds(of: corner).joined().map { $0.rotate(turn.y).y }
    #expect(tilts.contains { $0 > 0.999 } && tilts.contains { $0 < -0.999 })
  }

  @Test func `more than three directions are tried, the ones that fewer surfaces face in a second round`() {
    // A floor and three walls at angles of 30° and 60°, each smaller than the one before.
    let directions: [SIMD3<Float>] = [[1, 0, 0], [0.866, 0, 0.5], [0.5, 0, 0.866]]
    var cloud = wall([1, 0, 0], [0, 0, 1]).map { $0 - [0, 1, 0] }
    for (index, along) in directions.enumerated() {
      let offset = SIMD3<Float>(0, 1 + Float(index) * 3, 0)
      cloud += wall(along * (0.9 - Float(index) * 0.15), [0, 1, 0]).map { $0 + offset }
    }
    let rounds = UprightGuesses.rounds(of: cloud)
    #expect(rounds.map(\.count) == [6, 4])
  }

  @Test func `a cloud without surfaces is taken as upright, or upside down`() {
    let tilts = UprightGuesses.rounds(of: [[0, 0, 0], [1, 2, 3]]).joined().map(\.y.y)
    #expect(tilts.count == 2 && tilts.contains { $0 > 0.999 } && tilts.contains { $0 < -0.999 })
  }
}
