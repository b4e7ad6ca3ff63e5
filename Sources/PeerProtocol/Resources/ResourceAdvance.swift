package import WorldModel

/// How far a resource has come, to this node or from it to another one.
package struct ResourceAdvance: Sendable, Hashable {
  package let id: ResourceID
  /// The receiver of what is sent, the sender of what is received.
  package let peer: PeerID
  package let isSent: Bool
  /// Bytes that are verified and stored at the receiver, as this node knows.
  package let bytes: Int
  package let totalBytes: Int
  /// Such bytes a second over the last two seconds; 0 while nothing is known.
  package let bytesPerSecond: Int
}
