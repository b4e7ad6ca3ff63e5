import Basics
import Testing

@testable import WorldAlignment

@Suite struct SymmetricEigenTests {
  @Test(arguments: [1, 2, 3, 4, 6])
  func `a matrix is the sum of its parts`(size: Int) {
    var random = SeededRandom(seed: UInt64(size))
    for _ in 0..<100 {
      var matrix = [Double](repeating: 0, count: size * size)
      for row in 0..<size {
        for column in 0...row {
          let value = Double(random.below(2_000_001)) / 1e6 - 1
          matrix[row * size + column] = value
          matrix[column * size + row] = value
        }
      }
      let eigen = SymmetricEigen(matrix, size: size)
      #expect(zip(eigen.values, eigen.values.dropFirst()).allSatisfy { $0 >= $1 })
      for row in 0..<size {
        for column in 0..<size {
          let sum = (0..<size).reduce(0) { $0 + eigen.values[$1] * eigen.vectors[$1][row] * eigen.vectors[$1][column] }
          let product = (0..<size).reduce(0) { $0 + eigen.vectors[row][$1] * eigen.vectors[column][$1] }
          #expect((sum - matrix[row * size + column]).magnitude < 1e-12)
          #expect((product - (row == column ? 1 : 0)).magnitude < 1e-12)
        }
      }
    }
  }

  @Test func `equal eigenvalues, zero, and very different sizes`() {
    #expect(SymmetricEigen([2, 0, 0, 0, 2, 0, 0, 0, 2], size: 3).values == [2, 2, 2])
    #expect(SymmetricEigen([Double](repeating: 0, count: 9), size: 3).values == [0, 0, 0])
    let wide = SymmetricEigen([1e200, 1, 1, 1e-200], size: 2)
    #expect(wide.values[0] == 1e200 && wide.values[1].magnitude < 1e-150)
  }

  @Test func `a singular system is solved where it can be, and has no inverse`() throws {
    // Rank one: (1, 2) ⊗ (1, 2).
    let singular = SymmetricEigen([1, 2, 2, 4], size: 2)
    let x = singular.solve([5, 10])
    #expect((x[0] - 1).magnitude < 1e-12 && (x[1] - 2).magnitude < 1e-12)
    #expect(singular.inverse() == nil)
    let inverse = try #require(SymmetricEigen([4, 1, 1, 3], size: 2).inverse())
    for (value, expected) in zip(inverse, [3.0 / 11, -1.0 / 11, -1.0 / 11, 4.0 / 11]) {
      #expect((value - expected).magnitude < 1e-12)
    }
  }
}
