import Basics
import WorldModel

/// Draws for made-up places: every number comes from one generator through IEEE 754 operations, so that a seed gives the
/// same bytes on every machine.
struct TrialDice {
  private var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  mutating func next() -> UInt64 { generator.next() }

  mutating func below(_ bound: Int) -> Int { Int(generator.next().multipliedFullWidth(by: UInt64(bound)).high) }

  /// An even number in `range`.
  mutating func number(_ range: ClosedRange<Float>) -> Float { generator.float(in: range) }

  /// A number with mean 0 and standard deviation 1, nearly normal: the sum of eight even ones.
  mutating func normal() -> Float {
    var sum: UInt64 = 0
    for _ in 0..<2 {
      let bits = generator.next()
      sum += (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + bits >> 48
    }
    // Eight even numbers of width 1 have the variance 8/12.
    return (Float(sum) * 0x1p-16 - 4) * 1.224_744_9
  }

  /// Three independent normal numbers.
  mutating func normals() -> SIMD3<Float> {
    let x = normal()
    let y = normal()
    return SIMD3(x, y, normal())
  }

  /// A vector with even components in `range`.
  mutating func vector(_ range: ClosedRange<Float>) -> SIMD3<Float> { generator.vector(in: range) }

  /// A direction, evenly spread over the sphere.
  mutating func direction() -> SIMD3<Float> {
    while true {
      let v = vector(-1...1)
      let square = v.lengthSquared
      if square <= 1, square > 0.01 { return v / square.squareRoot() }
    }
  }

  /// A cosine and a sine of an even angle.
  mutating func turn() -> SIMD2<Float> {
    while true {
      let v = SIMD2(number(-1...1), number(-1...1))
      let square = v.lengthSquared
      if square <= 1, square > 0.01 { return v / square.squareRoot() }
    }
  }

  /// A rotation, evenly spread over all rotations.
  mutating func rotation() -> Transform {
    while true {
      let q = SIMD4(number(-1...1), number(-1...1), number(-1...1), number(-1...1))
      let square = q.lengthSquared
      if square <= 1, square > 0.01, let transform = Transform(quaternion: q) { return transform }
    }
  }

  mutating func shuffle<T>(_ array: inout [T]) { array.shuffle(using: &generator) }
}
