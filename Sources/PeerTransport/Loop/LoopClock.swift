import Synchronization

/// The time by which the timers of loops run: that of the machine, or one that passes faster while nobody has anything to do.
///
/// Loops that share a clock and talk to each other alone cannot tell the difference: while one of them works, time passes for
/// all of them as it does for the machine, so that a slow machine misses no deadline.
package final class LoopClock: Sendable {
  private struct Pace {
    /// The clock's time when the pace last changed, and the machine's (nanoseconds).
    var shown: UInt64
    var real: UInt64
    /// The loops that work now.
    var busy = 0

    func now(at real: UInt64, _ speed: UInt64) -> UInt64 { shown + (real - self.real) * (busy == 0 ? speed : 1) }
  }

  /// The time of the machine.
  package static let machine = LoopClock(speed: 1)

  private let speed: UInt64
  private let pace: Mutex<Pace>

  /// A clock that passes `speed` times as fast as that of the machine while all its loops wait.
  package init(speed: Int) {
    precondition(speed >= 1, "time does not stand still")
    self.speed = UInt64(speed)
    let real = MonotonicClock.now
    pace = Mutex(Pace(shown: real, real: real))
  }

  /// The time (nanoseconds since an arbitrary start).
  package var now: UInt64 {
    guard speed > 1 else { return MonotonicClock.now }
    return pace.withLock { $0.now(at: MonotonicClock.now, speed) }
  }

  /// How much of this clock's time passes in one millisecond of waiting, at most (nanoseconds).
  var millisecond: UInt64 { speed * 1_000_000 / MonotonicClock.slowness }

  /// A loop begins to work.
  func begin() { change(by: 1) }

  /// A loop begins to wait.
  func end() { change(by: -1) }

  private func change(by difference: Int) {
    guard speed > 1 else { return }
    pace.withLock { pace in
      let real = MonotonicClock.now
      (pace.shown, pace.real) = (pace.now(at: real, speed), real)
      pace.busy += difference
    }
  }
}
