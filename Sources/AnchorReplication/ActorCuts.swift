package import WorldModel

/// The number of the last operation that counts of each peer that is removed or a guest; the operations of all other peers count
/// without a limit.
///
/// Operations and snapshots that go beyond a cut are ignored, no matter which member passes them on.
package struct ActorCuts: Sendable, Equatable {
  /// By the peer's half of an actor and the random half: the last operation that counts.
  private var cuts: [UInt64: [UInt64: UInt64]] = [:]

  /// Nobody is removed.
  package init() {}

  /// Cuts all operations of a peer, but for the first ones of these runs of it, by the random half of their actor.
  package mutating func cut(_ peer: PeerID, to sequences: [UInt64: UInt64]) { cuts[peer.prefix] = sequences }

  /// The number of the last operation of an actor that counts.
  @inline(__always)
  package func limit(of actor: ActorID) -> UInt64 {
    if cuts.isEmpty { return .max }
    return cuts[actor.peerPrefix].map { $0[actor.incarnation] ?? 0 } ?? .max
  }
}

extension AnchorSet {
  /// The operations of a peer that are applied: by the random half of each actor, the number of the last one.
  package func applied(of peer: PeerID) -> [UInt64: UInt64] { appliedByPeer[peer.prefix] ?? [:] }

  /// The operations that are applied, by the peer's half of the actor and the random one: the number of the last one.
  package var appliedByPeer: [UInt64: [UInt64: UInt64]] {
    var found: [UInt64: [UInt64: UInt64]] = [:]
    for dot in vector.entries { found[dot.actor.peerPrefix, default: [:]][dot.actor.incarnation] = dot.sequence }
    return found
  }
}
