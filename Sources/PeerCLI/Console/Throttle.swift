/// Lets one report through in a while, so that a fast transfer does not drown its reader.
package struct Throttle: Sendable {
  private let interval: Double
  private var next = -Double.infinity

  /// At most one in `interval` seconds.
  package init(interval: Double) {
    self.interval = interval
  }

  /// Whether any report at `now` would go through.
  func isOpen(at now: Double) -> Bool { now >= next }

  /// Whether a report at `now` goes through; one that matters, such as the last, always does.
  package mutating func admits(at now: Double, always: Bool = false) -> Bool {
    guard always || isOpen(at: now) else { return false }
    next = now + interval
    return true
  }
}

/// Lets one report a second through for each thing that moves, so that a drag does not drown its reader.
struct Movements: Sendable {
  /// Things that are remembered at a time; a session has more only if somebody floods it.
  private static let most = 256

  private var shown: [String: Throttle] = [:]

  /// Whether a report on a thing goes through at `now` (seconds).
  mutating func admits(_ thing: String, at now: Double) -> Bool {
    if shown[thing] == nil, shown.count >= Self.most {
      shown = shown.filter { !$0.value.isOpen(at: now) }
      guard shown.count < Self.most else { return false }
    }
    return shown[thing, default: Throttle(interval: 1)].admits(at: now)
  }
}
