import Basics
import Testing

@testable import PeerTransport

/// What work for a peer costs, and what it may.
@Suite struct WorkMeterTests {
  @Test func `a peer rests for a second at most, so that its link does not end for silence`() {
    var budget = WorkBudget(.peer, at: 0)
    budget.charge(.max, for: 0, at: 0)
    #expect(budget.rest(at: 0) == 1_000_000_000)
  }

  @Test func `short work counts with the time, long work with no more than the processor's`() {
    var (looks, used) = (0, UInt64(0))
    let clocks = WorkClocks(
      time: { 0 },
      processorTime: {
        looks += 1
        return used
      })
    var meter = WorkMeter(clocks)
    #expect(meter.cost(from: 0, to: 50_000) == 50_000)
    #expect(looks == 1)
    // The thread was preempted: of the second it had 3 ms.
    used = 3_000_000
    #expect(meter.cost(from: 0, to: 1_000_000_000) == 3_000_000)
    used = 2_000_000_000
    #expect(meter.cost(from: 0, to: 1_000_000) == 1_000_000)
    #expect(looks == 3)
  }
}
