import BasicsLinux
import Glibc

/// The clocks of a driver, in nanoseconds.
///
/// Built for a sanitizer, where everything takes several times as long, they pass at a fifth of the machine's pace: every deadline of
/// the library, here and in the other processes of a test, has five times the time.
package enum MonotonicClock {
  #if SANITIZED
  /// How many times slower they pass than the machine's.
  static let slowness: UInt64 = 5
  #else
  static let slowness: UInt64 = 1
  #endif

  /// Nanoseconds since an arbitrary start, standing still while the machine is suspended (CLOCK_MONOTONIC).
  package static var now: UInt64 { read(CLOCK_MONOTONIC) }

  /// Nanoseconds since boot, running on while the machine is suspended (CLOCK_BOOTTIME).
  ///
  /// When it has run ahead of ``now`` since the last look, the machine slept for the difference.
  package static var boot: UInt64 { read(CLOCK_BOOTTIME) }

  /// The clock of the world, milliseconds since 1970 (CLOCK_REALTIME).
  static var world: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(max(0, time.tv_sec)) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
  }

  /// Processor time that the calling thread has used (CLOCK_THREAD_CPUTIME_ID).
  static var processorTime: UInt64 { POSIXThread.processorTime / slowness }

  private static func read(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return (UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)) / slowness
  }
}
