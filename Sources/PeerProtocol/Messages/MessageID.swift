package import WorldModel

/// Names one message of a session: counted from 1 at its sender, not reused while the sender's session lives.
public struct MessageID: Hashable, Comparable, Sendable {
  /// The number at the sender.
  public let number: UInt64

  package init(_ number: UInt64) {
    self.number = number
  }

  /// Orders by the order of sending.
  public static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

extension MessageID: LosslessStringConvertible, Codable {
  /// Reads a number; nil for anything else.
  public init?(_ text: String) {
    guard let number = UInt64(text) else { return nil }
    self.init(number)
  }

  /// Decodes a number.
  public init(from decoder: any Decoder) throws { self.init(try decoder.singleValueContainer().decode(UInt64.self)) }

  /// Encodes the number.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }

  /// The number.
  public var description: String { "\(number)" }
}

/// Why a sender gave up messages to one receiver.
@nonexhaustive
public enum MessageFailureReason: String, Hashable, Sendable {
  /// The receiver left the session, or never admitted this peer.
  case left
  /// The receiver was removed from the session.
  case kicked
  /// The receiver could not be reached within the time after which it counts as lost.
  case lost
  /// The receiver's process restarted, or forgot what it had received.
  case restarted
  /// This peer's own part in the session ended.
  case ended
}

/// Messages that one receiver is not known to have received.
package struct UndeliveredMessages: Hashable, Sendable {
  package let receiver: PeerID
  /// In the order of sending.
  package let messages: [MessageID]
  package let reason: MessageFailureReason

  package init(receiver: PeerID, messages: [MessageID], reason: MessageFailureReason) {
    (self.receiver, self.messages, self.reason) = (receiver, messages, reason)
  }
}
