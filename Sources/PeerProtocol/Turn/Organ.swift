import Basics

/// A part of the node with a state of its own, which the switchboard feeds with inputs, frames and notices.
///
/// Organs never call each other: they see the others through the turn's mesh and tell them what happened by notices.
protocol Organ: Sendable {
  /// When the organ wants to be woken at the latest; nil for never.
  func deadline(in turn: borrowing Turn) -> Instant?
}

/// An organ and its deadline, which is asked for again only after the organ was lent out to be changed.
struct Watched<O: Organ>: Sendable {
  private var kept: O
  private var due: Instant?
  private var isStale = true

  init(_ organ: O) {
    kept = organ
  }

  /// The organ, to be read.
  var state: O {
    @inline(__always) _read { yield kept }
  }

  /// The organ, to be changed.
  var organ: O {
    @inline(__always) _read { yield kept }
    @inline(__always) _modify {
      isStale = true
      yield &kept
    }
  }

  /// When the organ wants to be woken; nil for never.
  func deadline(in turn: borrowing Turn) -> Instant? { isStale ? kept.deadline(in: turn) : due }

  /// Whether the organ wanted to be woken by now.
  func isDue(in turn: borrowing Turn) -> Bool {
    guard let due = deadline(in: turn) else { return false }
    return due <= turn.now
  }

  /// Asks for the deadline if the organ was changed.
  mutating func refresh(in turn: borrowing Turn) {
    guard isStale else { return }
    due = kept.deadline(in: turn)
    isStale = false
  }
}
