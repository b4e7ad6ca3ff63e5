import Basics
import Testing

struct SeededRandomTests {
  /// The first numbers of xoshiro256** after SplitMix64 from 42, computed apart from this code.
  @Test func theNumbersAreThoseOfTheReference() {
    var random = SeededRandom(seed: 42)
    let numbers = (0..<3).map { _ in random.next() }
    #expect(numbers == [0x1578_0b2e_0c2e_c716, 0x6104_d986_6d11_3a7e, 0xae17_5332_39e4_99a1])
  }

  @Test func boundsHoldAndAreReached() {
    var random = SeededRandom(seed: 1)
    var seen = Set<Int>()
    for _ in 0..<200 { seen.insert(random.below(6)) }
    #expect(seen == Set(0..<6))
  }

  @Test func copiesGoOnAlike() {
    var random = SeededRandom(seed: 3)
    var copy = random
    #expect(random.next() == copy.next())
    #expect(random.split() == copy.split())
  }
}

struct SplitMix64Tests {
  @Test func `the generator gives the published numbers`() {
    // The first outputs for seed 1234567 in the reference implementation (S. Vigna, splitmix64.c).
    var random = SplitMix64(seed: 1_234_567)
    #expect(
      (0..<3).map { _ in random.next() } == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
      ])
  }
}
