import Basics
import Testing

/// The account of what others cost.
@Suite struct WorkBudgetTests {
  private static func limits(perByte: Int64 = 0, share: Int64 = 4) -> WorkBudget.Limits {
    WorkBudget.Limits(burst: 1_000, debt: 500, perByte: perByte, share: share)
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
}
