import AnchorReplication
import Synchronization
import WorldModel

/// An update of an anchor as it waits for a reader of changes.
struct ChangeNote: UpdateNote {
  let anchor: AnchorID
  let author: PeerID?
  private(set) var sessionTime: UInt64
  let origin: AnchorOrigin

  init(_ change: AnchorReplication.AnchorChange, by author: PeerID?) {
    anchor = change.id
    self.author = author
    sessionTime = change.sessionMilliseconds
    origin = change.origin
  }

  /// Updates of one author are one change.
  mutating func absorb(_ later: Self) -> Bool {
    guard author == later.author, origin == later.origin else { return false }
    sessionTime = later.sessionTime
    return true
  }

  /// What the reader is told: the anchor as it is, and who owns it.
  func change(_ anchor: Anchor, owner: PeerID?) -> AnchorChanges.Element {
    .change(
      AnchorChange(
        kind: .updated, anchor: anchor, owner: owner, author: author, sessionTime: sessionTime, origin: origin))
  }
}

/// The unread changes of one reader, and which anchors its filter lets it see.
///
/// For a reader of all anchors updates are only noted. Whether an anchor meets a filter is seen from the anchor at the time of the
/// change, and so a change behind a filter stands whole.
final class ChangeMailbox: Sendable {
  typealias Element = AnchorChanges.Element
  private typealias Waiter = CheckedContinuation<[Element]?, Never>
  private typealias Wake = (waiter: Waiter, unread: [Element]?)

  private struct State {
    var unread = Unread<Element, ChangeNote>()
    /// The anchors that the reader was told of and not yet that they went; only behind a filter.
    var shown: Set<AnchorID> = []
    var waiter: Waiter?
    var isOverrun = false
    var hasEnded = false
  }

  private let filter: AnchorFilter
  private let isFiltered: Bool
  private let state = Mutex(State())

  init(filter: AnchorFilter) {
    self.filter = filter
    isFiltered = filter != .all
  }

  /// Whether changes were dropped, so that the reader has to begin anew.
  var isOverrun: Bool { state.withLock { $0.isOverrun } }

  // MARK: Writing

  /// Begins with the anchors that are there.
  func begin(_ anchors: [AnchorChange], isRestart: Bool, hasEnded: Bool) {
    let present = isFiltered ? anchors.filter(matches) : anchors
    let wake = state.withLock { state in
      state.isOverrun = false
      state.hasEnded = hasEnded
      state.shown = isFiltered ? Set(present.map(\.anchor.id)) : []
      state.unread = Unread()
      if isRestart { state.unread.append(.restarted) }
      for change in present { state.unread.append(.change(change)) }
      state.unread.append(.current)
      return Self.release(&state)
    }
    wake?.waiter.resume(returning: wake?.unread)
  }

  /// Adds changes, in order, as this reader sees them.
  func put(_ changes: [AnchorChange]) {
    let wake = state.withLock { state in
      for change in changes { append(change, to: &state) }
      return Self.release(&state)
    }
    wake?.waiter.resume(returning: wake?.unread)
  }

  /// Adds what happened to anchors, in order.
  ///
  /// - Parameters:
  ///   - whole: A change as readers see it, with the anchor as it is after all of them; nil for what they are not told.
  ///   - author: Who an actor is.
  ///   - read: What is told of a note; nil for an anchor that is gone.
  func put(
    _ changes: [AnchorReplication.AnchorChange], whole: (AnchorReplication.AnchorChange) -> AnchorChange?,
    author: (ActorID) -> PeerID?, read: (ChangeNote) -> Element?
  ) {
    let wake = state.withLock { state in
      // Whoever waits has read everything: for it nothing is noted and looked up again.
      let isNoting = !isFiltered && (state.waiter == nil || !state.unread.isEmpty)
      // Anchors that came and went at once are not told of.
      var gone: Set<AnchorID> = []
      for change in changes where gone.isEmpty || !gone.contains(change.id) {
        if isNoting, case .updated = change.kind {
          note(ChangeNote(change, by: change.author.flatMap(author)), in: &state)
        } else if let told = whole(change) {
          append(told, to: &state)
        } else if case .added = change.kind {
          gone.insert(change.id)
        }
      }
      return Self.release(&state, read)
    }
    wake?.waiter.resume(returning: wake?.unread)
  }

  /// Gives everything unread to who waits for it.
  func deliver(_ read: (ChangeNote) -> Element?) {
    let wake = state.withLock { state in Self.release(&state, read) }
    wake?.waiter.resume(returning: wake?.unread)
  }

  /// Says that nothing more comes; what is noted is read now, because the anchors go.
  func end(_ read: (ChangeNote) -> Element?) {
    state.withLock { state in state.unread.settleAll(read) }
    end()
  }

  /// Says that nothing more comes.
  func end() {
    let wake = state.withLock { state in
      state.hasEnded = true
      return Self.release(&state)
    }
    wake?.waiter.resume(returning: wake?.unread)
  }

  // MARK: Reading

  /// Everything unread, waiting for the first change if there is none; nothing when the reader has to begin anew, nil after
  /// the end or when the task is cancelled.
  ///
  /// - Parameter session: Who looks up what is noted.
  func take(from session: Session? = nil) async -> [Element]? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (wake, isNoted) = state.withLock { state -> (Wake?, Bool) in
          guard !Task.isCancelled, state.waiter == nil else { return ((continuation, nil), false) }
          state.waiter = continuation
          return (Self.release(&state), state.unread.hasNotes)
        }
        wake?.waiter.resume(returning: wake?.unread)
        if isNoted { session?.serve(self) }
      }
    } onCancel: {
      let waiter = state.withLock { exchange(&$0.waiter, with: nil) }
      waiter?.resume(returning: nil)
    }
  }

  /// Who waits and what it gets, if there is anything or nothing will come; to be resumed once the lock is free.
  ///
  /// Without a look at the anchors nothing that is noted can be given: then the core was asked for it and comes to this.
  private static func release(_ state: inout State) -> Wake? {
    state.unread.hasNotes ? nil : release(&state) { _ in nil }
  }

  private static func release(_ state: inout State, _ read: (ChangeNote) -> Element?) -> Wake? {
    guard !state.unread.isEmpty || state.isOverrun || state.hasEnded, let waiter = exchange(&state.waiter, with: nil)
    else { return nil }
    let unread = state.unread.take(read)
    return (waiter, unread.isEmpty && !state.isOverrun ? nil : unread)
  }

  // MARK: Bounds

  private func append(_ change: AnchorChange, to state: inout State) {
    guard !state.isOverrun, let kind = isFiltered ? kind(of: change, &state) : change.kind, hasRoom(&state) else {
      return
    }
    if kind == .removed { state.unread.settle(change.anchor.id) { $0.change(change.anchor, owner: nil) } }
    state.unread.append(
      .change(
        AnchorChange(
          kind: kind, anchor: change.anchor, owner: change.owner, author: change.author,
          sessionTime: change.sessionTime, origin: change.origin)))
  }

  private func note(_ note: ChangeNote, in state: inout State) {
    guard !state.isOverrun else { return }
    state.unread.note(note)
    if state.unread.count > Session.Events.capacity { overrun(&state) }
  }

  private func hasRoom(_ state: inout State) -> Bool {
    guard state.unread.count >= Session.Events.capacity else { return true }
    overrun(&state)
    return false
  }

  /// A slow reader is told once that it has to begin anew, and not before it has read what is left.
  private func overrun(_ state: inout State) {
    state.isOverrun = true
    state.unread = Unread()
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
