import Basics
import WorldModel

/// Removals; in an open session members sign them, so that they hold when two parts of the session meet.
extension Membership {
  /// Removes a member for the life of the session; false when this node may not.
  mutating func kick(_ peer: PeerID, in turn: inout Turn) -> Bool {
    guard peer != turn.me.peer, turn.mayRule else { return false }
    markOut(peer, .kicked, reason: .kicked, in: &turn)
    witness(peer, in: &turn)
    return true
  }

  /// Records that a peer is out of the session and tells the others.
  mutating func markOut(
    _ peer: PeerID, _ status: RosterEntry.Status, reason: EndReason, in turn: inout Turn
  ) {
    guard let entry = book.update(peer, in: &turn, { $0.status = status }) else { return }
    turn.gossip([entry], except: peer)
    turn.tell(.recordChanged(entry, reason: reason))
  }

  /// A peer was removed by this node or by its host, now or in an earlier start of this one; a few members sign that.
  mutating func witness(_ subject: PeerID, in turn: inout Turn) {
    guard !turn.mesh.governance.isOwned, let signatures = turn.configuration.signatures, signs(subject, in: turn),
      disputes.witnesses.mayTake(turn.me, of: subject),
      let witness = RemovalWitness(of: subject, by: turn.me.incarnation, signatures),
      disputes.witnesses.take(witness, of: turn.me.peer, in: roster)
    else { return }
    turn.gossip([witness])
  }

  /// Whether this node is the one that removes, or among the first of those that the host reaches.
  private func signs(_ subject: PeerID, in turn: borrowing Turn) -> Bool {
    guard !turn.mayRule else { return true }
    let before = turn.mesh.reachable.map(\.node.peer).filter {
      $0 < turn.me.peer && $0 != subject && $0 != turn.mesh.host?.peer
    }
    return before.count < WitnessBook.signers
  }

  /// A member hands on what others have signed.
  mutating func receive(_ witnesses: [RemovalWitness], on link: LinkRef, in turn: inout Turn) {
    guard let sender = turn.mesh.links.sender(link), let signatures = turn.configuration.signatures,
      !turn.mesh.governance.isOwned
    else { return }
    let now = turn.now
    var news: [RemovalWitness] = []
    for witness in witnesses {
      let signer = signatures.peerID(witness.key)
      guard counts(witness, of: signer, in: turn) else { continue }
      guard applicants.update(link, { $0.mayWitness(at: now) }) == true else {
        applicants.update(link) { $0.wait(witness) }
        witnessesDue = witnessesDue ?? now + .seconds(1)
        continue
      }
      guard witness.isSigned(signatures), disputes.witnesses.take(witness, of: signer, in: roster) else { continue }
      news.append(witness)
      judge(witness.subject, in: &turn)
    }
    turn.gossip(news, except: sender.peer)
  }

  /// Checks words that waited because more came in a second than are checked in one.
  mutating func checkWaiting(in turn: inout Turn) {
    guard let due = witnessesDue, due <= turn.now else { return }
    witnessesDue = nil
    for member in turn.mesh.links.members {
      let waiting = applicants.update(member.link) { $0.takeWaiting() } ?? []
      if !waiting.isEmpty { receive(waiting, on: member.link, in: &turn) }
    }
  }

  /// Whether a word says something new of a removal, and is that of a member.
  ///
  /// Members of longer standing say nothing of those that are not removed here: two of them that agreed could remove anybody.
  private func counts(_ witness: RemovalWitness, of signer: PeerID, in turn: borrowing Turn) -> Bool {
    guard signer != turn.me.peer, signer != witness.subject, witness.subject != turn.me.peer,
      let known = roster[witness.subject], known.status == .kicked || !roster.isStranger(witness.subject),
      let member = roster[signer], member.status != .kicked, member.incarnation == witness.incarnation,
      disputes.witnesses.mayTake(member.node, of: witness.subject)
    else { return false }
    return known.status == .kicked || !turn.mesh.isReachable(signer) || turn.isNew(signer)
  }

  /// Looks whether enough members say that a peer was removed.
  private mutating func judge(_ subject: PeerID, in turn: inout Turn) {
    guard let entry = disputes.removal(of: subject, in: roster) else { return }
    let tellers = disputes.tellers(of: entry)
    guard disputes.believes(entry, from: tellers, in: turn) else {
      return disputes.dispute(entry, from: tellers, in: turn)
    }
    turn.tell(.record(entry, from: nil))
    turn.tell(.recordsTaken(from: nil))
  }
}
