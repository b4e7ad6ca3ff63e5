import Synchronization

extension Session {
  /// The events of a session, in order; each iterator sees all of them from the moment it is made, and the first one
  /// also what happened before.
  ///
  /// It is bounded: updates of one anchor that were not read yet become one, and a reader that falls further behind than
  /// ``Session/Events/capacity`` or ``Session/Events/messageCapacity`` loses the unread changes of anchors or the unread
  /// messages, never those of membership, and is told so by ``Session/Event/problem(_:)`` with the code
  /// ``SessionError/Code/consumerTooSlow``. An iterator that is let go costs nothing any more.
  public struct Events: AsyncSequence, Sendable {
    /// Unread changes of anchors an iterator holds.
    public static let capacity = 65_536
    /// Bytes of unread messages an iterator holds.
    public static let messageCapacity = 16 * 1024 * 1024

    let hub: EventHub

    /// A reader of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(mailbox: hub.subscribe()) }

    /// Reads events one by one, or in batches.
    public struct Iterator: AsyncIteratorProtocol {
      let mailbox: EventMailbox
      private var batch: ArraySlice<Event> = []

      init(mailbox: EventMailbox) {
        self.mailbox = mailbox
      }

      /// The next event; nil after the session has ended or the task was cancelled.
      public mutating func next() async -> Event? {
        if batch.isEmpty {
          guard let more = await nextBatch() else { return nil }
          batch = more[...]
        }
        return batch.popFirst()
      }

      /// Everything that has happened since the last call, at least one event; nil after the end.
      public mutating func nextBatch() async -> [Event]? {
        await mailbox.take()
      }
    }
  }
}

/// Hands every event to every reader.
///
/// A mailbox is held by its iterators alone: with the last of them it goes, and nothing is put into it any more.
final class EventHub: Sendable {
  /// A mailbox for as long as somebody reads it.
  private struct Reader {
    weak var mailbox: EventMailbox?
  }

  private struct State {
    var readers: [Reader] = []
    /// What happened before anybody read; nil once somebody does.
    var early: EventMailbox? = EventMailbox()
    var hasEnded = false
  }

  private let state = Mutex(State())

  /// A mailbox that gets all further events; the first one also those before.
  func subscribe() -> EventMailbox {
    state.withLock { state in
      let mailbox = exchange(&state.early, with: nil) ?? EventMailbox()
      if state.hasEnded { mailbox.end() } else { state.readers.append(Reader(mailbox: mailbox)) }
      return mailbox
    }
  }

  /// Hands out events, in order.
  func publish(_ events: [Session.Event]) {
    guard !events.isEmpty else { return }
    for mailbox in receivers { mailbox.put(events) }
  }

  /// Says that nothing more comes.
  func end() {
    state.withLock { $0.hasEnded = true }
    for mailbox in receivers { mailbox.end() }
  }

  /// Who gets what happens now; those whose readers are gone are forgotten.
  var receivers: [EventMailbox] {
    state.withLock { state in
      var receivers: [EventMailbox] = []
      var hasGone = false
      // By index: a weak reference is costly to copy.
      for index in state.readers.indices {
        if let mailbox = state.readers[index].mailbox { receivers.append(mailbox) } else { hasGone = true }
      }
      if hasGone { state.readers.removeAll { $0.mailbox == nil } }
      if let early = state.early { receivers.append(early) }
      return receivers
    }
  }
}

/// The unread events of one reader.
final class EventMailbox: Sendable {
  private struct State {
    var events: [Session.Event] = []
    var updates: [Session.Event.Subject: Int] = [:]
    var anchorEvents = 0
    var messageBytes = 0
    var waiter: CheckedContinuation<[Session.Event]?, Never>?
    var hasEnded = false
  }

  private let state = Mutex(State())

  func put(_ events: [Session.Event]) {
    let wake = state.withLock { state -> (CheckedContinuation<[Session.Event]?, Never>, [Session.Event])? in
      guard let waiter = state.waiter else {
        for event in events { Self.append(event, to: &state) }
        return nil
      }
      // Whoever waits has read everything: these go to it as they are.
      state.waiter = nil
      return (waiter, events)
    }
    wake?.0.resume(returning: wake?.1)
  }

  func end() {
    let wake = state.withLock { state -> CheckedContinuation<[Session.Event]?, Never>? in
      state.hasEnded = true
      defer { state.waiter = nil }
      return state.waiter
    }
    wake?.resume(returning: nil)
  }

  /// Everything unread, waiting for the first event if there is none.
  func take() async -> [Session.Event]? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let ready = state.withLock { state -> [Session.Event]?? in
          if !state.events.isEmpty { return .some(Self.drain(&state)) }
          if state.hasEnded || Task.isCancelled || state.waiter != nil { return .some(nil) }
          state.waiter = continuation
          return nil
        }
        if let ready { continuation.resume(returning: ready) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        defer { state.waiter = nil }
        return state.waiter
      }
      waiter?.resume(returning: nil)
    }
  }

  private static func drain(_ state: inout State) -> [Session.Event] {
    defer {
      state.events = []
      state.updates.removeAll(keepingCapacity: true)
      state.anchorEvents = 0
      state.messageBytes = 0
    }
    return state.events
  }

  private static func append(_ event: Session.Event, to state: inout State) {
    if case .message(let bytes, _) = event { state.messageBytes += bytes.count }
    guard state.messageBytes <= Session.Events.messageCapacity else {
      state.messageBytes = 0
      drop("messages were dropped because they were not read", from: &state) {
        if case .message = $0 { true } else { false }
      }
      return
    }
    guard let subject = event.subject else {
      state.events.append(event)
      return
    }
    if event.replacesUnread {
      if let index = state.updates[subject] {
        state.events[index] = event
        return
      }
      state.updates[subject] = state.events.count
    } else {
      state.updates[subject] = nil
    }
    guard state.anchorEvents < Session.Events.capacity else {
      state.anchorEvents = 0
      let message = "changes of anchors were dropped because they were not read; read session.anchors() anew"
      drop(message, from: &state) { $0.subject != nil }
      return
    }
    state.anchorEvents += 1
    state.events.append(event)
  }

  private static func drop(_ message: String, from state: inout State, where isDropped: (Session.Event) -> Bool) {
    state.events.removeAll(where: isDropped)
    // What is left stands elsewhere now.
    state.updates = [:]
    state.events.append(.problem(SessionError(.consumerTooSlow, message)))
  }
}

extension Session.Event {
  /// What an event is about that a later one may replace while nobody has read it.
  enum Subject: Hashable, Sendable {
    /// An anchor.
    case anchor(AnchorID)
    /// An anchor in a peer's hand.
    case drag(AnchorID, PeerID)
    /// A peer's device.
    case participant(PeerID)
  }

  /// What this event is about, if it is one of those that are bounded.
  var subject: Subject? {
    switch self {
    case .anchorAdded(let anchor, _), .anchorUpdated(let anchor, _), .anchorRemoved(let anchor, _),
      .anchorRestored(let anchor, _):
      .anchor(anchor.id)
    case .ownershipChanged(let anchor, _): .anchor(anchor)
    case .editSuperseded(let edit), .fieldOverwritten(let edit): .anchor(edit.anchor)
    case .anchorDragged(let pose): .drag(pose.anchor, pose.peer)
    case .dragEnded(let anchor, let peer): .drag(anchor, peer)
    case .participantMoved(let pose): .participant(pose.peer)
    case .participantGone(let peer): .participant(peer)
    default: nil
    }
  }

  /// Whether it takes the place of an unread event of its kind about the same thing.
  fileprivate var replacesUnread: Bool {
    switch self {
    case .anchorUpdated, .anchorDragged, .participantMoved: true
    default: false
    }
  }
}
