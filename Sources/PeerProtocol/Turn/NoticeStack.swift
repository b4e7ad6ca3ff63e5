/// Notices on their way.
///
/// What one call of an organ has told stands together and is delivered in order, each notice with all that it causes before the
/// next one: the causes of a notice never overtake it, and its consequences are drawn before anything else goes on.
struct NoticeStack: Sendable {
  private var told: [Notice] = []
  /// Where the notices begin that belong to the call under way.
  private var base = 0

  init() {}

  /// Whether the call under way has told nothing.
  var isEmpty: Bool { told.count == base }

  /// Adds a notice of the call under way.
  mutating func push(_ notice: Notice) { told.append(notice) }

  /// The notices of one call while they are delivered.
  struct Batch {
    fileprivate let start: Int
    fileprivate var next: Int
    fileprivate let end: Int
  }

  /// Begins to deliver what the call under way has told; each delivery is a call of its own.
  mutating func begin() -> Batch {
    defer { base = told.count }
    return Batch(start: base, next: base, end: told.count)
  }

  /// The next notice of a batch, when all that the one before caused has been delivered.
  func next(of batch: inout Batch) -> Notice? {
    guard batch.next < batch.end else { return nil }
    defer { batch.next += 1 }
    return told[batch.next]
  }

  /// Forgets a batch that is delivered.
  mutating func end(_ batch: Batch) {
    told.removeSubrange(batch.start...)
    base = batch.start
  }
}
