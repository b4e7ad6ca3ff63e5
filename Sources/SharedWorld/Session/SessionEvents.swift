import PeerProtocol
import Synchronization

extension Session {
  /// The events of a session, in order; each iterator sees all of them from the moment it is made, and the first one
  /// also what happened before.
  ///
  /// It is bounded. Unread updates of one anchor become one, which shows the anchor as it is when it is read. Of other news that
  /// say how something stands, the last unread one is kept: a live pose, the progress of a map or a resource, an attachment, a
  /// service on the network, a peer's map, groups, role and frame, and its unreliable messages under one key. None of a
  /// peer replaces what was told of it before it last came or left.
  ///
  /// A reader that falls behind further than ``Session/Events/capacity``, ``Session/Events/problemCapacity`` or
  /// ``Session/Events/unreliableCapacity`` loses what it has not read of that kind: changes of anchors, problems, unreliable
  /// messages, or all other events. It is told so by ``Session/Event/problem(_:)`` with the code
  /// ``SessionError/Code/consumerTooSlow``, which says what to read again. Reliable messages are never dropped: while
  /// ``Session/Events/messageCapacity`` of one peer are unread its further ones wait where they come from. An iterator that is
  /// released costs nothing any more.
  public struct Events: AsyncSequence, Sendable {
    /// Unread changes of anchors an iterator holds, and as many other events.
    public static let capacity = 65_536
    /// Bytes of unread messages of one peer that hold up its further ones, each counted with 64 bytes more than it has.
    public static let messageCapacity = ProtocolLimits.messageWindow
    /// Unread problems and returned messages an iterator holds.
    public static let problemCapacity = 256
    /// Unread unreliable messages an iterator holds, of different keys or peers.
    public static let unreliableCapacity = 256

    let hub: EventHub
    /// The part of the session that they are about; nil for all.
    var part: Event.Part?

    /// A reader of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(mailbox: hub.subscribe(), source: hub.source, part: part) }

    /// Reads events one by one, or in batches.
    public struct Iterator: AsyncIteratorProtocol {
      let mailbox: EventMailbox
      private let source: AnchorSource
      private let part: Event.Part?
      private var batch: ArraySlice<Event> = []
      /// Cost of the messages that were read since the session last looked (bytes).
      private var readMessages = 0

      init(mailbox: EventMailbox, source: AnchorSource, part: Event.Part? = nil) {
        self.mailbox = mailbox
        self.source = source
        self.part = part
      }

      /// The next event; nil after the session has ended or the task was cancelled.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> Event? { await next() }

      /// The next event; nil after the session has ended or the task was cancelled.
      public nonisolated(nonsending) mutating func next() async -> Event? {
        if batch.isEmpty {
          guard let more = await nextBatch() else { return nil }
          batch = more[...]
        }
        return batch.popFirst()
      }

      /// Everything that has happened since the last call, at least one event; nil after the end.
      public nonisolated(nonsending) mutating func nextBatch() async -> [Event]? {
        guard let part else { return await nextOfAll() }
        while let all = await nextOfAll() {
          let batch = all.filter { $0.part == part }
          if !batch.isEmpty { return batch }
        }
        return nil
      }

      private nonisolated(nonsending) mutating func nextOfAll() async -> [Event]? {
        let batch = await mailbox.take { source.serve($0) }
        readMessages += mailbox.takenMessages()
        if readMessages >= MessageDesk.readStep {
          readMessages = 0
          source.reviewUnread()
        }
        return batch
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
    /// The events before anybody read; nil once somebody does.
    var early: EventMailbox?
    var hasEnded = false
  }

  /// Where readers get the anchors of updates that were only noted.
  let source = AnchorSource()
  /// The readers of objects.
  let messages = MessageHub()
  /// Those that accept streams.
  let streams = StreamHub()
  /// The app's own log.
  let log: LogDesk
  private let state: Mutex<State>

  init(log: LogDesk = LogDesk(nil)) {
    self.log = log
    state = Mutex(State(early: Self.mailbox(of: source, log)))
  }

  private static func mailbox(of source: AnchorSource, _ log: LogDesk) -> EventMailbox {
    EventMailbox(EventBacklog(log: log)) { [weak source] in source?.reviewUnread() }
  }

  /// A mailbox that gets all further events; the first one also those before.
  func subscribe() -> EventMailbox {
    state.withLock { state in
      let mailbox = exchange(&state.early, with: nil) ?? Self.mailbox(of: source, log)
      if state.hasEnded { mailbox.end() } else { state.readers.append(Reader(mailbox: mailbox)) }
      return mailbox
    }
  }

  /// Hands out events, in order; none follows the end.
  func publish(_ events: [Session.Event]) {
    guard !events.isEmpty else { return }
    log.write(events)
    for mailbox in receivers { mailbox.put(events) }
  }

  /// Hands out messages, in order.
  func publish(_ messages: MessageRun, from sender: Peer) {
    for mailbox in receivers { mailbox.put(messages, from: sender) }
  }

  /// Says that nothing more comes.
  func end() {
    let last = receivers
    // From now on there is no receiver.
    state.withLock { ($0.hasEnded, $0.readers) = (true, []) }
    for mailbox in last { mailbox.end() }
    messages.end()
    streams.end()
  }

  /// The mailboxes that get what happens now; those whose readers are gone are forgotten.
  var receivers: [EventMailbox] {
    state.withLock { state in
      guard !state.hasEnded else { return [] }
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
