import Basics
public import WorldModel

/// How far a resource has come, to this peer or from it to another one.
public struct ResourceProgress: Sendable, Hashable {
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
  public let peer: PeerID
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
  public var remaining: Duration? {
    guard bytesPerSecond > 0 else { return nil }
    return .seconds(Double(totalBytes - bytes) / Double(bytesPerSecond))
  }

  package init(
    id: ResourceID, peer: PeerID, direction: Direction, bytes: Int, totalBytes: Int, bytesPerSecond: Int
  ) {
    (self.id, self.peer, self.direction) = (id, peer, direction)
    (self.bytes, self.totalBytes, self.bytesPerSecond) = (bytes, totalBytes, bytesPerSecond)
  }
}

extension ResourceProgress: CustomStringConvertible {
  /// How much of it is there, and where.
  public var description: String {
    "\(bytes) of \(totalBytes) bytes of a resource \(direction == .sending ? "are at \(peer.short)" : "are here")"
  }
}
