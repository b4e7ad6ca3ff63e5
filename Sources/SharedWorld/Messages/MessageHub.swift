import AnchorReplication
import Basics
import PeerProtocol
import Synchronization
import WorldModel

/// An object that waits for its reader, still encoded.
struct ArrivedMessage: Sendable {
  /// How it came.
  enum Origin: Equatable, Sendable {
    /// Reliably, under this number of the sender.
    case numbered(MessageID)
    /// Unreliably, under this key.
    case unreliable(key: String)
    /// As another member has kept it, under this number of the sender.
    case kept(MessageID)
  }

  var envelope: MessageEnvelope
  let sender: NodeID
  /// The name of the sender.
  let name: String
  let origin: Origin
  /// The request that it is; nil for a message.
  let request: ServedRequest?
  /// Its share of the sender's window (bytes).
  let cost: Int
  /// That of the message as it was sent, where its sender keeps it for members that come later.
  var mark: UInt64?

  /// The sender, with its name.
  var peer: Peer { Peer(id: sender.peer, name: name) }

  /// Whether those that read one message read the other, too, which came from the same sender in the same way.
  // Inlined, since one that is called would be called on a copy.
  @inline(__always)
  fileprivate func isRead(with other: Self) -> Bool {
    request == nil && other.request == nil && isReliable && other.isReliable && sender == other.sender
      && envelope.type == other.envelope.type && envelope.endpoint == other.envelope.endpoint
  }

  private var isReliable: Bool {
    guard case .numbered = origin else { return false }
    return true
  }

  /// Its place among the reliable messages of its sender.
  fileprivate var place: (sender: NodeID, number: UInt64) {
    switch origin {
    case .numbered(let message), .kept(let message): (sender, message.number)
    case .unreliable: (sender, 0)
    }
  }
}

/// The mailbox of a reader of objects.
typealias MessageMailbox = ReaderMailbox<MessageBacklog>

/// The messages that a reader of objects has not read: the windows of their senders bound the reliable ones; of the
/// unreliable ones of a sender the newest of each key is left, of as many keys as an iterator of events holds.
struct MessageBacklog: Backlog {
  /// The place of an unreliable message.
  private struct Slot: Hashable {
    let sender: PeerID
    let key: String
  }

  private var messages: [ArrivedMessage] = []
  /// Reliable ones that wait until members have told of earlier ones; nil while none do.
  private var held: [ArrivedMessage]?
  /// The marks of messages that members have told of and that have not come live: one of these that does is dropped.
  private var told: KeySet<UInt64> = []
  /// The most of those; a live message is not that late.
  private static let toldLimit = 20_000
  private var unreliable: [Slot: Int] = [:]
  /// Their cost, by sender (bytes).
  private(set) var bytes: [PeerID: Int] = [:]

  var isEmpty: Bool { messages.isEmpty }
  var isOverrun: Bool { false }

  /// Appends a message, or several reliable ones of one sender.
  mutating func append(_ run: ArraySlice<ArrivedMessage>) {
    guard let first = run.first else { return }
    if case .unreliable(let key) = first.origin {
      return put(first, in: Slot(sender: first.sender.peer, key: key))
    }
    bytes[first.sender.peer, default: 0] += run.reduce(0) { $0 + $1.cost }
    if held != nil {
      held?.append(contentsOf: run)
    } else if !told.isEmpty {
      for message in run where !wasTold(message) { messages.append(message) }
    } else if messages.isEmpty {
      // A reader that has read all is given the messages where they are.
      messages = Array(run)
    } else {
      messages += run
    }
  }

  /// Lets reliable messages wait from now on.
  mutating func hold() { held = held ?? [] }

  /// Adds what members have told, and then what has waited for that.
  mutating func release(_ found: [ArrivedMessage]) {
    if told.count > Self.toldLimit { told.removeAll() }
    for case let mark? in found.map(\.mark) { told.insert(mark) }
    var new = found
    for message in exchange(&held, with: nil) ?? [] where !wasTold(message) { new.append(message) }
    messages += KeptMessage.inOrder(new, \.place)
  }

  /// Whether a member has told of a message that comes; it takes no room then.
  private mutating func wasTold(_ message: ArrivedMessage) -> Bool {
    guard let mark = message.mark, told.remove(mark) != nil else { return false }
    bytes[message.sender.peer, default: 0] -= message.cost
    return true
  }

  private mutating func put(_ message: ArrivedMessage, in slot: Slot) {
    if let index = unreliable[slot] {
      messages[index] = message
    } else if unreliable.count < Session.Events.unreliableCapacity {
      unreliable[slot] = messages.count
      messages.append(message)
    }
  }

  mutating func take() -> [ArrivedMessage] {
    unreliable.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    for message in held ?? [] { bytes[message.sender.peer, default: 0] += message.cost }
    return exchange(&messages, with: [])
  }
}

/// The readers of objects, and which of them an object is for.
///
/// A mailbox is held by its stream alone: with that it goes, and nothing is put into it any more.
final class MessageHub: Sendable {
  private struct Route {
    weak var mailbox: MessageMailbox?
    let type: String
    let pattern: EndpointPattern
    let answers: Bool
    let history: MessageHistory?

    /// Whether its reader, which has a history, keeps messages like this one.
    func keeps(_ envelope: MessageEnvelope) -> Bool {
      mailbox != nil && type == envelope.type && pattern.matches(envelope.endpoint)
    }
  }

  private struct State {
    var routes: [Route] = []
    var hasEnded = false
  }

  private let state = Mutex(State())

  /// A mailbox for the objects of a type at these endpoints: messages, or requests if it answers them.
  func subscribe(
    to type: String, at pattern: String, answering answers: Bool, keeping history: MessageHistory? = nil,
    onRelease: @escaping @Sendable () -> Void
  ) -> MessageMailbox {
    let mailbox = MessageMailbox(MessageBacklog(), onRelease: onRelease)
    let route = Route(
      mailbox: mailbox, type: type, pattern: EndpointPattern(pattern), answers: answers, history: history)
    let hasEnded = state.withLock { state in
      state.routes.removeAll { $0.mailbox == nil }
      state.routes.append(route)
      return state.hasEnded
    }
    if hasEnded { mailbox.end() }
    return mailbox
  }

  /// Puts messages into the mailboxes of all that read such, and a request into the first of them; those that nobody reads.
  func put(_ messages: [ArrivedMessage]) -> [ArrivedMessage] {
    var (unread, start) = ([ArrivedMessage](), 0)
    while start < messages.count {
      // The readers of the first one are those of all that follow it to the same place. Through the span: the subscript of an
      // array copies the element.
      var end = start + 1
      while end < messages.count, messages.span[end].isRead(with: messages.span[start]) { end += 1 }
      let run = messages[start..<end]
      let readers = readers(of: messages[start])
      start = end
      if readers.isEmpty { unread += run }
      for mailbox in readers {
        mailbox.update { $0.append(run) }
      }
    }
    return unread
  }

  private func readers(of message: ArrivedMessage) -> [MessageMailbox] {
    let isRequest = message.request != nil
    return state.withLock { state in
      var readers: [MessageMailbox] = []
      // By index: a weak reference is costly to copy.
      for index in state.routes.indices
      where state.routes[index].answers == isRequest && state.routes[index].type == message.envelope.type
        && state.routes[index].pattern.matches(message.envelope.endpoint)
      {
        guard let mailbox = state.routes[index].mailbox else { continue }
        readers.append(mailbox)
        if isRequest { break }
      }
      return readers
    }
  }

  /// The histories of all readers.
  var histories: [MessageHistory] {
    state.withLock { $0.routes.compactMap { $0.mailbox == nil ? nil : $0.history } }
  }

  /// The histories that keep messages like this one; asked for each message that leaves for all.
  func histories(keeping envelope: MessageEnvelope) -> [MessageHistory] {
    state.withLock { state in
      var histories: [MessageHistory] = []
      // By index: a weak reference is costly to copy.
      for index in state.routes.indices where state.routes[index].history != nil && state.routes[index].keeps(envelope)
      {
        if let history = state.routes[index].history { histories.append(history) }
      }
      return histories
    }
  }

  /// The mailbox of the reader that has a history; nil when the reader is gone.
  func mailbox(of history: MessageHistory) -> MessageMailbox? {
    state.withLock { $0.routes.first { $0.history === history }?.mailbox }
  }

  /// Cost of the messages of a sender that the slowest reader has not taken (bytes).
  func unread(of sender: PeerID) -> Int {
    let mailboxes = state.withLock { $0.routes.compactMap(\.mailbox) }
    return mailboxes.map { $0.look { $0.bytes[sender] ?? 0 } }.max() ?? 0
  }

  /// Says that nothing more comes.
  func end() {
    let mailboxes = state.withLock { state in
      state.hasEnded = true
      return state.routes.compactMap(\.mailbox)
    }
    for mailbox in mailboxes {
      // Messages that waited for members which were asked are told without their answers.
      mailbox.update { $0.release([]) }
      mailbox.end()
    }
  }
}
