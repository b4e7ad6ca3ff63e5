import Basics
package import WorldModel

/// How far a map has come.
package struct MapProgress: Sendable, Hashable {
  package let map: MapID
  /// Who sent the latest part.
  package let from: PeerID
  /// Bytes of raw map that are here and verified, of `totalBytes`.
  package let verifiedBytes: Int
  package let totalBytes: Int
  /// Verified bytes a second over the last two seconds; 0 while nothing is known.
  package let bytesPerSecond: Int
  package let traffic: MapTraffic

  init(_ holding: MapHolding, from peer: PeerID, at now: Instant) {
    map = holding.announcement.id
    from = peer
    verifiedBytes = holding.verifiedBytes
    totalBytes = holding.announcement.size
    bytesPerSecond = holding.rate.bytesPerSecond(with: verifiedBytes, at: now)
    traffic = holding.traffic
  }
}
