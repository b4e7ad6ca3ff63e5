/// A repeatable source of random numbers: xoshiro256**, seeded through SplitMix64.
///
/// The same seed gives the same numbers on every machine, and a copy continues on its own. It is not for secrets.
/// Source: David Blackman and Sebastiano Vigna, "Scrambled Linear Pseudorandom Number Generators", 2021.
package struct SeededRandom: RandomNumberGenerator, Sendable, Hashable {
  // Four words and not one vector, for the reason given at `SHA256Digest`.
  private var first: UInt64
  private var second: UInt64
  private var third: UInt64
  private var fourth: UInt64

  /// The sequence of numbers that belongs to `seed`; any seed is as good as any other.
  package init(seed: UInt64) {
    var mixer = seed
    first = Self.mix(&mixer)
    second = Self.mix(&mixer)
    third = Self.mix(&mixer)
    fourth = Self.mix(&mixer)
  }

  /// The next number, uniform over all 64 bits.
  package mutating func next() -> UInt64 {
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
  package mutating func below(_ bound: UInt64) -> UInt64 {
    next().multipliedFullWidth(by: bound).high
  }

  /// A number from 0 up to but not including `bound`, which is at least 1.
  package mutating func below(_ bound: Int) -> Int {
    Int(below(UInt64(bound)))
  }

  /// Whether an event of probability `percent` in 100 happens.
  package mutating func chance(percent: UInt64) -> Bool {
    below(100) < percent
  }

  /// A source of its own whose numbers do not depend on how far this one is used afterwards.
  package mutating func split() -> SeededRandom {
    SeededRandom(seed: next())
  }

  private static func rotate(_ value: UInt64, by count: UInt64) -> UInt64 {
    value << count | value >> (64 - count)
  }

  private static func mix(_ mixer: inout UInt64) -> UInt64 {
    mixer &+= 0x9e37_79b9_7f4a_7c15
    var value = mixer
    value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
    return value ^ value >> 31
  }
}
