import AnchorReplication
import Basics
import WorldModel

// The records of peers that members hand on: taken as far as they are believed, and what follows from each.

extension Membership {
  /// Takes records that a member hands on, as far as they are believed.
  mutating func receiveRoster(_ entries: [RosterEntry], on link: LinkRef, in turn: inout Turn) {
    guard let sender = turn.mesh.links.sender(link) else { return }
    disputes.observeRules(in: turn)
    var believed: [RosterEntry] = []
    for entry in entries {
      if entry.peerID == turn.me.peer {
        let isRemoval = book.merge(entry, in: &turn) && entry.status == .kicked
        if isRemoval, disputes.believesOwnRemoval(from: sender.peer, in: turn) { return turn.tell(.finish(.kicked)) }
        continue
      }
      guard !disputes.waitsForPlace(entry, from: sender.peer, in: roster) else { continue }
      let tellers = disputes.tellers(of: entry, and: sender.peer, in: turn)
      if disputes.believes(entry, from: tellers, in: turn) {
        believed.append(entry)
      } else {
        disputes.dispute(entry, from: tellers, in: turn)
      }
    }
    for entry in believed { turn.tell(.record(entry, from: sender.peer)) }
    turn.tell(.recordsTaken(from: sender.peer))
  }

  /// Takes one record that is believed.
  mutating func take(_ entry: RosterEntry, from teller: PeerID?, in turn: inout Turn) {
    let known = roster[entry.peerID]
    guard book.take(entry, from: teller, in: &turn) else {
      // The last place was taken by a record before it in the same frame.
      if let teller { _ = disputes.waitsForPlace(entry, from: teller, in: roster) }
      return
    }
    if let known { disputes.replaces(entry, known) }
    let remote = teller.flatMap(turn.mesh.links.carrier).flatMap { turn.mesh.links[$0]?.remote }
    members.locate(entry.peerID, isLocal: remote?.host.isLoopback == true)
    turn.tell(.recordChanged(entry, reason: nil))
  }

  /// Hands on what was new among records, and corrects what a member said of this peer itself.
  mutating func passOn(from teller: PeerID?, in turn: inout Turn) {
    let news = book.takeNews()
    if !news.isEmpty { turn.gossip(news, except: teller) }
    if let teller, turn.mesh.host?.peer == teller {
      for entry in news where entry.status == .kicked { witness(entry.peerID, in: &turn) }
    }
    // A record of this peer itself is not passed on, least of all by a host, which would be believed.
    if teller != nil, let corrected = book.reassert(in: &turn) { turn.gossip([corrected]) }
  }

  /// A peer is a member, or listens elsewhere.
  mutating func expect(_ entry: RosterEntry, in turn: inout Turn) {
    // Statements that came with it may have put it out again, and the notice of that have been first.
    guard roster.admits(entry.peerID) else { return }
    disputes.returned(entry.peerID)
    _ = admissions.end(entry.peerID)
    members.expect(entry, in: &turn)
    if let link = turn.mesh.links.carrier(of: entry.peerID) { admit(link, in: &turn) }
  }

  /// A peer is out of the session; the app is told if it knew it.
  mutating func dismiss(_ entry: RosterEntry, reason: EndReason?, in turn: inout Turn) {
    disputes.settled(entry.peerID)
    _ = admissions.end(entry.peerID)
    guard members.dismiss(entry.peerID, in: &turn)?.isJoined == true else { return }
    let reason = reason ?? (entry.status == .kicked ? .kicked : .left)
    turn.report(.peerLeft(entry.peerID, name: entry.name, reason: reason))
  }

  /// Looks again at which members can be reached, and tells the app and the other organs.
  mutating func updateReachability(in turn: inout Turn) {
    let reachable = turn.mesh.reachable
    let came = members.update(reachable: KeySet(reachable.map(\.node)), in: &turn)
    turn.tell(.reachable(reachable, came: came))
  }

  /// Other members can be reached now than before.
  mutating func graphChanged() { disputes.hasNewEvidence = true }

  /// This node is about to follow another host.
  func follows(_ host: NodeID, in turn: inout Turn) { rules.tell(host, in: &turn) }

  /// This node follows another host, or none.
  mutating func hostChanged(to host: NodeID?, in turn: borrowing Turn) { disputes.hostChanged(to: host, in: turn) }

  /// Lets the organs draw the consequences of a changed record, then tells the others.
  func spread(_ entry: RosterEntry, in turn: inout Turn) {
    turn.tell(.recordChanged(entry, reason: nil))
    turn.tell(.gossip([entry]))
  }
}
