/// Lets one report through in a while, so that a fast transfer does not drown its reader.
package struct Throttle: Sendable {
  private let interval: Double
  private var next = -Double.infinity

  /// At most one in `interval` seconds.
  package init(interval: Double) {
    self.interval = interval
  }

  /// Whether a report at `now` goes through; one that matters, such as the last, always does.
  package mutating func admits(at now: Double, always: Bool = false) -> Bool {
    guard always || now >= next else { return false }
    next = now + interval
    return true
  }
}
