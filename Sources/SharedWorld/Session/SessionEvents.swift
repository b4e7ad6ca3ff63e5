import Synchronization

extension Session {
  /// The events of a session, in order; each iterator sees all of them from the moment it is made, and the first one
  /// also what happened before.
  ///
  /// It is bounded: updates of one anchor that were not read yet become one, which shows the anchor as it is when it is read.
  /// A reader that falls further behind than ``Session/Events/capacity`` or ``Session/Events/messageCapacity`` loses the unread changes of anchors or the unread
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
    var early: EventMailbox?
    var hasEnded = false
  }

  /// Where readers get the anchors of updates that were only noted.
  let source = AnchorSource()
  private let state: Mutex<State>

  init() {
    state = Mutex(State(early: EventMailbox(source: source)))
  }

  /// A mailbox that gets all further events; the first one also those before.
  func subscribe() -> EventMailbox {
    state.withLock { state in
      let mailbox = exchange(&state.early, with: nil) ?? EventMailbox(source: source)
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
  var replacesUnread: Bool {
    switch self {
    case .anchorUpdated, .anchorDragged, .participantMoved: true
    default: false
    }
  }
}
