import AnchorReplication
import Basics
import WorldModel

/// The records of an earlier start of this peer, and what the statements of an owned session say of members.
extension Membership {
  /// Goes on with the rules and the members that an earlier start of this peer held, before this one has met anybody.
  mutating func resume(_ record: NodeRecord, in turn: inout Turn) {
    let kept = turn.configuration.rules
    if kept.contains(.remembersRules) { rules.resume(record.rules, in: &turn) }
    guard kept.contains(.remembersMembers) else { return }
    book.restore(record.roster, in: &turn)
    for entry in roster.entries where entry.status == .present && entry.peerID != turn.me.peer {
      members.resume(entry, in: &turn)
    }
    if record.governance == nil {
      // Words of the earlier start count no more.
      for entry in roster.entries where entry.status == .kicked { witness(entry.peerID, in: &turn) }
    }
    if !members.isEmpty { turn.tell(.elect(.join(nil))) }
    turn.tell(.governanceChanged)
  }

  /// This node, alone before, enters another session, perhaps an owned one.
  func tellEntry(on link: LinkRef, in turn: inout Turn) {
    turn.tell(.enters(link))
    guard let peer = turn.mesh.links[link]?.peer else { return }
    if turn.mesh.enters(peer) == true { turn.tell(.adopts(link)) }
  }

  /// The other end of a stranger's link is in the same owned session: a member needs no invitation, and a removed one learns
  /// why it is out.
  mutating func recognize(_ link: LinkRef, in turn: inout Turn) {
    guard let peer = turn.mesh.links[link]?.peer, turn.mesh.links.carrier(of: peer) == link else { return }
    if turn.mesh.governance.removed.contains(peer), turn.configuration.rules.contains(.signedRemoval) {
      turn.tell(.close(link, .kicked))
    } else if turn.mesh.governance.isInForce, turn.mesh.governance.roles[peer] != nil {
      join(peer, on: link, isEntering: false, in: &turn)
    }
  }

  /// Other statements hold in an owned session: their rules, and what they say of each member.
  mutating func governanceChanged(in turn: inout Turn) {
    let view = turn.mesh.governance
    guard view.isOwned else { return }
    let kept = turn.configuration.rules
    if view.removed.contains(turn.me.peer), kept.contains(.signedRemoval) { return turn.tell(.finish(.kicked)) }
    guard view.isInForce else { return }
    rules.follow(view, in: &turn)
    disputes.hasNewEvidence = true
    for entry in roster.entries where entry.peerID != turn.me.peer {
      let peer = entry.peerID
      switch entry.status {
      case .kicked where kept.contains(.signedRemoval) && !view.removed.contains(peer):
        // It may come back.
        markOut(peer, .left, reason: .left, in: &turn)
      case .present where kept.contains(.signedRemoval) && view.removed.contains(peer),
        .left where kept.contains(.signedRemoval) && view.removed.contains(peer):
        markOut(peer, .kicked, reason: .kicked, in: &turn)
      case .present where kept.contains(.signedAdmission) && view.roles[peer] == nil:
        markOut(peer, .left, reason: .refused, in: &turn)
      case .present, .left, .kicked: break
      }
    }
  }
}

extension Mesh {
  /// Whether this node enters the session of a peer rather than the peer this one, where one of the two is owned; else nil.
  func enters(_ peer: PeerID) -> Bool? {
    if governance.isOwned { return false }
    return links.carrier(of: peer).flatMap { governance.said[$0.id] } == nil ? nil : true
  }
}
