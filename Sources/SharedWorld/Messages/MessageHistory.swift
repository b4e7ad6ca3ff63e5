import Basics
import PeerProtocol
import Synchronization
import WorldModel

// Late joiners want the messages of a chat or a drawing from before they came. Nobody but the members has those, and any of
// them may go. So each member that reads an endpoint with a history keeps it, and one that joins asks those that are there, one
// after the other, for what it does not know: by requests, which every version of the library has. Until they have answered, live
// messages of that reader wait, since order could not be kept otherwise. A message has its sender's number, so that one that
// comes twice, or also live, is told once.

/// How much of the messages of an endpoint is kept for members that come later.
public struct MessageRetention: Hashable, Sendable {
  /// The most messages.
  let count: Int

  /// The latest messages: as many as this, 1 to 10,000, and 4 MiB of them.
  public static func last(_ count: Int) -> Self { Self(count: min(max(count, 1), 10_000)) }

  /// The most memory that the messages of one reader take (bytes).
  static let bytes = 4 * 1024 * 1024
}

/// A message that is kept, as it was sent.
struct KeptMessage: Sendable {
  let sender: NodeID
  /// The sender's name when it was sent.
  let name: String
  /// The sender's number of the message.
  let number: UInt64
  let envelope: MessageEnvelope
  /// Whether the reader here has it, or has sent it.
  var isTold: Bool

  /// Whether another one is this message.
  func isSame(as other: Self) -> Bool { number == other.number && sender == other.sender }

  /// Its share of the memory (bytes).
  var cost: Int {
    let texts = [envelope.endpoint, envelope.type, envelope.contentType, name] + envelope.fields.flatMap { [$0, $1] }
    return envelope.bytes.count + texts.reduce(256) { $0 + $1.utf8.count }
  }

  /// The messages so that those of each sender are in their order; senders take turns as they do here.
  static func inOrder<M>(_ messages: [M], _ place: (M) -> (sender: NodeID, number: UInt64)) -> [M] {
    var queues: Table<NodeID, [M]> = [:]
    for message in messages { queues[place(message).sender, default: []].append(message) }
    for sender in queues.keys { queues[sender]?.sort { place($0).number > place($1).number } }
    return messages.compactMap { queues[place($0).sender]?.popLast() }
  }
}

/// The kept messages of one reader.
final class MessageHistory: Sendable {
  /// The header field of a message that is for all, and that its sender keeps too; apps do not see it.
  static let mark = "sharedworld-kept"
  /// The endpoint of questions for kept messages, which sessions answer and apps do not see.
  static let endpoint = "sharedworld/history"
  /// The most bytes of a message that is kept: it has to fit into an answer.
  static let largest = 48 * 1024
  /// How long a member may take for an answer.
  static let patience: Duration = .seconds(2)

  private struct State {
    /// In the order in which they came.
    var messages: [KeptMessage] = []
    /// Those that have come while members are asked for earlier ones.
    var fresh: [KeptMessage] = []
    /// The cost of all of them.
    var bytes = 0
    /// The latest number of each sender up to which nothing is asked for any more.
    var known: Table<NodeID, UInt64> = [:]
    /// The members that are still to be asked; nil while nobody is being asked.
    var open: [PeerID]?
  }

  let type: String
  let pattern: String
  private let retention: MessageRetention
  private let state = Mutex(State())

  init(of type: String, at pattern: String, _ retention: MessageRetention) {
    (self.type, self.pattern, self.retention) = (type, pattern, retention)
  }

  // MARK: Keeping

  /// Keeps a message that was sent or has just come.
  func keep(_ message: KeptMessage) {
    guard message.cost <= Self.largest else { return }
    state.withLock { state in
      // While members are asked there may be earlier ones of its sender.
      guard state.open == nil else { return add(message, to: \.fresh, of: &state) }
      guard message.number > state.known[message.sender] ?? 0 else { return }
      state.known[message.sender] = message.number
      add(message, to: \.messages, of: &state)
    }
  }

  /// Keeps messages that another member has kept; whether any of them was further than what was known.
  func take(_ messages: [KeptMessage], besides me: NodeID?) -> Bool {
    state.withLock { state in
      var isNews = false
      for message in messages where message.sender != me && message.number > state.known[message.sender] ?? 0 {
        state.known[message.sender] = message.number
        isNews = true
        add(message, to: \.messages, of: &state)
      }
      return isNews
    }
  }

  private func add(_ message: KeptMessage, to list: WritableKeyPath<State, [KeptMessage]>, of state: inout State) {
    state[keyPath: list].append(message)
    state.bytes += message.cost
    while state[keyPath: list].count > retention.count || state.bytes > MessageRetention.bytes,
      !state[keyPath: list].isEmpty
    {
      state.bytes -= state[keyPath: list].removeFirst().cost
    }
  }

  // MARK: Asking

  /// Has members asked; whether somebody has to begin with that.
  func ask(_ peers: [PeerID]) -> Bool {
    state.withLock { state in
      let begins = state.open == nil
      state.open = (state.open ?? []) + peers
      return begins
    }
  }

  /// The member that is to be asked now; nil after the last one.
  func next() -> PeerID? {
    state.withLock { state in
      guard let open = state.open, let first = open.first else { return nil }
      state.open = Array(open.dropFirst())
      return first
    }
  }

  /// Ends the questions; returns what the reader has not been told.
  func finish() -> [KeptMessage] {
    state.withLock { state in
      state.open = nil
      // A message that members told, and that has come too, was told by both.
      let fresh = exchange(&state.fresh, with: []).filter { message in
        guard let index = state.messages.firstIndex(where: { $0.isSame(as: message) }) else { return true }
        state.messages[index].isTold = true
        state.bytes -= message.cost
        return false
      }
      let messages = KeptMessage.inOrder(state.messages + fresh) { ($0.sender, $0.number) }
      (state.messages, state.bytes) = ([], 0)
      for var message in messages {
        state.known[message.sender] = max(state.known[message.sender] ?? 0, message.number)
        message.isTold = true
        add(message, to: \.messages, of: &state)
      }
      return messages.filter { !$0.isTold }
    }
  }

  // MARK: Words between sessions

  /// The question for what is kept beyond what is known here.
  var question: MessageEnvelope {
    var writer = ByteWriter()
    writer.writeString(type)
    writer.writeString(pattern)
    let known = state.withLock { $0.known }
    writer.writeVarint(UInt64(min(known.count, Self.sendersLimit)))
    for (sender, number) in known.prefix(Self.sendersLimit) {
      sender.write(to: &writer)
      writer.write(number)
    }
    return Self.envelope(writer.bytes)
  }

  /// The answer to such a question: the earliest of what is asked for, as far as it fits.
  func answer(beyond known: Table<NodeID, UInt64>) -> MessageEnvelope {
    let messages = state.withLock { $0.messages }.filter { $0.number > known[$0.sender] ?? 0 }
    var (count, writer) = (0, ByteWriter())
    for message in KeptMessage.inOrder(messages, { ($0.sender, $0.number) }) {
      guard count == 0 || writer.bytes.count + message.cost <= Self.largest else { break }
      count += 1
      message.sender.write(to: &writer)
      writer.write(message.number)
      writer.writeString(message.name)
      var envelope = ByteWriter()
      message.envelope.write(to: &envelope)
      writer.writeBlob(envelope.bytes)
    }
    return Self.envelope(writer.bytes)
  }

  /// The answer of a session that keeps no such messages.
  static var nothing: MessageEnvelope { envelope([]) }

  /// The senders of which a question says what is known.
  private static let sendersLimit = 512

  private static func envelope(_ bytes: [UInt8]) -> MessageEnvelope {
    let contentType = "application/octet-stream"
    return MessageEnvelope(endpoint: endpoint, type: "history", contentType: contentType, bytes: bytes)
  }

  /// Reads a question.
  static func read(
    question bytes: [UInt8]
  ) throws(DecodingFailure) -> (type: String, pattern: String, known: Table<NodeID, UInt64>) {
    var reader = ByteReader(bytes.span)
    let type = try reader.readString(limit: MessageEnvelope.nameLimit)
    let pattern = try reader.readString(limit: MessageEnvelope.nameLimit)
    var known: Table<NodeID, UInt64> = [:]
    for _ in 0..<(try reader.readCount(limit: sendersLimit)) {
      let sender = try NodeID(reading: &reader)
      known[sender] = try reader.read(UInt64.self)
    }
    try reader.finish()
    return (type, pattern, known)
  }

  /// Reads an answer, of which the messages of other types and endpoints are left out.
  func read(answer bytes: [UInt8]) throws(DecodingFailure) -> [KeptMessage] {
    var reader = ByteReader(bytes.span)
    var (messages, names) = ([KeptMessage](), MessageEnvelope.Names())
    let endpoints = EndpointPattern(pattern)
    while reader.remaining > 0 {
      let sender = try NodeID(reading: &reader)
      let number = try reader.read(UInt64.self)
      let name = try reader.readString(limit: MessageEnvelope.nameLimit)
      let blob = try reader.readBlob(limit: Self.largest)
      var inner = ByteReader(blob.span)
      let envelope = try MessageEnvelope(reading: &inner, reusing: &names)
      guard envelope.type == type, endpoints.matches(envelope.endpoint) else { continue }
      messages.append(
        KeptMessage(
          sender: sender, name: PlainText.cleaned(name), number: number, envelope: envelope, isTold: false))
    }
    return messages
  }
}
