import Basics
import WorldModel

@testable import WorldAlignment

/// Random frames and points of the tests: the same seed draws the same.
struct Draws {
  private var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  mutating func number(_ range: ClosedRange<Float>) -> Float { generator.float(in: range) }

  mutating func point(_ range: ClosedRange<Float> = -5...5) -> SIMD3<Float> { generator.vector(in: range) }

  mutating func points(_ count: Int) -> [SIMD3<Float>] { (0..<count).map { _ in point() } }

  /// A rotation of any angle, about y alone where gravity is known, and a shift of some metres.
  mutating func transform(_ mode: AlignmentMode) -> Transform {
    while true {
      let shift = point(-20...20)
      let q =
        switch mode {
        case .gravity: SIMD4<Float>(0, number(-1...1), 0, number(-1...1))
        case .free: SIMD4<Float>(number(-1...1), number(-1...1), number(-1...1), number(-1...1))
        }
      if q.lengthSquared > 0.01, let transform = Transform(quaternion: q, translation: shift) { return transform }
    }
  }
}

extension Transform {
  /// The largest difference of an entry to that of another transform.
  func difference(to other: Transform) -> Float {
    [
      columns.0 - other.columns.0, columns.1 - other.columns.1, columns.2 - other.columns.2,
      columns.3 - other.columns.3,
    ].reduce(0) { max($0, $1.max(), -$1.min()) }
  }
}
