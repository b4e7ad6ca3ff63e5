import Testing
import WorldModel

@Suite("Session time")
struct SessionTimeTests {
  @Test("moments have an order, and a duration between them that is never negative")
  func durations() {
    let (early, late) = (SessionTime(milliseconds: 5), SessionTime(milliseconds: 25))
    #expect(early < late && SessionTime.zero < early)
    #expect(late.duration(since: early) == .milliseconds(20) && early.duration(since: late) == .zero)
  }
}
