package import Basics
package import WorldModel

/// Why a stream, or a call to it, is over before its end.
package enum StreamFailure: Error, Equatable, Sendable {
  /// As many streams to this peer as there may be have not ended.
  case tooMany(PeerID)
  /// Nothing can be written to the stream of this name, whose end was written.
  case finished(String)
  /// A write was taken back, before or after a part of it had left.
  case writeCancelled(hasBegun: Bool)
  /// The app did not wait for the other side to accept it, or as long as it said.
  case notOpened(isLate: Bool)
  /// The app holds it no more.
  case released
  /// This side's app has reset it.
  case resetHere(StreamReset)
  /// The other side has reset it.
  case resetThere(StreamReset, stream: String, PeerID, isOpening: Bool)
  /// The other side broke the rules of the stream.
  case violated
  /// The peer has sent bytes that are no letter.
  case unreadable(PeerID, DecodingFailure)
  /// The peer has given up its streams while it could not be reached.
  case forgotten(PeerID)
  /// Another start of the peer answers.
  case restarted(PeerID)
  /// The messages of a stream to the peer did not arrive.
  case undelivered(PeerID, MessageFailureReason)
  /// The peer is no member any more.
  case left(PeerID, EndReason)
  /// The node does not send to the peer.
  case unsent(Refusal)
  /// The session is over.
  case ended
}
