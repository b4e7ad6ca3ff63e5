import Basics
public import WorldModel

/// How far a map has come.
public struct MapProgress: Sendable, Hashable {
  /// The member that sent the latest part.
  public let from: PeerID
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
  public var remaining: Duration? {
    guard bytesPerSecond > 0 else { return nil }
    return .seconds(Double(totalBytes - verifiedBytes) / Double(bytesPerSecond))
  }

  package init(
    from: PeerID, mapID: MapID, verifiedBytes: Int, totalBytes: Int, bytesPerSecond: Int, requestedBytes: Int,
    receivedBytes: Int
  ) {
    (self.from, self.mapID) = (from, mapID)
    (self.verifiedBytes, self.totalBytes, self.bytesPerSecond) = (verifiedBytes, totalBytes, bytesPerSecond)
    (self.requestedBytes, self.receivedBytes) = (requestedBytes, receivedBytes)
  }

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

extension MapProgress: CustomStringConvertible {
  /// How much of the map is here.
  public var description: String { "\(verifiedBytes) of \(totalBytes) bytes of a map are here" }
}
