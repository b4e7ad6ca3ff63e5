import Basics

/// How often members make this node do what costs more than their frames are long: place all frames, and compare all it knows.
struct FramePace: Sendable {
  /// Whether something has come since frames were placed.
  var isStale = false
  private var lastPlaced: Instant?
  /// When a digest of a link was compared last.
  private var lastCompared: Table<LinkRef, Instant> = [:]

  /// When frames are to be placed; nil while nothing has come.
  var due: Instant? { isStale ? lastPlaced.map { $0 + ProtocolTimes.framePlacing } : nil }

  /// Whether frames may be placed now because of what others did.
  func allows(at now: Instant) -> Bool { lastPlaced.map { now >= $0 + ProtocolTimes.framePlacing } ?? true }

  /// Frames were placed by everything that has come.
  mutating func placed(at now: Instant) {
    isStale = false
    lastPlaced = now
  }

  /// Whether the digest of a link may be compared now; then it counts.
  mutating func mayCompare(on link: LinkRef, at now: Instant) -> Bool {
    if let last = lastCompared[link], now < last + ProtocolTimes.frameComparison { return false }
    lastCompared[link] = now
    return true
  }

  /// Forgets links that have ended.
  mutating func forget(allBut links: [LinkRef]) {
    guard lastCompared.count > links.count else { return }
    lastCompared = lastCompared.filter { links.contains($0.key) }
  }
}
