import Glibc

/// The monotonic clock that all processes of a machine share, so that their reports can be compared.
package enum MachineClock {
  /// The time of CLOCK_MONOTONIC (seconds).
  package static var seconds: Double {
    var time = timespec()
    // It cannot fail for a clock that every Linux has.
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
  }
}
