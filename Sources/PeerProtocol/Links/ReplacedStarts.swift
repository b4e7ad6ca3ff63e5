import Basics
import WorldModel

/// Earlier starts of peers' processes, each of which gave way to a later one.
///
/// A dead process does not come back. A start that does, while the later one is linked, shows that two processes run with one
/// identity. Without this record each would replace the other without end.
struct ReplacedStarts {
  /// Starts that are remembered; a stranger can make any number.
  private static let capacity = 128

  /// The oldest first.
  private var starts: [NodeID] = []
  /// Peers of which it was told.
  private var told: KeySet<PeerID> = []

  /// Records that `start` gave way.
  mutating func insert(_ start: NodeID) {
    guard !starts.contains(start) else { return }
    if starts.count == Self.capacity { told.remove(starts.removeFirst().peer) }
    starts.append(start)
  }

  /// Whether this start gave way to a later one.
  func contains(_ start: NodeID) -> Bool { starts.contains(start) }

  /// Whether it has not been told yet that this peer runs twice.
  mutating func isNews(_ peer: PeerID) -> Bool { told.insert(peer) }
}
