package import WorldModel

/// Who may share a map with the whole session; all members should be given the same rule.
package enum MapPolicy: Sendable, Equatable {
  /// Every member.
  case anyone
  /// Whoever is host at that moment.
  case host
  /// These members.
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
