import Basics

/// A part of the node with a state of its own, which the switchboard feeds with inputs, frames and notices.
///
/// Organs never call each other: they read the others' state in the turn's mesh, and send them notices.
protocol Organ: Sendable {
  /// When the organ needs its `tick` at the latest; nil for never.
  ///
  /// The turn is only read. A borrowed one would be copied where it is lent by somebody who may change it.
  func deadline(in turn: inout Turn) -> Instant?
}

/// An organ and its deadline, which is computed again only after the organ was borrowed for a change.
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

  /// When the organ needs its `tick`; nil for never.
  func deadline(in turn: inout Turn) -> Instant? { isStale ? kept.deadline(in: &turn) : due }

  /// Whether the deadline has passed.
  func isDue(in turn: inout Turn) -> Bool {
    guard let due = deadline(in: &turn) else { return false }
    return due <= turn.now
  }

  /// Computes the deadline if the organ was changed.
  mutating func refresh(in turn: inout Turn) {
    guard isStale else { return }
    due = kept.deadline(in: &turn)
    isStale = false
  }
}
