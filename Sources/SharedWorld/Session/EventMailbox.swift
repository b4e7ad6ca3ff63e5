import AnchorReplication
import Synchronization
import WorldModel

/// An update of an anchor as it waits for a reader of events.
struct AnchorUpdate: UpdateNote {
  let anchor: AnchorID
  /// Where the latest of the updates came from.
  private(set) var origin: Session.Origin

  init(_ anchor: AnchorID, origin: Session.Origin) {
    self.anchor = anchor
    self.origin = origin
  }

  mutating func absorb(_ later: Self) -> Bool {
    origin = later.origin
    return true
  }
}

/// The unread events of one reader.
///
/// Updates of anchors are only noted: whoever reads them has the source look the anchors up.
final class EventMailbox: Sendable {
  private typealias Waiter = CheckedContinuation<[Session.Event]?, Never>

  private struct State {
    var unread = Unread<Session.Event, AnchorUpdate>()
    /// Where the latest pose of an anchor in a hand, or of a device, stands among the unread events.
    var poses: [Session.Event.Subject: Int] = [:]
    var anchorEvents = 0
    var messageBytes = 0
    var waiter: Waiter?
    var hasEnded = false
  }

  private let state = Mutex(State())
  private let source: AnchorSource

  init(source: AnchorSource) {
    self.source = source
  }

  // MARK: Writing

  func put(_ events: [Session.Event]) {
    let wake = state.withLock { state in
      for event in events { Self.append(event, to: &state) }
      return Self.wake(&state)
    }
    wake?.waiter.resume(returning: wake?.events)
  }

  /// Adds what happened to anchors, in order; `anchors` holds them as they are after all of it, and `whole` gives the events
  /// of a change besides an update.
  func put(
    _ changes: [AnchorReplication.AnchorChange], in anchors: borrowing AnchorSet,
    whole: (AnchorReplication.AnchorChange) -> [Session.Event]
  ) {
    let wake = state.withLock { state in
      // Whoever waits has read everything: for it nothing is noted and looked up again.
      let isRead = state.waiter != nil && state.unread.isEmpty
      // Anchors that came and went at once: nothing is left of them to be told before their end.
      var gone: Set<AnchorID> = []
      for index in changes.indices {
        guard case .updated(let fields) = changes.span[index].kind else {
          let events = whole(changes[index])
          if events.isEmpty { gone.insert(changes[index].id) }
          Self.append(events, to: &state)
          continue
        }
        if fields.hasLock { Self.append(whole(changes[index]), to: &state) }
        let id = changes.span[index].id
        guard fields.hasOthers, gone.isEmpty || !gone.contains(id) else { continue }
        let update = AnchorUpdate(id, origin: Session.Origin(changes.span[index].origin))
        if !isRead {
          Self.note(update, in: &state)
        } else if let slot = anchors.slot(showing: id) {
          state.unread.append(.anchorUpdated(anchors.anchor(at: slot), origin: update.origin))
        }
      }
      return Self.wake(&state) { anchors.event(of: $0) }
    }
    wake?.waiter.resume(returning: wake?.events)
  }

  /// Gives everything unread to who waits for it.
  func deliver(from anchors: borrowing AnchorSet) {
    let wake = state.withLock { state in Self.wake(&state) { anchors.event(of: $0) } }
    wake?.waiter.resume(returning: wake?.events)
  }

  /// Looks up what is noted, because the anchors go.
  func settle(from anchors: borrowing AnchorSet) {
    state.withLock { state in state.unread.settleAll { anchors.event(of: $0) } }
  }

  func end() {
    let (waiter, events) = state.withLock { state -> (Waiter?, [Session.Event]?) in
      state.hasEnded = true
      guard let waiter = exchange(&state.waiter, with: nil) else { return (nil, nil) }
      return (waiter, state.unread.isEmpty ? nil : Self.drain(&state))
    }
    waiter?.resume(returning: events)
  }

  // MARK: Reading

  /// Everything unread, waiting for the first event if there is none; nil after the end or when the task is cancelled.
  func take() async -> [Session.Event]? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (ready, isNoted) = state.withLock { state -> ([Session.Event]??, Bool) in
          let isNoted = state.unread.hasNotes
          if !isNoted, !state.unread.isEmpty { return (.some(Self.drain(&state)), false) }
          if !isNoted && state.hasEnded || Task.isCancelled || state.waiter != nil { return (.some(nil), false) }
          state.waiter = continuation
          return (nil, isNoted)
        }
        if let ready { continuation.resume(returning: ready) }
        if isNoted { source.serve(self) }
      }
    } onCancel: {
      let waiter = state.withLock { exchange(&$0.waiter, with: nil) }
      waiter?.resume(returning: nil)
    }
  }

  /// Who waits and what it gets, if there is something; to be resumed once the lock is free.
  ///
  /// Without a look at the anchors nothing that is noted can be given: then the source was asked for it and comes to this.
  private static func wake(_ state: inout State) -> (waiter: Waiter, events: [Session.Event])? {
    state.unread.hasNotes ? nil : wake(&state) { _ in nil }
  }

  private static func wake(
    _ state: inout State, _ event: (AnchorUpdate) -> Session.Event?
  ) -> (waiter: Waiter, events: [Session.Event])? {
    guard !state.unread.isEmpty, let waiter = exchange(&state.waiter, with: nil) else { return nil }
    return (waiter, drain(&state, event))
  }

  private static func drain(
    _ state: inout State, _ event: (AnchorUpdate) -> Session.Event? = { _ in nil }
  ) -> [Session.Event] {
    state.poses.removeAll(keepingCapacity: true)
    state.anchorEvents = 0
    state.messageBytes = 0
    return state.unread.take(event)
  }

  // MARK: Bounds

  private static func append(_ events: [Session.Event], to state: inout State) {
    for event in events { append(event, to: &state) }
  }

  private static func append(_ event: Session.Event, to state: inout State) {
    if case .message(let bytes, _) = event { state.messageBytes += bytes.count }
    guard state.messageBytes <= Session.Events.messageCapacity else {
      state.messageBytes = 0
      drop("messages were dropped because they were not read", notes: false, from: &state) {
        if case .message = $0 { true } else { false }
      }
      return
    }
    guard let subject = event.subject else {
      state.unread.append(event)
      return
    }
    if event.replacesUnread, let index = state.poses[subject] {
      state.unread.replace(index, with: event)
      return
    }
    if case .anchor(let anchor) = subject { seal(anchor, before: event, in: &state) }
    guard makeRoom(in: &state) else { return }
    let index = state.unread.append(event)
    if case .anchor = subject { return }
    state.poses[subject] = event.replacesUnread ? index : nil
  }

  /// Lets updates that follow this event be news of their own; those before the end of an anchor show it as it was last.
  private static func seal(_ anchor: AnchorID, before event: Session.Event, in state: inout State) {
    if case .anchorRemoved(let last, _) = event {
      state.unread.settle(anchor) { .anchorUpdated(last, origin: $0.origin) }
    } else {
      state.unread.seal(anchor)
    }
  }

  @inline(__always)
  private static func note(_ update: AnchorUpdate, in state: inout State) {
    let before = state.unread.count
    state.unread.note(update)
    if state.unread.count > before { _ = makeRoom(in: &state) }
  }

  /// Counts one more event of an anchor; when that is one too many, drops all of them with a word.
  @inline(__always)
  private static func makeRoom(in state: inout State) -> Bool {
    guard state.anchorEvents >= Session.Events.capacity else {
      state.anchorEvents += 1
      return true
    }
    state.anchorEvents = 0
    let message = "changes of anchors were dropped because they were not read; read session.anchors() anew"
    drop(message, notes: true, from: &state) { $0.subject != nil }
    return false
  }

  private static func drop(
    _ message: String, notes: Bool, from state: inout State, where isDropped: (Session.Event) -> Bool
  ) {
    state.unread.drop(notes: notes, where: isDropped)
    // What is left stands elsewhere now.
    state.poses = [:]
    state.unread.append(.problem(SessionError(.consumerTooSlow, message)))
  }
}

extension AnchorSet {
  /// What a reader is told of an update: the anchor as it is now; nil for one that is gone.
  fileprivate func event(of update: AnchorUpdate) -> Session.Event? {
    guard let slot = slot(showing: update.anchor) else { return nil }
    return .anchorUpdated(anchor(at: slot), origin: update.origin)
  }
}
