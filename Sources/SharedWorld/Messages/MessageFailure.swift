public import PeerProtocol

/// Messages that one receiver is not known to have received.
public struct MessageFailure: Hashable, Sendable {
  /// Why they were given up.
  public typealias Reason = MessageFailureReason

  /// The receiver.
  public let receiver: Peer
  /// The messages, in the order of sending.
  ///
  /// Each may have arrived: only its acknowledgement is missing.
  public let messages: [MessageID]
  /// Why they were given up.
  public let reason: Reason
}
