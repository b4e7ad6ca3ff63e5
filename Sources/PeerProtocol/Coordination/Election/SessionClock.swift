package import Basics

/// Session time: the host's monotonic clock in milliseconds, as one node reckons it; it never runs backwards.
package struct SessionClock: Equatable, Sendable {
  /// Session time minus local time (ns).
  private var offset: Int64
  /// The reading of the clock when it was last set (ms).
  private var floor: UInt64 = 0

  /// Starts at zero.
  init(at now: Instant) {
    offset = 0 &- now.nanoseconds
  }

  /// The session time (ms).
  package func time(at now: Instant) -> UInt64 {
    max(floor, UInt64(max(0, now.nanoseconds &+ offset)) / 1_000_000)
  }

  /// Takes over the host's time: jumps forward if behind, stands still until the host catches up if ahead.
  mutating func follow(_ time: UInt64, at now: Instant) {
    floor = self.time(at: now)
    offset = Self.nanoseconds(time) &- now.nanoseconds
  }

  /// Jumps forward to `time` if behind it by more than a second.
  mutating func catchUp(with time: UInt64, at now: Instant) {
    guard time > self.time(at: now) + 1000 else { return }
    follow(time, at: now)
  }

  /// Milliseconds as nanoseconds, at most about 146 years.
  private static func nanoseconds(_ time: UInt64) -> Int64 {
    Int64(min(time, UInt64(Int64.max / 2) / 1_000_000)) * 1_000_000
  }
}
