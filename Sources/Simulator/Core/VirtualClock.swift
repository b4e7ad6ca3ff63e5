package import Basics

/// The monotonic clock of one simulated machine: it starts anywhere, runs a little fast or slow, and stands still while
/// the machine sleeps.
package struct VirtualClock: Sendable {
  /// The reading at the start of the simulation (ns).
  package var skew: Int64 = 0
  /// How much faster than true time it runs (parts per million).
  package var drift: Int64 = 0
  /// How long the machine has slept (ns of true time).
  package internal(set) var slept: Int64 = 0

  package init() {}

  /// The reading of the clock at a true time.
  package func local(at now: Instant) -> Instant {
    let awake = now.nanoseconds - slept
    return Instant(nanoseconds: skew + awake + awake / 1_000_000 * drift)
  }

  /// The first true time, to a few microseconds, at which the clock shows at least `local`.
  func global(for local: Instant) -> Int64 {
    guard local != .distantFuture else { return .max }
    let awake = local.nanoseconds - skew
    var estimate = awake - awake / 1_000_000 * drift
    // The estimate is off by drift² only; two corrections make it exact to the clock's own rounding.
    for _ in 0..<2 { estimate += awake - (estimate + estimate / 1_000_000 * drift) }
    while estimate + estimate / 1_000_000 * drift < awake { estimate += 1 }
    return estimate + slept
  }
}
