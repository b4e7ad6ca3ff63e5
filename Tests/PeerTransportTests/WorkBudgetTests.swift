import Testing

@testable import PeerTransport

/// The account of what a peer costs.
@Suite struct WorkBudgetTests {
  private static func limits(perByte: Int64 = 0, share: Int64 = 4) -> WorkBudget.Limits {
    var limits = WorkBudget.Limits()
    (limits.burst, limits.debt, limits.perByte, limits.share) = (1_000, 500, perByte, share)
    return limits
  }

  @Test func `the burst may be spent at once, and the first nanosecond beyond it is owed`() {
    var budget = WorkBudget(Self.limits(), at: 0)
    budget.charge(1_000, for: 0, at: 0)
    #expect(budget.rest(at: 0) == nil)
    budget.charge(1, for: 0, at: 0)
    #expect(budget.rest(at: 0) == 4)
  }

  @Test func `a debt is paid by one part in so many of the time`() {
    var budget = WorkBudget(Self.limits(), at: 100)
    budget.charge(1_100, for: 0, at: 100)
    #expect(budget.rest(at: 100) == 400)
    #expect(budget.rest(at: 300) == 200)
    #expect(budget.rest(at: 499) == 4)
    #expect(budget.rest(at: 500) == nil)
  }

  @Test func `looks that come often lose nothing of the time`() {
    var budget = WorkBudget(Self.limits(), at: 0)
    budget.charge(1_100, for: 0, at: 0)
    for time in UInt64(1)..<400 { #expect(budget.rest(at: time) != nil) }
    #expect(budget.rest(at: 400) == nil)
  }

  @Test func `work whose cost is linear in its bytes is paid by them, and is never owed`() {
    var budget = WorkBudget(Self.limits(perByte: 10, share: 1_000_000), at: 0)
    for _ in 0..<1_000 { budget.charge(10_000, for: 1_000, at: 0) }
    #expect(budget.rest(at: 0) == nil)
    #expect(budget.isFull(at: 0))
    // A byte that costs more than it is worth is paid from the burst, for so long.
    for _ in 0..<100 { budget.charge(20, for: 1, at: 0) }
    #expect(budget.rest(at: 0) == nil)
    budget.charge(20, for: 1, at: 0)
    #expect(budget.rest(at: 0) != nil)
  }

  @Test func `no more than the burst is saved, and no more than the bound is owed`() {
    var budget = WorkBudget(Self.limits(perByte: 10), at: 0)
    budget.charge(0, for: 1_000_000, at: 1_000_000_000)
    budget.charge(1_001, for: 0, at: 1_000_000_000)
    #expect(budget.rest(at: 1_000_000_000) == 4)
    budget.charge(UInt64.max, for: 0, at: 1_000_000_000)
    #expect(budget.rest(at: 1_000_000_000) == 2_000)
    #expect(!budget.isFull(at: 1_000_000_000))
    #expect(budget.isFull(at: .max))
  }

  @Test func `a peer rests for a second at most, so that its link does not end for silence`() {
    var budget = WorkBudget(WorkBudget.Limits(), at: 0)
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
