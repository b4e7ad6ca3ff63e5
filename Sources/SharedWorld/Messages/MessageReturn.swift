import Basics
public import PeerProtocol

/// A message that came back: it arrived, and the receiver's app did not get it.
public struct MessageReturn: Hashable, Sendable {
  /// Why the app of the receiver did not get the message.
  @nonexhaustive
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// Nothing there reads objects of this type at this endpoint.
    case unhandled
    /// The bytes are not such an object, or of a content type that the receiver cannot read.
    case undecodable
    /// Middleware of the receiver stopped it, or its handler failed.
    case refused
    /// The receiver cannot read the envelope.
    case malformed

    /// The byte on the network.
    var code: UInt8 {
      switch self {
      case .unhandled: 0
      case .undecodable: 1
      case .refused: 2
      case .malformed: 3
      }
    }

    /// The reason of a byte; nil for an unknown one.
    init?(code: UInt8) {
      guard let reason = Self.allCases.first(where: { $0.code == code }) else { return nil }
      self = reason
    }
  }

  /// The message, as `send` numbered it.
  public let message: MessageID
  /// The receiver that returned it.
  public let receiver: Peer
  /// Why.
  public let reason: Reason
  /// The words of the receiver about it, for people: untrusted, at most ``RemoteError/messageLimit`` bytes.
  public let text: String
}

/// An error that a handler of one app tells the sender of a message or request at another peer.
///
/// Of any other error that a handler throws the other side learns only that there was one.
public struct RemoteError: Error, Hashable, Codable, Sendable {
  /// Bytes of UTF-8 in a code.
  public static let codeLimit = ProtocolLimits.errorCode
  /// Bytes of UTF-8 in a message.
  public static let messageLimit = ProtocolLimits.errorMessage

  /// A word for programs.
  public let code: String
  /// A sentence for people.
  public let message: String

  /// An error; control characters are replaced, and what is too long is cut off.
  public init(_ code: String, _ message: String = "") {
    self.code = Self.fitting(code, Self.codeLimit)
    self.message = Self.fitting(message, Self.messageLimit)
  }

  private static func fitting(_ text: String, _ limit: Int) -> String {
    var text = PlainText.cleaned(text)
    while text.utf8.count > limit { text = String(text.prefix(min(text.count - 1, limit))) }
    return text
  }
}

extension RemoteError: CustomStringConvertible {
  /// The code and the message.
  public var description: String { message.isEmpty ? code : "\(code): \(message)" }
}

extension RemoteError {
  /// The part of an error of a handler or of middleware that the other side learns.
  init(telling error: any Error) {
    self = error as? RemoteError ?? RemoteError("failed", "the receiver's app could not handle it")
  }
}
