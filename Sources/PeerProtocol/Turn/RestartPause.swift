import Basics

/// Lets a word of the other side of a link make something costly begin again, at most once in ``ProtocolTimes/restartPause``.
struct RestartPause: Sendable {
  /// When it was last let through; nil when it never was.
  private var last: Instant?

  /// Whether it is let through now; then it counts.
  mutating func admits(at now: Instant) -> Bool {
    if let last, now - last < ProtocolTimes.restartPause { return false }
    last = now
    return true
  }
}
