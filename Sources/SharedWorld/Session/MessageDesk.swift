import PeerProtocol
import WorldModel

/// A session's part in messages: the callers whose messages wait for room, and how much the node takes for unread.
struct MessageDesk {
  /// The node is told of messages that were read in steps of this cost (bytes).
  static let readStep = ProtocolLimits.messageWindow / 8

  /// One message and its caller.
  struct Waiting {
    let number: UInt64
    let bytes: [UInt8]
    let kind: MessageKind
    /// Nil for all.
    let receivers: [PeerID]?
    let caller: CheckedContinuation<Result<MessageID, SessionError>, Never>
  }

  private var waiting: [Waiting] = []
  /// The cost of unread messages as the node knows it, by sender (bytes).
  var unread: [PeerID: Int] = [:]

  /// The node has handed over a message.
  mutating func received(_ bytes: [UInt8], from sender: PeerID) {
    unread[sender, default: 0] += ProtocolLimits.cost(ofMessage: bytes)
  }

  /// Lets a caller wait.
  mutating func add(_ caller: Waiting) { waiting.append(caller) }

  /// Whether a message to these receivers has to wait behind others.
  func holds(up receivers: [PeerID]?) -> Bool { waiting.contains { Self.overlap($0.receivers, receivers) } }

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
  }

  private static func overlap(_ one: [PeerID]?, _ other: [PeerID]?) -> Bool {
    guard let one, let other else { return true }
    return one.contains(where: other.contains)
  }
}
