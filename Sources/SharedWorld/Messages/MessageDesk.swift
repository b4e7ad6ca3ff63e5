import Basics
import PeerProtocol
import WorldModel

/// A session's part in messages: the callers whose messages wait for room, those whose requests wait for answers, and how
/// much the node takes for unread.
struct MessageDesk {
  /// The node is told of messages that were read in steps of this cost (bytes).
  static let readStep = ProtocolLimits.messageWindow / 8

  /// One message and its caller.
  struct Waiting {
    let number: UInt64
    let parcel: Parcel
    let caller: CheckedContinuation<Result<MessageID, SessionError>, Never>
  }

  /// The numbers of callers, in the messages of requests too.
  var numbers = Numbers()
  /// The callers that wait for answers of peers, and the peers that wait for answers of this one.
  var requests = RequestDesk()
  private var waiting: [Waiting] = []
  /// Whether a caller that does not wait was refused since there was room.
  private(set) var owesRoom = false
  /// Told when there is room after such a refusal; nil when nobody asks.
  var onRoom: (@Sendable () -> Void)?
  /// The cost of unread messages as the node knows it, by sender (bytes).
  var unread: Table<PeerID, Int> = [:]

  /// The node has handed over messages of so much cost (bytes).
  mutating func received(_ cost: Int, from sender: PeerID) { unread[sender, default: 0] += cost }

  /// Lets a caller wait.
  mutating func add(_ caller: Waiting) { waiting.append(caller) }

  /// Whether a message has to wait behind others; an unreliable one never does.
  func holds(up parcel: Parcel) -> Bool {
    switch parcel.mode {
    case .unreliable: false
    case .reliable, .critical:
      waiting.contains { $0.parcel.mode == parcel.mode && $0.parcel.audience.overlaps(parcel.audience) }
    }
  }

  /// A caller that does not wait was refused.
  mutating func refused() { owesRoom = onRoom != nil }

  /// There is room again, and those who wait have had it.
  mutating func tellOfRoom() {
    guard exchange(&owesRoom, with: false) else { return }
    onRoom?()
  }

  /// Ends the wait of a cancelled caller; a no-op when it waits no longer.
  mutating func cancel(_ number: UInt64) {
    guard let index = waiting.firstIndex(where: { $0.number == number }) else { return }
    let error = SessionError(.cancelled, "the message was withdrawn before it was sent")
    waiting.remove(at: index).caller.resume(returning: .failure(error))
  }

  /// Removes and returns all callers, for another try.
  mutating func takeAll() -> [Waiting] { exchange(&waiting, with: []) }

  /// Ends every wait.
  mutating func endAll(_ error: SessionError) {
    for caller in exchange(&waiting, with: []) { caller.caller.resume(returning: .failure(error)) }
    requests.endAll(error)
  }
}

/// A message as an app gives it, and its receivers.
struct Parcel {
  let bytes: [UInt8]
  let kind: MessageKind
  let mode: MessageMode
  let audience: MessageAudience
  /// The object in it, where members keep it that come later.
  private(set) var kept: MessageEnvelope?

  init(_ bytes: [UInt8], as kind: MessageKind = .bytes, to audience: MessageAudience, mode: MessageMode = .reliable) {
    self.bytes = bytes
    self.kind = kind
    self.mode = mode
    self.audience = audience
  }

  /// An object that is no request and no answer.
  init(_ envelope: MessageEnvelope, to audience: MessageAudience, mode: MessageMode) {
    self.init(Letter.message(envelope).bytes, as: .envelope, to: audience, mode: mode)
    if case .unreliable = mode { return }
    var plain = envelope
    if plain.fields.removeValue(forKey: MessageHistory.mark) != nil { kept = plain }
  }

  /// Refuses a message that is too large, and a key that no receiver would accept.
  func validate() throws(SessionError) {
    var limit = ProtocolLimits.message
    if case .unreliable(let key) = mode {
      limit = ProtocolLimits.unreliableMessage
      guard key.utf8.count <= ProtocolLimits.unreliableKey, PlainText.allows(key) else {
        throw SessionError(
          .invalidArgument,
          "a key has at most \(ProtocolLimits.unreliableKey) bytes of text without control characters: '\(key)'")
      }
    }
    guard bytes.count <= limit else {
      throw SessionError(.limitExceeded, "such a message has at most \(limit) bytes, not \(bytes.count)")
    }
  }
}

extension MessageAudience {
  /// Whether a member may be a receiver of both; a group is resolved only when its message is accepted.
  fileprivate func overlaps(_ other: Self) -> Bool {
    guard case .peers(let one) = self, case .peers(let others) = other else { return true }
    return one.contains(where: others.contains)
  }
}
