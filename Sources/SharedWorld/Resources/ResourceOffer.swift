import Basics
import PeerProtocol

/// A resource that a peer offers to this one.
public struct ResourceOffer: Hashable, Sendable {
  /// Names the resource when it is accepted or declined, and in every event about it.
  public let id: ResourceID
  /// The peer that offers it.
  public let from: Peer
  /// The name that the sender gave it, 1…255 bytes of UTF-8 without control characters or bidirectional controls.
  ///
  /// It is text for people and never a path: it may hold `/` and `..`, and this library opens no file by it.
  public let name: String
  /// Bytes of the resource.
  public let size: Int
}

extension ResourceOffer {
  init(_ offered: OfferedResource, from peer: Peer) {
    self.init(id: offered.id, from: peer, name: offered.name, size: offered.size)
  }
}

/// How far a resource has come, to this peer or from it to another one.
public struct ResourceProgress: Hashable, Sendable {
  /// The direction.
  @nonexhaustive
  public enum Direction: Sendable, Hashable {
    /// From this peer to the other one.
    case sending
    /// From the other peer to this one.
    case receiving
  }

  /// Which resource.
  public let id: ResourceID
  /// The receiver of what is sent, the sender of what is received.
  public let peer: Peer
  /// The direction.
  public let direction: Direction
  /// Bytes that are verified and stored at the receiver, as this peer knows.
  public let bytes: Int
  /// Bytes of the whole resource.
  public let totalBytes: Int
  /// Such bytes a second over the last two seconds; 0 while nothing is known.
  public let bytesPerSecond: Int

  /// From 0 to 1; 1 of a resource without bytes.
  public var fraction: Double { totalBytes > 0 ? Double(bytes) / Double(totalBytes) : 1 }

  /// How long the rest takes at this rate; nil while that cannot be told.
  public var remaining: Duration? { Duration(of: totalBytes - bytes, perSecond: bytesPerSecond) }
}

extension ResourceProgress {
  init(_ advance: ResourceAdvance, with peer: Peer) {
    self.init(
      id: advance.id, peer: peer, direction: advance.isSent ? .sending : .receiving, bytes: advance.bytes,
      totalBytes: advance.totalBytes, bytesPerSecond: advance.bytesPerSecond)
  }
}
