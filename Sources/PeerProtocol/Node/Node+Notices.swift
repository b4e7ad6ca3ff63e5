import Basics

/// Notices: which organs receive each of them, in which order.
///
/// After every call of an organ the switchboard delivers its notices, each with all that it causes before the next
/// (``NoticeStack``). So a line below may rely on all consequences of the lines above it.
extension Node {
  /// Delivers the notices of the last organ call.
  mutating func settle() {
    guard !turn.notices.isEmpty else { return }
    var batch = turn.notices.begin()
    while let notice = turn.notices.next(of: &batch) {
      // After the end no organ receives anything.
      guard !turn.hasEnded else { break }
      notices.append(notice)
      deliver(notice)
      settle()
    }
    turn.notices.end(batch)
  }

  private mutating func deliver(_ notice: Notice) {
    switch notice {
    case .greeted(let link, let hello):
      membership.organ.greeted(link, hello, in: &turn)
      repeat { settle() } while links.organ.choose(link, in: &turn)
    case .carries(let link): carries(link)
    case .proven(let link, let proof):
      links.organ.prove(link, proof, in: &turn)
      if let peer = turn.mesh.links[link]?.peer, turn.mesh.links.carrier(of: peer) == link { carries(link) }
    case .admitting(let link): messages.organ.admitting(link, in: &turn)
    case .linked(let link): linked(link)
    case .unlinked(let closed): unlinked(closed)
    case .strangerExpired(let link): membership.organ.strangerExpired(link, in: &turn)

    case .recordChanged(let entry, let reason): recordChanged(entry, reason: reason)
    case .record(let entry, let teller): membership.organ.take(entry, from: teller, in: &turn)
    case .recordsTaken(let teller): membership.organ.passOn(from: teller, in: &turn)
    case .enters(let link): enter(link)
    case .memberLost:
      ownership.organ.memberGone(in: &turn)
      maps.organ.membersChanged(in: &turn)
      messages.organ.membersChanged(in: &turn)
      resources.organ.review(in: &turn)
    case .accepted(let link): governance.organ.accepted(link, in: &turn)
    case .adopts(let link): governance.organ.adopt(link, in: &turn)
    case .recognized(let link): membership.organ.recognize(link, in: &turn)
    case .governanceChanged: governanceChanged()
    case .reachable(let members, let came):
      let nodes = KeySet(members.map(\.node))
      replication.organ.reachable(nodes, came: came, in: turn)
      poses.organ.reachable(nodes, in: &turn)
      maps.organ.membersChanged(in: &turn)
      messages.organ.membersChanged(in: &turn)
      turn.tell(.elect(.reachable(members)))

    case .graphChanged(let haveMembersChanged):
      replication.organ.graphChanged(in: &turn)
      poses.organ.graphChanged(in: &turn)
      messages.organ.membersChanged(in: &turn)
      guard haveMembersChanged else { return }
      membership.organ.updateReachability(in: &turn)
      settle()
      // Reachability is evidence: disputed records are reviewed at the end of the turn.
      membership.organ.graphChanged()
    case .announced(let node, let link): poses.organ.announced(node, on: link, in: &turn)
    case .follows(let host): membership.organ.follows(host, in: &turn)
    case .election(let output):
      if case .hostChanged(_, let host, _, _) = output { membership.organ.hostChanged(to: host, in: turn) }
      coordination.organ.carryOut(output, in: &turn)
    case .word(let word): changed(word)
    case .mapAnnounced: replication.organ.mapAnnounced(in: turn)
    case .antiEntropy:
      membership.organ.confirm(in: &turn)
      settle()
      takeBelieved()
      membership.organ.contradict(in: &turn)
      maps.organ.check(in: &turn)
      resources.organ.check(in: &turn)
      registers.organ.compare(in: &turn)
      governance.organ.compare(in: &turn)

    case .close(let link, let reason): links.organ.end(link, reason, in: &turn)
    case .extend(let link, let deadline): links.organ.extend(link, until: deadline)
    case .wantsBulk(let peer): links.organ.wantBulk(with: peer, in: &turn)
    case .gossip(let entries): turn.gossip(entries)
    case .elect(let input): coordination.organ.elect(input, in: &turn)
    case .finish(let reason): finish(reason)
    }
  }

  private mutating func governanceChanged() {
    membership.organ.governanceChanged(in: &turn)
    resources.organ.showAttachments(in: &turn)
  }

  /// A member has said something new of itself; the topic has one user.
  private mutating func changed(_ word: SpreadWord) {
    guard let topic = WordTopic(rawValue: word.topic) else { return }
    switch topic {
    case .groups: messages.organ.changed(word, in: &turn)
    case .mapStatus: maps.organ.changed(word, in: &turn)
    case .declarations, .measurements: frames.organ.changed(word, topic, in: &turn)
    case .attachments, .removals: resources.organ.changed(word, topic, in: &turn)
    }
  }

  private mutating func enter(_ link: LinkRef) {
    turn.tell(.elect(.join(turn.mesh.links[link]?.node)))
    settle()
    membership.organ.forgetRules(in: &turn)
  }

  /// A link carries its peer's traffic from now on: first the passcode, then the apps' drivers, so that no person is asked about a
  /// peer that they refuse, then the code, then invitations and admission.
  private mutating func carries(_ link: LinkRef) {
    guard let owed = turn.mesh.links[link]?.owed else { return }
    if owed.contains(.passcode) {
      pairing.organ.begin(link, in: &turn)
    } else if owed.contains(.driver) {
      handshake.organ.begin(link, in: &turn)
    } else if owed.contains(.code) {
      comparison.organ.begin(link, in: &turn)
    } else {
      carried(link)
    }
  }

  /// A link carries its peer's traffic from now on, and the peer may be admitted and invited.
  private mutating func carried(_ link: LinkRef) {
    governance.organ.carried(link, in: &turn)
    settle()
    membership.organ.carried(link, in: &turn)
    settle()
    membership.organ.invite(on: link, in: &turn)
  }

  /// A link carries a member's traffic from now on.
  private mutating func linked(_ link: LinkRef) {
    links.organ.promote(link, in: &turn)
    // Before the graph knows the link: a change of the way uses the lane.
    messages.organ.linked(link, in: &turn)
    // Before the roster, which counts only as far as the statements allow.
    governance.organ.linked(link, in: &turn)
    membership.organ.welcome(link, in: &turn)
    poses.organ.linked(link, in: &turn)
    // Before anything whose place depends on a declaration.
    registers.organ.linked(link, in: &turn)
    coordination.organ.linked(link, in: &turn)
    settle()
    poses.organ.introduce(on: link, in: &turn)
    // The map first: once the anchors are complete, "synchronized" depends on whether a map is still to come.
    maps.organ.linked(link, in: &turn)
    resources.organ.linked(link, in: &turn)
    replication.organ.linked(link, in: &turn)
    membership.organ.settle(link, in: &turn)
  }

  private mutating func unlinked(_ closed: ClosedLink) {
    membership.organ.noteEnd(of: closed)
    pairing.organ.unlinked(closed, in: &turn)
    handshake.organ.unlinked(closed, in: &turn)
    comparison.organ.unlinked(closed, in: &turn)
    governance.organ.unlinked(closed.link, in: &turn)
    poses.organ.unlinked(closed.link)
    registers.organ.unlinked(closed.link)
    switch closed.kind {
    case .bulk:
      maps.organ.bulkClosed(closed.link, of: closed.peer, in: &turn)
      resources.organ.bulkClosed(closed.link, of: closed.peer, in: &turn)
    case .greeting, .stranger: break
    case .member:
      replication.organ.unlinked(closed.link, of: closed.peer)
      maps.organ.unlinked(closed.link, of: closed.peer, in: &turn)
      resources.organ.unlinked(closed.link, of: closed.peer)
      membership.organ.redial(closed, in: &turn)
      if let node = closed.node { coordination.organ.unlinked(node, in: &turn) }
      settle()
      maps.organ.resume(in: &turn)
      resources.organ.resume(in: &turn)
    }
    settle()
    messages.organ.unlinked(closed.link, in: &turn)
    settle()
    membership.organ.heed(closed, in: &turn)
    settle()
    if !turn.hasEnded { membership.organ.failInvitations(closed, in: &turn) }
  }

  /// A peer is a member, or is out of the session, by an accepted record.
  private mutating func recordChanged(_ entry: RosterEntry, reason: EndReason?) {
    switch entry.status {
    case .present: membership.organ.expect(entry, in: &turn)
    case .left, .kicked:
      turn.tell(.elect(.left(entry.node)))
      settle()
      ownership.organ.memberGone(in: &turn)
      membership.organ.dismiss(entry, reason: reason, in: &turn)
      let goodbye = entry.status == .kicked ? EndReason.kicked : nil
      repeat { settle() } while links.organ.endNext(of: entry.peerID, goodbye, in: &turn)
    }
    settle()
    membership.organ.updateReachability(in: &turn)
    resources.organ.review(in: &turn)
  }

  /// Ends this peer's part: every link closes, and later inputs have no effect.
  private mutating func finish(_ reason: EndReason) {
    messages.organ.end(in: &turn)
    resources.organ.end(in: &turn)
    links.organ.dropAll(in: &turn)
    turn.hasEnded = true
    turn.report(.ended(reason))
  }
}
