import Basics

/// A part of the node with a state of its own, which the switchboard feeds with inputs, frames and notices.
///
/// Organs never call each other: they read the others' state in the turn's mesh, and send them notices.
protocol Organ: Sendable {
  /// When the organ needs its `step` at the latest; nil for never.
  ///
  /// The turn is only read. A borrowed one would be copied where it is lent by somebody who may change it.
  func deadline(in turn: inout Turn) -> Instant?
  /// Whether something may be due before the deadline, which does not wake the node for it.
  func isDueEarly(at now: Instant) -> Bool
  /// Does what is due.
  mutating func tick(in turn: inout Turn)
  /// Does what is due, or one thing of it that has consequences; whether to call again after those.
  mutating func step(in turn: inout Turn) -> Bool
  /// Extends its waits for other peers by a gap in which this process did not run.
  mutating func excuse(_ gap: Duration, in turn: inout Turn)
}

/// An organ that waits for nothing.
extension Organ {
  func isDueEarly(at now: Instant) -> Bool { false }

  mutating func tick(in turn: inout Turn) {}

  mutating func step(in turn: inout Turn) -> Bool {
    tick(in: &turn)
    return false
  }

  mutating func excuse(_ gap: Duration, in turn: inout Turn) {}
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

  /// When the organ needs its `step`; nil for never.
  func deadline(in turn: inout Turn) -> Instant? { isStale ? kept.deadline(in: &turn) : due }

  /// Whether the organ has something to do.
  func isDue(in turn: inout Turn) -> Bool {
    if kept.isDueEarly(at: turn.now) { return true }
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
