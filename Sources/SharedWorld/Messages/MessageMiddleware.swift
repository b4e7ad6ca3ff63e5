public import WorldModel

/// A step that every object passes on its way out and in: it may change the envelope, or stop it by an error.
///
/// A session has a list of them (``Session/Configuration/middleware``). An object that leaves passes them in order, one
/// that arrives in reverse order, so that one that encrypts stands behind one that compresses at both ends. Requests
/// and answers pass too.
public protocol MessageMiddleware: Sendable {
  /// Changes an envelope that leaves, or stops it by an error.
  ///
  /// It runs on the task that sends; the caller gets the error as the cause of a ``SessionError`` with the code
  /// `message-stopped`.
  func send(_ envelope: inout MessageEnvelope, to audience: MessageAudience) throws

  /// Changes an envelope that arrived, before it is decided who reads it, or stops it by an error.
  ///
  /// It runs once for each envelope on the thread of the session, and must neither block nor compute for long. The sender
  /// is told by ``Session/Event/messageReturned(_:)`` (`refused`), with the text of a ``RemoteError`` if that was thrown.
  func receive(_ envelope: inout MessageEnvelope, from sender: PeerID) throws
}

extension MessageMiddleware {
  /// Lets everything pass.
  public func send(_ envelope: inout MessageEnvelope, to audience: MessageAudience) throws {}
  /// Lets everything pass.
  public func receive(_ envelope: inout MessageEnvelope, from sender: PeerID) throws {}
}
