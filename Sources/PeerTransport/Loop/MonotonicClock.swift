import Glibc

/// The clocks of a driver, in nanoseconds.
package enum MonotonicClock {
  /// Nanoseconds since an arbitrary start, standing still while the machine is suspended (CLOCK_MONOTONIC).
  package static var now: UInt64 { read(CLOCK_MONOTONIC) }

  /// Nanoseconds since boot, running on while the machine is suspended (CLOCK_BOOTTIME).
  ///
  /// When it has run ahead of ``now`` since the last look, the machine slept for the difference.
  package static var boot: UInt64 { read(CLOCK_BOOTTIME) }

  private static func read(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
