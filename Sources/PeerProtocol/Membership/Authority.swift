import AnchorReplication
import Basics
import WorldModel

/// The rules of who may rule, and whose word on it is believed.
///
/// The host alone locks the session, opens it and removes members; a peer that is alone in its session may do the same.
/// Records are not signed, so others believe a removal, or that it is taken back, when the host says so over its own
/// link, or, where there is no such link, when a neighbour on the way to the host passes it on (``speaksForHost(_:)``).
/// A record that is not believed waits in ``Disputes``; what is said of this node itself is judged by
/// ``Disputes/believesOwnRemoval(from:in:)``.
///
/// In an owned session the signed statements decide instead (``GovernanceView``), no matter which peer hosts.
extension Turn {
  /// Whether this node may lock the session and remove members: as host or while it is alone, in an owned session by its role.
  var mayRule: Bool {
    guard !mesh.governance.isOwned else { return mesh.governance.roles[me.peer]?.mayRule == true }
    return mesh.host == me || mesh.roster.presentCount == 1
  }

  /// Whether `tellers` may say who is removed, or what the rules are.
  ///
  /// That is the host, over its own link; for a node without a link to it, a neighbour on the way there. The host itself hears
  /// of removals only when another session merges into its own: one member alone could claim that, so it takes two.
  func speaksForHost(_ tellers: [PeerID]) -> Bool {
    guard let host = mesh.host else { return false }
    if host == me { return tellers.count > 1 }
    if mesh.hasMemberLink(to: host.peer) { return tellers.contains { mesh.linkedNode($0) == host } }
    let ways = mesh.graph.ways(to: host)
    return tellers.contains { mesh.linkedNode($0).flatMap(mesh.graph.slot).map(ways.contains) ?? false }
  }

  /// Whether a member came into reach so recently that it may know more of the session it comes from.
  func isNew(_ peer: PeerID) -> Bool {
    guard let reachedAt = mesh.standings[peer]?.reachedAt else { return false }
    return now - reachedAt < ProtocolTimes.removalSettling
  }

  /// Whether a member is among the followers of this node, which hosts.
  func isFollowed(by peer: PeerID) -> Bool {
    mesh.linkedNode(peer).map { mesh.reign.isFollowed(by: $0, at: now) } ?? false
  }
}

/// The rules of who may write in an owned session; receivers and relays go by them, no matter which member
/// hands something on.
extension Turn {
  /// Whether what a peer writes counts, such as anchors and attachments: not that of a guest.
  func heeds(_ peer: PeerID) -> Bool {
    mesh.governance.mayWrite(peer) || !configuration.rules.contains(.guestsWriteNothing)
  }

  /// Whether a peer's removals of others' attachments count: in an open session everybody's, as for anchors.
  func mayRemove(_ peer: PeerID) -> Bool {
    guard mesh.governance.isOwned else { return true }
    return mesh.governance.roles[peer]?.mayRule == true
  }

  /// Whether a map that a peer shares with the session counts.
  func heedsMaps(of peer: PeerID) -> Bool {
    mesh.governance.mayShareMaps(peer) || !configuration.rules.contains(.mapsByRole)
  }
}

/// The rules of who may come in.
extension Mesh {
  /// Why a peer cannot come in; nil if it can, as every member may that is admitted already.
  func refusal(of peer: PeerID, by me: PeerID) -> EndReason? {
    if roster.admits(peer) { return nil }
    let verdict = governance.verdict(
      on: peer, by: me, link: links.carrier(of: peer)?.id, isAlone: roster.presentCount == 1)
    switch verdict {
    case .byRules: return invitationRefusal
    case .isMember: return nil
    case .refused(let reason): return reason
    }
  }

  /// Why nobody new can be invited; nil if somebody can.
  var invitationRefusal: EndReason? {
    if rules.isLocked { return .locked }
    return roster.presentCount >= rules.limit ? .limitExceeded : nil
  }

  /// The start of a process that carries a peer's traffic.
  func linkedNode(_ peer: PeerID) -> NodeID? { links.carrier(of: peer).flatMap(links.node) }

  /// Whether there is a member's link to a peer.
  func hasMemberLink(to peer: PeerID) -> Bool { links.carrier(of: peer).flatMap(links.member) != nil }
}
