import PeerProtocol
public import WorldModel

/// How far a peer has come with the session's map: whether all see the same world.
public struct MapStatus: Hashable, Sendable {
  /// How far.
  public enum Stage: Hashable, Sendable {
    /// It has no map.
    case none
    /// It is fetching the map and has verified so many percent, 0…100.
    case transferring(percent: Int)
    /// It has the map.
    case received
    /// It has the map, and its app has said that it knows where it is in it.
    case relocalised
  }

  /// Which map; nil when there is none.
  public let mapID: MapID?
  /// How far.
  public let stage: Stage

  static let none = MapStatus(mapID: nil, stage: .none)
}

extension MapStatus {
  init(_ status: PeerProtocol.MapStatus) {
    let stage: Stage =
      switch status.stage {
      case .none: .none
      case .transferring(let percent): .transferring(percent: percent)
      case .received: .received
      case .relocalised: .relocalised
      }
    self.init(mapID: status.map, stage: stage)
  }
}

extension Session.MapProgress {
  init(_ progress: PeerProtocol.MapProgress) {
    self.init(
      from: progress.from, mapID: progress.map, verifiedBytes: progress.verifiedBytes, totalBytes: progress.totalBytes,
      bytesPerSecond: progress.bytesPerSecond, requestedBytes: progress.traffic.requestedBytes,
      receivedBytes: progress.traffic.receivedBytes)
  }
}

extension MapPolicy {
  init(_ providers: MapProviders) {
    switch providers {
    case .anyone: self = .anyone
    case .host: self = .host
    case .named(let peers): self = .named(peers)
    }
  }
}
