import AnchorReplication
import PeerProtocol
import Synchronization
import WorldModel

/// The elements that one reader has not read, in order, within its bounds.
///
/// Updates of anchors may be noted only: the reader that takes them reads the anchors from the set.
protocol Backlog: Sendable {
  associatedtype Element: Sendable

  /// Whether a reader would be given nothing.
  var isEmpty: Bool { get }
  /// Whether something was dropped, so that a reader must return even with nothing.
  var isOverrun: Bool { get }
  /// Whether anchors have to be read from the set before the rest can be handed out.
  var hasNotes: Bool { get }
  /// Everything, which then counts as read; nothing may be noted.
  mutating func take() -> [Element]
  /// Everything, which then counts as read; what is noted is read from the anchors, in this peer's frame.
  mutating func take(from anchors: borrowing AnchorSet, in frames: borrowing FrameView) -> [Element]
  /// Replaces all notes by their elements.
  mutating func settle(from anchors: borrowing AnchorSet, in frames: borrowing FrameView)
}

/// A backlog in which nothing is ever noted.
extension Backlog {
  var hasNotes: Bool { false }
  mutating func take(from anchors: borrowing AnchorSet, in frames: borrowing FrameView) -> [Element] { take() }
  mutating func settle(from anchors: borrowing AnchorSet, in frames: borrowing FrameView) {}
}

/// The backlog of one reader, and the reader's wait for it.
///
/// The session writes on its loop, and the reader reads on any thread.
final class ReaderMailbox<Contents: Backlog>: Sendable {
  typealias Element = Contents.Element
  // It is resumed where it is taken out of the state. A checked one would cost an object for each wait.
  private typealias Waiter = UnsafeContinuation<[Element]?, Never>
  /// A change of the backlog that reads the anchors; a closure that captured them would copy them.
  typealias Change = (
    inout Contents, _ isRead: Bool, borrowing AnchorSet, borrowing Roster, borrowing FrameView
  ) -> Void
  private typealias Wake = (waiter: Waiter, elements: [Element]?)

  private struct State {
    var backlog: Contents
    var waiter: Waiter?
    var hasEnded = false

    /// Whether a reader waits and gets something.
    var hasNews: Bool { waiter != nil && (!backlog.isEmpty || hasEnded) }
  }

  private let state: Mutex<State>

  /// Called when the last reader has released the mailbox, and nothing in it waits to be read any more.
  private let onRelease: @Sendable () -> Void

  init(_ backlog: Contents, onRelease: @escaping @Sendable () -> Void = {}) {
    state = Mutex(State(backlog: backlog))
    self.onRelease = onRelease
  }

  deinit { onRelease() }

  /// Looks at the backlog.
  func look<R: Sendable>(_ body: (borrowing Contents) -> R) -> R { state.withLock { body($0.backlog) } }

  /// Whether something was dropped since the reader last began.
  var isOverrun: Bool { state.withLock { $0.backlog.isOverrun } }

  // MARK: Writing

  /// Changes the backlog, and wakes a waiting reader unless anchors have to be read for it: the reader has asked for that.
  func update(_ change: (inout Contents) -> Void) {
    let wake = state.withLock { state -> Wake? in
      change(&state.backlog)
      return state.backlog.hasNotes ? nil : Self.release(&state)
    }
    wake?.waiter.resume(returning: wake?.elements)
  }

  /// Changes the backlog while the anchors can be read, and wakes a waiting reader.
  ///
  /// - Parameter change: The change; `isRead` says that the reader waits and has read everything, so that notes would be
  ///   read again at once.
  func update(
    in anchors: borrowing AnchorSet, _ roster: borrowing Roster, _ frames: borrowing FrameView, _ change: Change
  ) {
    let wake = state.withLock { state in
      change(&state.backlog, state.waiter != nil && state.backlog.isEmpty, anchors, roster, frames)
      return Self.release(&state, anchors, frames)
    }
    wake?.waiter.resume(returning: wake?.elements)
  }

  /// Gives everything unread to a waiting reader.
  func deliver(_ anchors: borrowing AnchorSet, in frames: borrowing FrameView) {
    let wake = state.withLock { state in Self.release(&state, anchors, frames) }
    wake?.waiter.resume(returning: wake?.elements)
  }

  /// Replaces all notes by their elements, because the anchors go.
  func settle(from anchors: borrowing AnchorSet, in frames: borrowing FrameView) {
    state.withLock { $0.backlog.settle(from: anchors, in: frames) }
  }

  /// Says that nothing more comes; the reader still gets what is unread.
  func end() {
    let wake = state.withLock { state in
      state.hasEnded = true
      return Self.release(&state)
    }
    wake?.waiter.resume(returning: wake?.elements)
  }

  // MARK: Reading

  /// Everything unread, after a wait for the first element if there is none.
  ///
  /// Empty when something was dropped and nothing is left; nil after the end, or when the task is cancelled while nothing
  /// can be handed out.
  ///
  /// - Parameter lookUp: Has the session call ``deliver(_:in:)`` soon.
  nonisolated(nonsending) func take(_ lookUp: (ReaderMailbox) -> Void = { _ in }) async -> [Element]? {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let (wake, needsAnchors) = state.withLock { state in Self.wait(continuation, in: &state) }
        wake?.waiter.resume(returning: wake?.elements)
        if needsAnchors { lookUp(self) }
      }
    } onCancel: {
      let waiter = state.withLock { exchange(&$0.waiter, with: nil) }
      waiter?.resume(returning: nil)
    }
  }

  /// Lets a reader wait, or says what it gets at once; and whether anchors have to be read for it.
  private static func wait(_ waiter: Waiter, in state: inout State) -> (Wake?, needsAnchors: Bool) {
    // One mailbox has one reader: a second one gets nothing.
    guard state.waiter == nil else { return ((waiter, nil), false) }
    state.waiter = waiter
    if !state.backlog.hasNotes, let wake = release(&state) { return (wake, false) }
    guard !Task.isCancelled else {
      state.waiter = nil
      return ((waiter, nil), false)
    }
    return (nil, state.backlog.hasNotes)
  }

  /// The waiting reader and what it gets, if there is something or nothing will come.
  ///
  /// The caller resumes it once the lock is free.
  private static func release(_ state: inout State) -> Wake? {
    guard state.hasNews else { return nil }
    let isOverrun = state.backlog.isOverrun
    return release(&state, state.backlog.take(), isOverrun)
  }

  /// The same, with what is noted as the anchors show it.
  private static func release(
    _ state: inout State, _ anchors: borrowing AnchorSet, _ frames: borrowing FrameView
  ) -> Wake? {
    guard state.hasNews else { return nil }
    let isOverrun = state.backlog.isOverrun
    return release(&state, state.backlog.take(from: anchors, in: frames), isOverrun)
  }

  private static func release(_ state: inout State, _ elements: [Element], _ isOverrun: Bool) -> Wake? {
    // Notes of anchors that are gone give nothing.
    if elements.isEmpty, !isOverrun, !state.hasEnded { return nil }
    guard let waiter = exchange(&state.waiter, with: nil) else { return nil }
    return (waiter, elements.isEmpty && !isOverrun ? nil : elements)
  }
}
