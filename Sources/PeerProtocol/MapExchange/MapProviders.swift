public import WorldModel

/// The peers that may share a map with the whole session.
///
/// A peer takes no map that its rule does not allow. Maps sent to one peer alone are not meant.
public enum MapProviders: Sendable, Hashable {
  /// Every member.
  case anyone
  /// The host of that moment.
  case host
  /// These peers.
  case named(Set<PeerID>)

  /// Whether `peer` may share a map while `host` hosts.
  ///
  /// While there is no host nobody can be told from one, so a map that arrives then is taken.
  func permits(_ peer: PeerID, host: PeerID?) -> Bool {
    switch self {
    case .anyone: true
    case .host: host == nil || host == peer
    case .named(let peers): peers.contains(peer)
    }
  }
}
