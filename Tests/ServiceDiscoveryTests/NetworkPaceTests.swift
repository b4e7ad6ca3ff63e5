import Basics
import Testing

@testable import ServiceDiscovery

/// What the network may cost the threads of discovery.
@Suite struct NetworkPaceTests {
  private let start = ContinuousClock.now

  @Test func `what honest networks cost needs no rest`() {
    var pace = NetworkPace(at: start, used: 7)
    // The savings at once, then a thirty-second of the time.
    var used = 7 + UInt64(NetworkPace.limits.burst)
    #expect(pace.rest(at: start, used: used) == nil)
    for second in 1...100 {
      used += 1_000_000_000 / 32
      #expect(pace.rest(at: start + .seconds(second), used: used) == nil)
    }
  }

  @Test func `under a flood a thread has a thirty-second of a processor`() {
    var pace = NetworkPace(at: start, used: 0)
    var (now, used, shortest) = (start, UInt64(0), Duration.seconds(1))
    while now < start + .seconds(100) {
      // There is always another message, and each costs 25 µs.
      now += .microseconds(25)
      used += 25_000
      guard let rest = pace.rest(at: now, used: used) else { continue }
      shortest = min(shortest, rest)
      now += rest
    }
    let limits = NetworkPace.limits
    #expect(shortest >= NetworkPace.shortestRest)
    #expect(Int64(used) <= limits.burst + 100_000_000_000 / limits.share + 1_000_000)
    #expect(Int64(used) >= 100_000_000_000 / limits.share * 9 / 10)
  }

  @Test func `a dear message costs a third of a second of rest at most`() {
    var pace = NetworkPace(at: start, used: 0)
    #expect(pace.rest(at: start, used: 1_000_000_000_000) == .milliseconds(320))
  }
}
