package import Basics

/// How many of something are let through in each second.
package struct RateLimit: Sendable, Equatable {
  private let most: Int
  /// When the present second began, and how many came in it.
  private var start: Instant
  private var count = 0

  /// `most` a second, from now on.
  package init(_ most: Int, at now: Instant) {
    self.most = most
    start = now
  }

  /// Counts one more; whether it is let through.
  package mutating func admits(at now: Instant) -> Bool {
    if now - start >= .seconds(1) { (start, count) = (now, 0) }
    count += 1
    return count <= most
  }
}
