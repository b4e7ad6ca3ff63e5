/// When a register was written: a hybrid logical clock, and the writer to break ties.
///
/// The clock is Kulkarni et al., "Logical Physical Clocks" (OPODIS 2014): 48 bits of milliseconds of session time and
/// a 16-bit counter in one number. The top bit is always zero.
package struct Stamp: Hashable, Sendable, Comparable {
  /// Milliseconds of session time × 65,536 + counter.
  package var clock: UInt64
  /// The author.
  package var actor: ActorID

  /// A stamp.
  package init(clock: UInt64, actor: ActorID) {
    self.clock = clock
    self.actor = actor
  }

  /// The session time in the clock (milliseconds).
  package var sessionMilliseconds: UInt64 { clock >> 16 }

  /// Orders by clock, then by actor.
  package static func < (left: Self, right: Self) -> Bool {
    (left.clock, left.actor) < (right.clock, right.actor)
  }
}

/// The clock of one peer: never behind session time, and ahead of every stamp the peer has seen.
package struct HybridClock: Equatable, Sendable {
  /// The largest clock a stamp may carry: the top bit is zero, so that reading one never overflows.
  package static let maximum = UInt64.max >> 1

  /// Up to where a clock that is seen may be anything (2⁴² ms, 139 years), and how far above the last one it may be
  /// beyond that (2³² ms): one forged stamp cannot exhaust the clock.
  private static let plain: UInt64 = 1 << 58
  private static let longestLeap: UInt64 = 1 << 48

  /// The last clock given out or seen.
  package private(set) var last: UInt64 = 0

  /// A clock that has seen nothing.
  package init() {}

  /// The clock for a new stamp at session time `milliseconds`; nil when the clock has run to its end.
  package mutating func tick(at milliseconds: UInt64) -> UInt64? {
    let next = max(last + 1, min(milliseconds, Self.maximum >> 16) << 16)
    guard next <= Self.maximum else { return nil }
    last = next
    return next
  }

  /// Records a stamp, so that the next local one is later; ignores one that no session can have reached.
  package mutating func observe(_ clock: UInt64) {
    guard clock <= max(Self.plain, last + Self.longestLeap) else { return }
    last = max(last, min(clock, Self.maximum))
  }
}
