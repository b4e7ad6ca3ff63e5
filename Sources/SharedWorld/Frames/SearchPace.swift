import Basics
import WorldModel

/// How often ``Session/Frames/keepAligned(by:)`` measures each frame: one search at a time, and at most one in an interval.
struct SearchPace {
  /// The least time between two searches.
  let interval: Duration
  /// By the peer whose frame is measured, nil for the shared one.
  private var searches: [PeerID?: (begun: Instant, isRunning: Bool)] = [:]

  init(interval: Duration) { self.interval = interval }

  /// Whether a search may begin now; then it has begun.
  mutating func begin(_ peer: PeerID?, at now: Instant) -> Bool {
    searches = searches.filter { $1.isRunning || now < $1.begun + interval }
    guard searches[peer] == nil else { return false }
    searches[peer] = (now, true)
    return true
  }

  /// A search that has begun is over.
  mutating func end(_ peer: PeerID?) { searches[peer]?.isRunning = false }
}
