import Basics

/// When all frames are placed again: at once for what this node did, and not too often for what others do, which costs more than
/// their words are long.
struct FramePace: Sendable {
  /// Whether something has come since frames were placed, and whether it is of this node.
  var isStale = false
  var isUrgent = false
  private var lastPlaced: Instant?

  /// When frames are to be placed; nil while nothing has come.
  var due: Instant? { isUrgent ? .zero : isStale ? next : nil }

  private var next: Instant { lastPlaced.map { $0 + ProtocolTimes.framePlacing } ?? .zero }

  /// Whether frames may be placed now because of what others did.
  func allows(at now: Instant) -> Bool { now >= next }

  /// Frames were placed by everything that has come.
  mutating func placed(at now: Instant) {
    (isStale, isUrgent) = (false, false)
    lastPlaced = now
  }
}
