/// A point on a monotonic clock: nanoseconds since an arbitrary start.
///
/// The core never reads a clock; every call that depends on time is given an instant. Only differences carry meaning,
/// and instants of two machines must never be compared. Arithmetic and comparison are inlinable because the core does both for
/// every message.
@usableFromInline package struct Instant: Hashable, Comparable, Sendable {
  /// Nanoseconds since the start; the start is the driver's choice, often the boot of the machine.
  @usableFromInline package let nanoseconds: Int64

  /// The instant so many nanoseconds after the start.
  @inlinable package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// The start itself.
  @inlinable package static var zero: Instant { Instant(nanoseconds: 0) }

  /// The last instant there is, about 292 years after the start.
  @inlinable package static var distantFuture: Instant { Instant(nanoseconds: .max) }

  /// Moves by whole nanoseconds, stopping at the ends of the clock.
  @inlinable package func advanced(byNanoseconds delta: Int64) -> Instant {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(delta)
    return Instant(nanoseconds: overflow ? (delta < 0 ? .min : .max) : sum)
  }

  /// The time from `earlier` to this instant in nanoseconds, negative if this one comes first.
  @inlinable package func nanoseconds(since earlier: Instant) -> Int64 {
    let (difference, overflow) = nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
    return overflow ? (nanoseconds < earlier.nanoseconds ? .min : .max) : difference
  }

  /// Moves later by a duration.
  @inlinable package static func + (instant: Instant, duration: Duration) -> Instant {
    instant.advanced(byNanoseconds: duration.wholeNanoseconds)
  }

  /// Moves earlier by a duration.
  @inlinable package static func - (instant: Instant, duration: Duration) -> Instant {
    instant.advanced(byNanoseconds: (.zero - duration).wholeNanoseconds)
  }

  /// Moves this instant later by a duration.
  @inlinable package static func += (instant: inout Instant, duration: Duration) {
    instant = instant + duration
  }

  /// The time from the right instant to the left one, negative if the left one comes first.
  @inlinable package static func - (later: Instant, earlier: Instant) -> Duration {
    .nanoseconds(later.nanoseconds(since: earlier))
  }

  /// Whether both are the same nanosecond.
  @inlinable package static func == (left: Instant, right: Instant) -> Bool {
    left.nanoseconds == right.nanoseconds
  }

  /// Feeds the nanoseconds to `hasher`.
  @inlinable package func hash(into hasher: inout Hasher) {
    hasher.combine(nanoseconds)
  }

  /// Orders earlier before later.
  @inlinable package static func < (left: Instant, right: Instant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }
}

extension Instant: CustomStringConvertible {
  /// Seconds since the start with six decimals, such as `12.345678`.
  @usableFromInline package var description: String {
    let micros = nanoseconds.magnitude / 1000
    let fraction = String(micros % 1_000_000)
    let zeros = String(repeating: "0", count: 6 - fraction.count)
    return "\(nanoseconds < 0 ? "-" : "")\(micros / 1_000_000).\(zeros)\(fraction)"
  }
}

extension Duration {
  /// The duration in nanoseconds, rounded towards zero and kept within about ±292 years.
  @inlinable package var wholeNanoseconds: Int64 {
    // Up to 18 seconds, which nearly all are, without a division of 128 bits.
    if let few = UInt64(exactly: attoseconds) { return Int64(few / 1_000_000_000) }
    return Int64(clamping: attoseconds / 1_000_000_000)
  }
}
