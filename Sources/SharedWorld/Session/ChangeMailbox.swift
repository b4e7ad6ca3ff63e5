import Synchronization

/// The unread changes of one reader, and which anchors its filter lets it see.
final class ChangeMailbox: Sendable {
  typealias Element = AnchorChanges.Element

  private struct State {
    var unread: [Element] = []
    /// The anchors that the reader was told of and not yet that they went.
    var shown: Set<AnchorID> = []
    var waiter: CheckedContinuation<[Element]?, Never>?
    var isOverrun = false
    var hasEnded = false
  }

  private let filter: AnchorFilter
  private let state = Mutex(State())

  init(filter: AnchorFilter) {
    self.filter = filter
  }

  /// Whether changes were dropped, so that the reader has to begin anew.
  var isOverrun: Bool { state.withLock { $0.isOverrun } }

  /// Begins with the anchors that are there.
  func begin(_ anchors: [AnchorChange], isRestart: Bool, hasEnded: Bool) {
    let present = anchors.filter(matches)
    let wake = state.withLock { state in
      state.isOverrun = false
      state.hasEnded = hasEnded
      state.shown = Set(present.map(\.anchor.id))
      state.unread = isRestart ? [.restarted] : []
      state.unread += present.map(Element.change)
      state.unread.append(.current)
      return Self.release(&state)
    }
    wake()
  }

  /// Adds changes, in order.
  func put(_ changes: [AnchorChange]) {
    let wake = state.withLock { state in
      for change in changes { append(change, to: &state) }
      return Self.release(&state)
    }
    wake()
  }

  func end() {
    let wake = state.withLock { state in
      state.hasEnded = true
      return Self.release(&state)
    }
    wake()
  }

  /// Everything unread, waiting for the first change if there is none; nothing when the reader has to begin anew, nil after
  /// the end or when the task is cancelled.
  func take() async -> [Element]? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let wake = state.withLock { state in
          guard !Task.isCancelled, state.waiter == nil else { return { continuation.resume(returning: nil) } }
          state.waiter = continuation
          return Self.release(&state)
        }
        wake()
      }
    } onCancel: {
      let waiter = state.withLock { exchange(&$0.waiter, with: nil) }
      waiter?.resume(returning: nil)
    }
  }

  /// What to do once the lock is free: hand everything unread to who waits, if there is anything or nothing will come.
  private static func release(_ state: inout State) -> () -> Void {
    let (isOverrun, hasEnded) = (state.isOverrun, state.hasEnded)
    guard let waiter = state.waiter, !state.unread.isEmpty || isOverrun || hasEnded else { return {} }
    state.waiter = nil
    let unread = exchange(&state.unread, with: [])
    return { waiter.resume(returning: unread.isEmpty && !isOverrun ? nil : unread) }
  }

  private func append(_ change: AnchorChange, to state: inout State) {
    guard !state.isOverrun, let kind = kind(of: change, &state) else { return }
    guard state.unread.count < Session.Events.capacity else {
      state.isOverrun = true
      // A slow reader is told once that it has to begin anew, and not before it has read what is left.
      state.unread = []
      return
    }
    state.unread.append(
      .change(
        AnchorChange(
          kind: kind, anchor: change.anchor, owner: change.owner, author: change.author,
          sessionTime: change.sessionTime, origin: change.origin)))
  }

  private func matches(_ change: AnchorChange) -> Bool { filter.matches(change.anchor, owner: change.owner) }

  /// What a change is for a reader behind a filter; nil when it does not see it.
  private func kind(of change: AnchorChange, _ state: inout State) -> AnchorChange.Kind? {
    let id = change.anchor.id
    if change.kind == .removed { return state.shown.remove(id) == nil ? nil : .removed }
    guard matches(change) else { return state.shown.remove(id) == nil ? nil : .removed }
    return state.shown.insert(id).inserted ? .added : .updated
  }
}
