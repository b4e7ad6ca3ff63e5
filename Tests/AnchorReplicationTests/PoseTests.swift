import AnchorReplication
import Basics
import Testing
import WorldModel

@Suite("Poses")
struct PoseTests {
  /// A turn, each number of its axes off by up to `error`.
  private func transform(_ random: inout SeededRandom, error: Float) throws -> Transform {
    func number() -> Float { Float(Int(random.next() % 2_000_001) - 1_000_000) / 1_000_000 }
    let turn = SIMD4(number(), number(), number(), 1.5 + number())
    let rigid = try #require(Transform(quaternion: turn, translation: [number(), 2, -3]))
    let noise = (0..<3).map { _ in SIMD4(number(), number(), number(), 0) * error }
    let (x, y, z, w) = rigid.columns
    return Transform(columns: (x + noise[0], y + noise[1], z + noise[2], w))
  }

  @Test("a pose is refused exactly where its transform is, also at the edge of the tolerance")
  func agrees() throws {
    var random = SeededRandom(seed: 4)
    let odd: [Float] = [.nan, .infinity, .leastNonzeroMagnitude, -0, .greatestFiniteMagnitude]
    var counts = [true: 0, false: 0]
    for number in 0..<20_000 {
      var candidate = try transform(&random, error: [0, 0.0002, 0.0004, 0.002][number % 4])
      if number % 16 == 0 { candidate.columns.0 *= -1 }
      if number % 31 == 0 { candidate.translation.y = odd[number % odd.count] }
      counts[candidate.isRigid, default: 0] += 1
      #expect((Pose(candidate) != nil) == candidate.isRigid, "\(candidate)")
    }
    #expect(counts[true, default: 0] > 5_000 && counts[false, default: 0] > 5_000)
  }
}
