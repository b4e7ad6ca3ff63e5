/// A repeatable source of random numbers: xoshiro256**, seeded through SplitMix64.
///
/// The same seed gives the same numbers on every machine, and a copy continues on its own. It is not for secrets.
/// Source: David Blackman and Sebastiano Vigna, "Scrambled Linear Pseudorandom Number Generators", 2021.
@usableFromInline package struct SeededRandom: RandomNumberGenerator, Sendable, Equatable {
  // Four words and not one vector, for the reason given at `SHA256Digest`.
  @usableFromInline var first: UInt64
  @usableFromInline var second: UInt64
  @usableFromInline var third: UInt64
  @usableFromInline var fourth: UInt64

  /// The sequence of numbers that belongs to `seed`; any seed is as good as any other.
  @inlinable package init(seed: UInt64) {
    var mixer = SplitMix64(seed: seed)
    first = mixer.next()
    second = mixer.next()
    third = mixer.next()
    fourth = mixer.next()
  }

  /// The next number, uniform over all 64 bits.
  @inlinable package mutating func next() -> UInt64 {
    let scrambled = Self.rotate(second &* 5, by: 7) &* 9
    let shifted = second << 17
    third ^= first
    fourth ^= second
    second ^= third
    first ^= fourth
    third ^= shifted
    fourth = Self.rotate(fourth, by: 45)
    return scrambled
  }

  /// A number from 0 up to but not including `bound`, which is at least 1 (Lemire's multiplication, without rejection:
  /// the bias is at most bound / 2⁶⁴).
  @inlinable package mutating func below(_ bound: UInt64) -> UInt64 {
    next().multipliedFullWidth(by: bound).high
  }

  /// A number from 0 up to but not including `bound`, which is at least 1.
  @inlinable package mutating func below(_ bound: Int) -> Int {
    Int(below(UInt64(bound)))
  }

  /// Whether an event of probability `percent` in 100 happens.
  @inlinable package mutating func chance(percent: UInt64) -> Bool {
    below(100) < percent
  }

  /// A source of its own whose numbers do not depend on how far this one is used afterwards.
  @inlinable package mutating func split() -> SeededRandom {
    SeededRandom(seed: next())
  }

  @inlinable static func rotate(_ value: UInt64, by count: UInt64) -> UInt64 {
    value << count | value >> (64 - count)
  }
}
