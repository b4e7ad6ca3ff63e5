import PeerTransport
import Synchronization

extension Session.Snapshot {
  /// The view of a session that has not begun.
  fileprivate static func empty() -> Session.Snapshot {
    Session.Snapshot(
      revision: 0,
      state: Session.State(
        peers: [], inviting: [], host: nil, epoch: 0, mapID: nil, mapStatus: .none, isSynchronized: false, mapPoints: 0,
        anchorCount: 0, sessionTime: .zero, isLocked: false, memberLimit: 0, candidates: []),
      anchors: [], digest: SHA256Digest(words: .zero), participants: [], drags: [], hasEnded: false)
  }
}

/// The place from which render loops read, on any thread.
final class SnapshotBoard: Sendable {
  private let latest = Mutex(Session.Snapshot.empty())
  private let isAsked = Atomic(false)
  private let isRead = Atomic(false)
  private let isStale = Atomic(false)
  private let isOver = Atomic(false)

  /// Whether the app has read once: before that nothing is made.
  var isWanted: Bool { isAsked.load(ordering: .relaxed) }

  /// The latest snapshot; and whether the session should make another one, because it has changed and nobody had read.
  func read() -> (Session.Snapshot, isStale: Bool) {
    let isFirst = !isWanted && !isAsked.exchange(true, ordering: .relaxed)
    if !isRead.load(ordering: .relaxed) { isRead.store(true, ordering: .relaxed) }
    let isStale =
      isFirst || (isStale.load(ordering: .relaxed) && self.isStale.exchange(false, ordering: .relaxed))
    return (latest.withLock { $0 }, isStale && !isOver.load(ordering: .relaxed))
  }

  /// Whether the latest snapshot was read.
  var wasRead: Bool { isRead.load(ordering: .relaxed) }

  /// The session has changed, and the latest snapshot does not show it.
  func becomeStale() { isStale.store(true, ordering: .relaxed) }

  /// Replaces the latest snapshot; the one before is released outside the lock.
  func publish(_ snapshot: Session.Snapshot) {
    isStale.store(false, ordering: .relaxed)
    isRead.store(false, ordering: .relaxed)
    let former = latest.withLock { latest in exchange(&latest, with: snapshot) }
    if snapshot.hasEnded { isOver.store(true, ordering: .relaxed) }
    withExtendedLifetime(former) {}
  }
}

/// How far the snapshots of a session have come; on its loop.
struct SnapshotDesk {
  /// While the latest snapshot is unread a reader that draws gets another one at most this often (nanoseconds).
  static let pause: UInt64 = 4_000_000
  /// After this time without a reader nothing is made until one comes (nanoseconds).
  static let patience: UInt64 = 1_000_000_000

  /// The number of the latest snapshot.
  var revision: UInt64 = 0
  /// When a reader was seen last, on the loop's clock.
  var lastRead: UInt64 = 0
  /// Makes the next snapshot where the latest was not read.
  var timer: LoopTimer?
}
