import Basics
package import WorldModel

/// How far a map has come.
package struct MapAdvance: Sendable, Hashable {
  /// The member that sent the latest part.
  package let from: PeerID
  package let mapID: MapID
  /// Bytes that are here and verified.
  package let verifiedBytes: Int
  package let totalBytes: Int
  /// Verified bytes a second over the last two seconds; 0 while nothing is known.
  package let bytesPerSecond: Int
  /// Bytes of it that were asked for; what had to be asked for again counts again.
  package let requestedBytes: Int
  /// Bytes of it that arrived, compressed as they were.
  package let receivedBytes: Int

  init(_ holding: MapHolding, from peer: PeerID, at now: Instant) {
    mapID = holding.announcement.id
    from = peer
    verifiedBytes = holding.verifiedBytes
    totalBytes = holding.announcement.size
    bytesPerSecond = holding.rate.bytesPerSecond(with: verifiedBytes, at: now)
    requestedBytes = holding.traffic.requestedBytes
    receivedBytes = holding.traffic.receivedBytes
  }
}
