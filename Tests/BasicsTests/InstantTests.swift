import Basics
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
