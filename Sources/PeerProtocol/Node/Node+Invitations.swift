import Basics
package import WorldModel

extension Node {
  mutating func invite(
    _ id: InvitationID, _ addresses: [SocketAddress], context: [UInt8], timeout: Duration, at now: Instant
  ) {
    if let reason = invitationRefusal {
      tell(.invitationEnded(id, .failed(reason)))
      return
    }
    outgoing.append(
      OutgoingInvitation(
        id: id, number: random.next(), context: context, deadline: now + min(timeout, ProtocolLimits.invitationWait),
        plan: DialPlan(addresses: addresses, start: now)))
  }

  /// Dials the targets of invitations that are not linked yet.
  mutating func dialInvitations(at now: Instant) {
    for index in outgoing.indices where outgoing[index].peer == nil {
      let dial = DialID(rawValue: freshNumber())
      guard let address = outgoing[index].plan.attempt(dial, at: now, random: &random) else { continue }
      dials[dial] = .invitation(outgoing[index].id)
      emit(.connect(dial, address))
    }
  }

  mutating func noteDialOpened(_ dial: DialID, peer: PeerID, at now: Instant) {
    switch dials.removeValue(forKey: dial) {
    case .invitation(let id):
      guard let index = outgoing.firstIndex(where: { $0.id == id }) else { return }
      outgoing[index].plan.opened(dial)
      outgoing[index].peer = peer
    case .member(peer): members[peer]?.plan.opened(dial)
    case .member(let wanted): members[wanted]?.plan.failed(dial, refused: false, at: now)
    case .bulk, nil: break
    }
  }

  mutating func dialFailed(_ dial: DialID, refused: Bool, at now: Instant) {
    switch dials.removeValue(forKey: dial) {
    case .invitation(let id):
      guard let index = outgoing.firstIndex(where: { $0.id == id }) else { return }
      outgoing[index].plan.failed(dial, refused: refused, at: now)
    case .member(let peer): members[peer]?.plan.failed(dial, refused: refused, at: now)
    case .bulk(let peer, _): bulkFailed(peer, at: now)
    case nil: break
    }
  }

  mutating func receiveInvite(_ invite: Invite, on id: LinkID, at now: Instant) {
    guard let link = links[id], let hello = link.hello, controlLinks[link.peer] == id else { return }
    // Who invites each other has already agreed; a member needs no second answer.
    let isMutual = outgoing.contains { $0.peer == link.peer }
    if isMutual || roster.admits(link.peer) {
      accept(invite.number, from: link, at: now)
      return
    }
    if let reason = refusal(of: link.peer) {
      end(id, reason, at: now)
      return
    }
    guard !incoming.contains(where: { $0.peer == link.peer && $0.number == invite.number }) else { return }
    let isSecond = incoming.contains { $0.peer == link.peer }
    guard !isSecond, incoming.count < ProtocolLimits.pendingInvitations else {
      refuse(invite.number, on: id, reason: isSecond ? "an invitation is already waiting" : "too many invitations")
      return
    }
    let wait = min(.milliseconds(Int64(invite.wait)), ProtocolLimits.invitationWait)
    let invitation = IncomingInvitation(
      id: InvitationID(rawValue: random.next()), number: invite.number, peer: link.peer, deadline: now + wait)
    incoming.append(invitation)
    links[id]?.deadline = max(link.deadline ?? now, invitation.deadline + ProtocolLimits.helloTime)
    tell(.invitationReceived(invitation.id, from: link.peer, name: hello.name, context: invite.context))
  }

  /// The app's answer; one that comes after the invitation has ended is ignored.
  mutating func answer(_ id: InvitationID, _ decision: InviteAnswer.Decision, at now: Instant) {
    guard let index = incoming.firstIndex(where: { $0.id == id }) else { return }
    let invitation = incoming.remove(at: index)
    guard let linkID = controlLinks[invitation.peer], let link = links[linkID] else { return }
    switch decision {
    case .accept: accept(invitation.number, from: link, at: now)
    case .decline(let reason): refuse(invitation.number, on: linkID, reason: reason)
    }
  }

  private mutating func accept(_ number: UInt64, from link: Link, at now: Instant) {
    if let reason = refusal(of: link.peer) {
      end(link.id, reason, at: now)
      return
    }
    let answer = InviteAnswer(number: number, decision: .accept)
    sendControl(.inviteAnswer, on: link.id) { answer.write(to: &$0) }
    withdrawIncoming(from: link.peer)
    // Of two that invited each other the lower id counts as the one who was joined.
    let isMutual = outgoing.contains { $0.peer == link.peer }
    join(link, isEntering: !isMutual || link.peer < me.peer, at: now)
  }

  private mutating func refuse(_ number: UInt64, on id: LinkID, reason: String) {
    let answer = InviteAnswer(number: number, decision: .decline(reason: reason))
    sendControl(.inviteAnswer, on: id) { answer.write(to: &$0) }
  }

  mutating func receiveAnswer(_ answer: InviteAnswer, on id: LinkID, at now: Instant) {
    guard let link = links[id],
      let index = outgoing.firstIndex(where: { $0.peer == link.peer && $0.number == answer.number })
    else { return }
    switch answer.decision {
    case .accept: join(link, isEntering: false, at: now)
    case .decline(let reason):
      let invitation = outgoing.remove(at: index)
      tell(.invitationEnded(invitation.id, .declined(link.peer, reason: reason)))
      closeIfIdle(link.id, at: now)
    }
  }

  mutating func receiveCancel(_ number: UInt64, on id: LinkID) {
    guard let peer = links[id]?.peer else { return }
    for invitation in incoming where invitation.peer == peer && invitation.number == number {
      tell(.invitationWithdrawn(invitation.peer))
    }
    incoming.removeAll { $0.peer == peer && $0.number == number }
  }

  /// Ends an invitation of ours that was not answered, and tells the other side so.
  mutating func endInvitation(_ id: InvitationID, _ result: InvitationResult) {
    guard let index = outgoing.firstIndex(where: { $0.id == id }) else { return }
    let invitation = outgoing.remove(at: index)
    tell(.invitationEnded(id, result))
    if let peer = invitation.peer, let link = controlLinks[peer] {
      sendControl(.inviteCancel, on: link) { $0.write(invitation.number) }
    }
  }

  /// Reports the invitations of a peer that is now a member.
  mutating func settleInvitations(with peer: PeerID, at now: Instant) {
    guard let id = controlLinks[peer], links[id]?.phase == .member else { return }
    for invitation in outgoing where invitation.peer == peer {
      tell(.invitationEnded(invitation.id, .accepted(peer)))
    }
    outgoing.removeAll { $0.peer == peer }
    withdrawIncoming(from: peer)
  }

  private mutating func withdrawIncoming(from peer: PeerID) {
    for invitation in incoming where invitation.peer == peer { tell(.invitationWithdrawn(invitation.peer)) }
    incoming.removeAll { $0.peer == peer }
  }

  /// A link ended before the invitations on it were answered.
  mutating func failInvitations(with link: Link, _ reason: EndReason) {
    // Of two links one is closed as a duplicate: what was said on it goes on on the other.
    guard controlLinks[link.peer] == nil, reason != .duplicate else { return }
    withdrawIncoming(from: link.peer)
    for invitation in outgoing where invitation.peer == link.peer {
      tell(.invitationEnded(invitation.id, .failed(reason)))
    }
    outgoing.removeAll { $0.peer == link.peer }
  }

  /// Whom this node invites: those that have answered its dial and not yet the invitation, in the order of asking.
  package var invitedPeers: [PeerID] { outgoing.compactMap(\.peer) }

  func hasInvitation(with peer: PeerID) -> Bool {
    outgoing.contains { $0.peer == peer } || incoming.contains { $0.peer == peer }
  }

  /// Ends a stranger's link that has nothing left to say.
  private mutating func closeIfIdle(_ id: LinkID, at now: Instant) {
    guard let link = links[id], link.phase == .stranger, !hasInvitation(with: link.peer) else { return }
    end(id, .left, at: now)
  }

  mutating func expireInvitations(at now: Instant) {
    for invitation in outgoing where invitation.deadline <= now { endInvitation(invitation.id, .timedOut) }
    for invitation in incoming where invitation.deadline <= now { tell(.invitationWithdrawn(invitation.peer)) }
    incoming.removeAll { $0.deadline <= now }
  }
}
