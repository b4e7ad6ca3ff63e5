import PeerProtocol
import Testing

struct InstantTests {
  @Test func durationsMoveInstants() {
    #expect(Instant.zero + .seconds(2) == Instant(nanoseconds: 2_000_000_000))
    #expect(Instant.zero - .milliseconds(5) == Instant(nanoseconds: -5_000_000))
    #expect(Instant(nanoseconds: 7) - Instant(nanoseconds: 9) == .nanoseconds(-2))
  }

  @Test func theEndsOfTheClockHold() {
    #expect(Instant.distantFuture + .seconds(1) == .distantFuture)
    #expect(Instant(nanoseconds: .min) - .seconds(1) == Instant(nanoseconds: .min))
    #expect(Instant.distantFuture.nanoseconds(since: Instant(nanoseconds: -5)) == .max)
    #expect(Duration.seconds(Int64.max).wholeNanoseconds == .max)
  }

  @Test func descriptionsHaveSixDecimals() {
    #expect(Instant(nanoseconds: 12_003_456_789).description == "12.003456")
    #expect(Instant(nanoseconds: -1_500_000_000).description == "-1.500000")
  }
}

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
