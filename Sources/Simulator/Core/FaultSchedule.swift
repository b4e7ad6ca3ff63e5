package import Basics

/// Draws faults at random, with the pauses between them.
package struct FaultSchedule: Sendable {
  private var random: SeededRandom
  private let count: Int

  /// Faults for `count` nodes, at least 2.
  package init(count: Int, random: SeededRandom) {
    self.count = count
    self.random = random
  }

  /// The next fault, for a simulation in which these nodes run, and of these some are not stopped.
  package mutating func next(running: [Bool], awake: [Bool]) -> Fault {
    let one = random.below(count)
    let other = (one + 1 + random.below(count - 1)) % count
    switch random.below(100) {
    case 0..<12: return .cut(one, other)
    case 12..<18: return .cutOneWay(from: one, to: other)
    case 18..<26: return .mend(one, other)
    case 26..<34: return .reset(one, other)
    case 34..<46: return .split((0..<count).map { _ in random.below(2) })
    case 46..<56: return .heal
    case 56..<60: return .clog(from: one, to: other, delay: Int64(random.below(UInt64(400_000_000))))
    case 60..<74: return running[one] ? .crash(one, silently: random.chance(percent: 50)) : .start(one)
    case 74..<88: return running[one] ? (awake[one] ? .reset(one, other) : .resume(one)) : .start(one)
    default: return awake[one] ? .stop(one, asleep: random.chance(percent: 40)) : .resume(one)
    }
  }

  /// How long to wait until the next fault (ns): now and then almost nothing, at most 2.5 s.
  package mutating func pause() -> Int64 {
    [20_000_000, 100_000_000, 400_000_000, 1_000_000_000, 2_500_000_000][random.below(5)]
  }
}
