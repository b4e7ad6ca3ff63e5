import Basics
import PeerProtocol
public import WorldModel

/// How far a map has come.
public struct MapProgress: Hashable, Sendable {
  /// The member that sent the latest part.
  public let from: Peer
  /// Which map.
  public let mapID: MapID
  /// Bytes that are here and verified.
  public let verifiedBytes: Int
  /// Bytes of the whole map.
  public let totalBytes: Int
  /// Verified bytes a second over the last two seconds; 0 while nothing is known.
  public let bytesPerSecond: Int
  /// Bytes of it that were asked for; what had to be asked for again counts again.
  public let requestedBytes: Int
  /// Bytes of it that arrived, compressed as they were.
  public let receivedBytes: Int

  /// How long the rest takes at this rate; nil while that cannot be told.
  public var remaining: Duration? { Duration(of: totalBytes - verifiedBytes, perSecond: bytesPerSecond) }
}

extension MapProgress {
  init(_ advance: MapAdvance, from peer: Peer) {
    self.init(
      from: peer, mapID: advance.mapID, verifiedBytes: advance.verifiedBytes, totalBytes: advance.totalBytes,
      bytesPerSecond: advance.bytesPerSecond, requestedBytes: advance.requestedBytes,
      receivedBytes: advance.receivedBytes)
  }
}

extension Duration {
  /// How long so many bytes take at a rate; nil while that is not known.
  init?(of bytes: Int, perSecond rate: Int) {
    guard rate > 0 else { return nil }
    self = .seconds(Double(bytes) / Double(rate))
  }
}
