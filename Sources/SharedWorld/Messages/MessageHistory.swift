import Basics
import PeerProtocol
import Synchronization
import WorldModel

// Late joiners want the messages of a chat or a drawing from before they came. Nobody but the members has those, and any of
// them may go. So each member that reads an endpoint with a history keeps it, and one that joins asks those that are there, one
// after the other, by requests, which every version of the library has. Until they have answered, live messages of that reader
// wait, since order could not be kept otherwise.
//
// A member may lie about what others have said: nothing signs a message. It must hide nothing by it. So a message is known by
// all that it is, never by its sender's number alone: a number from the future would pass for all that come until then. That one
// member has told something is no reason to ask another one for less, but for what both hold just the same. And answers end.

/// How much of the messages of an endpoint is kept for members that come later.
public struct MessageRetention: Hashable, Sendable {
  /// The most messages.
  let count: Int
  /// How long a member may take for an answer to one that comes later.
  var answerTime: Duration = .seconds(2)
  /// How long live messages wait at most while members are asked.
  var patience: Duration = .seconds(10)

  /// The latest messages: as many as this, 1 to 10,000, and 4 MiB of them.
  public static func last(_ count: Int) -> Self { Self(count: count) }

  private init(count: Int) { self.count = min(max(count, 1), 10_000) }

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
  /// The first eight bytes of the SHA-256 of its sender, number and bytes: the name of this message and of no other one.
  let mark: UInt64
  /// Whether the reader here has it, or has sent it.
  var isTold: Bool

  init(sender: NodeID, name: String, number: UInt64, envelope: MessageEnvelope, isTold: Bool) {
    (self.sender, self.name, self.number, self.envelope) = (sender, name, number, envelope)
    self.isTold = isTold
    var writer = ByteWriter()
    sender.write(to: &writer)
    writer.write(number)
    envelope.write(to: &writer)
    mark = SHA256Digest(hashing: writer.bytes).words.x
  }

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
  /// The most answers of one member to one reader: one that has kept the most needs fewer.
  static let answersLimit = 2 * MessageRetention.bytes / largest

  private struct State {
    /// In the order in which they came.
    var messages: [KeptMessage] = []
    /// The marks of those.
    var marks: KeySet<UInt64> = []
    /// Those that have come while members are asked for earlier ones.
    var fresh: [KeptMessage] = []
    /// The cost of all of them.
    var bytes = 0
    /// The members that are still to be asked; nil while nobody is being asked.
    var open: [PeerID]?

    /// Tells what is held here from anything else.
    var digest: SHA256Digest {
      var writer = ByteWriter()
      for mark in marks.union(KeySet(fresh.map(\.mark))) { writer.write(mark) }
      return SHA256Digest(hashing: writer.bytes)
    }
  }

  /// The question of a member to another one.
  struct Question {
    let type: String
    let pattern: String
    /// That of all that the asking member holds.
    let digest: SHA256Digest
    /// The latest number of each sender of which the asked member has told it.
    let told: Table<NodeID, UInt64>
  }

  let type: String
  let pattern: String
  let retention: MessageRetention
  private let state = Mutex(State())

  init(of type: String, at pattern: String, _ retention: MessageRetention) {
    (self.type, self.pattern, self.retention) = (type, pattern, retention)
  }

  // MARK: Keeping

  /// Keeps a message that was sent or has just come.
  func keep(_ message: KeptMessage) {
    guard message.cost <= Self.largest else { return }
    // While members are asked there may be earlier ones of its sender.
    state.withLock { state in add(message, isFresh: state.open != nil, to: &state) }
  }

  /// Keeps messages that another member has told, and notes how far it has come; whether it has come any further.
  func take(_ messages: [KeptMessage], raising told: inout Table<NodeID, UInt64>, besides me: NodeID?) -> Bool {
    var isFurther = false
    state.withLock { state in
      for message in messages {
        let last = told[message.sender]
        if message.number > last ?? 0, last != nil || told.count < Self.sendersLimit {
          told[message.sender] = message.number
          isFurther = true
        }
        if message.sender != me { add(message, isFresh: false, to: &state) }
      }
    }
    return isFurther
  }

  private func add(_ message: KeptMessage, isFresh: Bool, to state: inout State) {
    guard isFresh || state.marks.insert(message.mark) else { return }
    let list = isFresh ? \State.fresh : \.messages
    state[keyPath: list].append(message)
    state.bytes += message.cost
    while state[keyPath: list].count > retention.count || state.bytes > MessageRetention.bytes,
      !state[keyPath: list].isEmpty
    {
      let first = state[keyPath: list].removeFirst()
      state.bytes -= first.cost
      if !isFresh { state.marks.remove(first.mark) }
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

  /// Asks all members that are to be asked, one after the other, as long as there is time.
  func collect(
    besides me: NodeID?, isolation: isolated (any Actor)? = #isolation, while hasTime: () -> Bool,
    asking ask: (MessageEnvelope, PeerID) async -> [UInt8]?
  ) async {
    while let peer = next() {
      var told: Table<NodeID, UInt64> = [:]
      for _ in 0..<Self.answersLimit where hasTime() {
        // A member that does not answer keeps nothing, or is gone: then others have what it had.
        guard let answer = await ask(question(after: told), peer), let messages = try? read(answer: answer),
          take(messages, raising: &told, besides: me)
        else { break }
      }
    }
  }

  /// Ends the questions; returns what the reader has not been told.
  func finish() -> [KeptMessage] {
    state.withLock { state in
      state.open = nil
      var messages = state.messages
      // A message that members told, and that has come too, was told by both.
      for message in state.fresh {
        if let index = messages.firstIndex(where: { $0.mark == message.mark }) {
          messages[index].isTold = true
        } else {
          messages.append(message)
        }
      }
      messages = KeptMessage.inOrder(messages) { ($0.sender, $0.number) }
      state = State()
      for var message in messages {
        message.isTold = true
        add(message, isFresh: false, to: &state)
      }
      return messages.filter { !$0.isTold }
    }
  }

  // MARK: Words between sessions

  /// The question for what a member holds beyond what it has told.
  func question(after told: Table<NodeID, UInt64>) -> MessageEnvelope {
    var writer = ByteWriter()
    writer.writeString(type)
    writer.writeString(pattern)
    writer.write(state.withLock { $0.digest })
    writer.writeVarint(UInt64(told.count))
    for (sender, number) in told {
      sender.write(to: &writer)
      writer.write(number)
    }
    return Self.envelope(writer.bytes)
  }

  /// The answer to such a question: the earliest of what is asked for, as far as it fits.
  func answer(to question: Question) -> MessageEnvelope {
    let (digest, all) = state.withLock { ($0.digest, $0.messages + $0.fresh) }
    guard digest != question.digest else { return Self.nothing }
    let messages = all.filter { $0.number > question.told[$0.sender] ?? 0 }
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
  static func read(question bytes: [UInt8]) throws(DecodingFailure) -> Question {
    var reader = ByteReader(bytes.span)
    let type = try reader.readString(limit: MessageEnvelope.nameLimit)
    let pattern = try reader.readString(limit: MessageEnvelope.nameLimit)
    let digest = try reader.readDigest()
    var told: Table<NodeID, UInt64> = [:]
    for _ in 0..<(try reader.readCount(limit: sendersLimit)) {
      let sender = try NodeID(reading: &reader)
      told[sender] = try reader.read(UInt64.self)
    }
    try reader.finish()
    return Question(type: type, pattern: pattern, digest: digest, told: told)
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
