/// Notices that are still to be delivered.
///
/// The notices of one organ call form a batch. They are delivered in order, each with all notices it causes before the
/// next: the delivery is depth first, so a handler may rely on all consequences of earlier notices.
package struct NoticeStack: Sendable {
  private var told: [Notice] = []
  /// The index at which the notices of the present call begin.
  private var base = 0

  init() {}

  /// Whether the present call has added nothing.
  package var isEmpty: Bool { told.count == base }

  /// Adds a notice of the present call.
  mutating func push(_ notice: Notice) { told.append(notice) }

  /// The notices of one call while they are delivered.
  package struct Batch {
    fileprivate let start: Int
    fileprivate var next: Int
    fileprivate let end: Int
  }

  /// Begins to deliver the notices of the present call; each delivery is a call of its own.
  package mutating func begin() -> Batch {
    defer { base = told.count }
    return Batch(start: base, next: base, end: told.count)
  }

  /// The next notice of a batch; the caller has delivered all that the one before caused.
  package func next(of batch: inout Batch) -> Notice? {
    guard batch.next < batch.end else { return nil }
    defer { batch.next += 1 }
    return told[batch.next]
  }

  /// Removes a delivered batch.
  package mutating func end(_ batch: Batch) {
    assert(batch.next == batch.end && told.count == batch.end, "a notice was not delivered")
    told.removeSubrange(batch.start...)
    base = batch.start
  }
}
