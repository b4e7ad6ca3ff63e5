import Basics
import WorldModel

/// The invitations of this node and those it has received, until each has its one answer.
struct Invitations: Sendable {
  private var outgoing: [OutgoingInvitation] = []
  private var incoming: [IncomingInvitation] = []
  private var dials: Table<DialID, (id: InvitationID, address: SocketAddress)> = [:]

  /// When an invitation runs out or its target is to be dialled; nil for never.
  var deadline: Instant? {
    var next: Instant?
    for invitation in outgoing {
      next = min(next ?? .distantFuture, invitation.deadline)
      if let reach = invitation.reachDeadline { next = min(next ?? reach, reach) }
      if let retry = invitation.retryAt { next = min(next ?? retry, retry) }
      if invitation.peer == nil { next = min(next ?? .distantFuture, invitation.plan.nextAttempt) }
    }
    for invitation in incoming { next = min(next ?? .distantFuture, invitation.deadline) }
    return next
  }

  /// The peers this node invites: those that have answered its dial and not yet the invitation, in the order of asking.
  var invitedPeers: [PeerID] { outgoing.compactMap(\.peer) }

  /// Whether this node has invited a peer that has answered its dial.
  func invites(_ peer: PeerID) -> Bool { outgoing.contains { $0.peer == peer } }

  /// Whether an invitation of either side waits for its answer.
  func has(_ peer: PeerID) -> Bool { invites(peer) || incoming.contains { $0.peer == peer } }

  // MARK: Commands

  /// Invites the peer that answers at these addresses, or only the one with the expected key.
  mutating func invite(
    _ id: InvitationID, _ addresses: [SocketAddress], expecting expected: PeerID?, context: [UInt8],
    timeout: Duration, in turn: inout Turn
  ) {
    if let reason = turn.mesh.invitationRefusal {
      turn.report(.invitationEnded(id, .failed(reason)))
      return
    }
    let deadline = turn.now + min(timeout, ProtocolLimits.invitationWait)
    outgoing.append(
      OutgoingInvitation(
        id: id, number: turn.random.next(), context: context, deadline: deadline, expected: expected,
        plan: DialPlan(addresses: addresses, start: turn.now),
        reachDeadline: min(deadline, turn.now + ProtocolTimes.reach)))
  }

  /// Takes out the received invitation that the app answers; nil when it has ended.
  mutating func take(_ id: InvitationID) -> IncomingInvitation? {
    incoming.firstIndex { $0.id == id }.map { incoming.remove(at: $0) }
  }

  /// Ends an invitation of ours that was not answered, and tells the other side so.
  mutating func end(_ id: InvitationID, _ result: InvitationResult, in turn: inout Turn) {
    guard let index = outgoing.firstIndex(where: { $0.id == id }) else { return }
    let invitation = outgoing.remove(at: index)
    turn.report(.invitationEnded(id, result))
    guard let peer = invitation.peer, let link = turn.mesh.links.carrier(of: peer) else { return }
    if turn.mesh.links.isProven(link) {
      turn.send(.inviteCancel, on: link) { $0.write(invitation.number) }
    } else if turn.mesh.links[link]?.isDialled == true, !has(peer) {
      // It was not sent, and people need not compare a code for it.
      turn.tell(.close(link, .left))
    }
  }

  /// Two people compare a code before the invitations of a peer are sent.
  mutating func awaitComparison(with peer: PeerID) {
    for index in outgoing.indices where outgoing[index].peer == peer { outgoing[index].awaitComparison() }
  }

  // MARK: Frames

  /// Records an invitation of a stranger, or refuses it.
  mutating func receive(_ invite: Invite, from peer: PeerID, name: String, on link: LinkRef, in turn: inout Turn) {
    guard !incoming.contains(where: { $0.peer == peer && $0.number == invite.number }) else { return }
    let isSecond = incoming.contains { $0.peer == peer }
    guard !isSecond else {
      return turn.answer(invite.number, .decline(reason: "an invitation is already waiting"), on: link)
    }
    guard let source = turn.mesh.links[link]?.remote.host.network, incoming.count < ProtocolLimits.pendingInvitations,
      incoming.count(where: { $0.source == source }) < ProtocolLimits.pendingInvitationsOfSource
    else { return turn.answer(invite.number, .busy, on: link) }
    let wait = min(.milliseconds(Int64(invite.wait)), ProtocolLimits.invitationWait)
    let invitation = IncomingInvitation(
      id: InvitationID(rawValue: turn.random.next()), number: invite.number, peer: peer, deadline: turn.now + wait,
      source: source)
    incoming.append(invitation)
    turn.tell(.extend(link, until: invitation.deadline + ProtocolLimits.helloTime))
    turn.report(.invitationReceived(invitation.id, from: peer, name: name, context: invite.context))
  }

  /// Whether an answer is about an invitation of ours.
  func isAnswered(by answer: InviteAnswer, of peer: PeerID) -> Bool {
    outgoing.contains { $0.peer == peer && $0.number == answer.number }
  }

  /// Takes the refusal of an invitation of ours.
  mutating func decline(_ number: UInt64, by peer: PeerID, reason: String, in turn: inout Turn) {
    guard let index = outgoing.firstIndex(where: { $0.peer == peer && $0.number == number }) else { return }
    let invitation = outgoing.remove(at: index)
    turn.report(.invitationEnded(invitation.id, .declined(peer, reason: reason)))
  }

  /// The target of an invitation of ours has no room for it now: it is asked again a few times.
  mutating func retry(_ number: UInt64, of peer: PeerID, in turn: inout Turn) {
    guard let index = outgoing.firstIndex(where: { $0.peer == peer && $0.number == number }) else { return }
    if !outgoing[index].retry(at: turn.now) { decline(number, by: peer, reason: "busy", in: &turn) }
  }

  /// The other side withdraws its invitation.
  mutating func receiveCancel(_ number: UInt64, from peer: PeerID, in turn: inout Turn) {
    for invitation in incoming where invitation.peer == peer && invitation.number == number {
      turn.report(.invitationWithdrawn(invitation.id, of: invitation.peer))
    }
    incoming.removeAll { $0.peer == peer && $0.number == number }
  }

  // MARK: Links

  /// Sends our invitations of a peer on the link that carries its traffic.
  ///
  /// - Parameter isRetry: Whether only those are sent that are due again because the target was busy.
  mutating func send(to peer: PeerID, on link: LinkRef, isRetry: Bool = false, in turn: inout Turn) {
    for index in outgoing.indices where outgoing[index].peer == peer {
      if isRetry, outgoing[index].retryAt.map({ $0 > turn.now }) ?? true { continue }
      outgoing[index].retryAt = nil
      let invitation = outgoing[index]
      turn.tell(.extend(link, until: invitation.deadline))
      let wait = max(0, invitation.deadline.nanoseconds(since: turn.now) / 1_000_000)
      let invite = Invite(number: invitation.number, wait: UInt32(clamping: wait), context: invitation.context)
      turn.send(.invite, on: link) { invite.write(to: &$0) }
      turn.report(.invitationReached(invitation.id, peer))
    }
  }

  /// Reports the invitations of a peer that is now a member.
  mutating func settle(with peer: PeerID, in turn: inout Turn) {
    for invitation in outgoing where invitation.peer == peer {
      turn.report(.invitationEnded(invitation.id, .accepted(peer)))
    }
    outgoing.removeAll { $0.peer == peer }
    withdraw(from: peer, in: &turn)
  }

  /// A received invitation needs no answer any more.
  mutating func withdraw(from peer: PeerID, in turn: inout Turn) {
    for invitation in incoming where invitation.peer == peer {
      turn.report(.invitationWithdrawn(invitation.id, of: invitation.peer))
    }
    incoming.removeAll { $0.peer == peer }
  }

  /// Ends the invitations that a link has taken with it.
  ///
  /// - Parameter wasAdmitted: Whether this node held the other end as a member.
  mutating func fail(with closed: ClosedLink, wasAdmitted: Bool, in turn: inout Turn) {
    switch closed.cause {
    // The new start of the peer has not invited this node; our own invitation is sent again on its link.
    case .ended(.replaced): withdraw(from: closed.peer, in: &turn)
    case .ended(let reason): fail(with: closed.peer, reason, in: &turn)
    case .goodbye(let reason):
      // A departure takes the peer's record with it, and its invitations stay for its return.
      let isDeparture = reason == .left && (closed.wasMember || wasAdmitted)
      if !isDeparture { fail(with: closed.peer, reason, in: &turn) }
    case .lost: if !closed.wasMember { fail(with: closed.peer, .connectionLost, in: &turn) }
    case .dropped: break
    }
  }

  /// A link ended before the invitations on it were answered.
  private mutating func fail(with peer: PeerID, _ reason: EndReason, in turn: inout Turn) {
    // Of two links one is closed as a duplicate: what was said on it goes on on the other.
    guard turn.mesh.links.carrier(of: peer) == nil, reason != .duplicate else { return }
    withdraw(from: peer, in: &turn)
    for invitation in outgoing where invitation.peer == peer {
      turn.report(.invitationEnded(invitation.id, .failed(reason)))
    }
    outgoing.removeAll { $0.peer == peer }
  }

  // MARK: Time and dials

  /// Ends the invitations whose time is over.
  mutating func expire(in turn: inout Turn) {
    for invitation in outgoing {
      // An address may begin to answer within this time: a peer that starts a second later is still invited.
      if let reach = invitation.reachDeadline, reach <= turn.now { end(invitation.id, invitation.unreached, in: &turn) }
    }
    for invitation in outgoing where invitation.deadline <= turn.now { end(invitation.id, .timedOut, in: &turn) }
    for invitation in incoming where invitation.deadline <= turn.now {
      turn.report(.invitationWithdrawn(invitation.id, of: invitation.peer))
    }
    incoming.removeAll { $0.deadline <= turn.now }
  }

  private mutating func retry(in turn: inout Turn) {
    for invitation in outgoing {
      guard let retry = invitation.retryAt, retry <= turn.now, let peer = invitation.peer,
        let link = turn.mesh.links.carrier(of: peer)
      else { continue }
      send(to: peer, on: link, isRetry: true, in: &turn)
    }
  }

  /// Grants targets the time in which this node stood still.
  mutating func excuse(_ gap: Duration) {
    for index in outgoing.indices {
      outgoing[index].reachDeadline = outgoing[index].reachDeadline.map { min($0 + gap, outgoing[index].deadline) }
    }
  }

  /// Dials the targets of invitations that are not linked yet, and asks those again that were busy.
  mutating func dial(in turn: inout Turn) {
    retry(in: &turn)
    for index in outgoing.indices where outgoing[index].peer == nil && outgoing[index].plan.isDue(at: turn.now) {
      let dial = DialID(rawValue: turn.freshNumber())
      guard let address = outgoing[index].plan.attempt(dial, at: turn.now, random: &turn.random) else { continue }
      dials[dial] = (outgoing[index].id, address)
      turn.emit(.connect(dial, address))
    }
  }

  /// The network may have changed: targets that are not linked are dialled soon.
  mutating func hastenAll(in turn: inout Turn) {
    for index in outgoing.indices where outgoing[index].peer == nil {
      let soon = turn.now + turn.spread(over: outgoing.count)
      outgoing[index].plan.hasten(to: soon)
    }
  }

  /// Somebody is at the address of a dial.
  mutating func dialConnected(_ dial: DialID, at now: Instant) {
    guard let id = dials[dial]?.id, let index = outgoing.firstIndex(where: { $0.id == id }) else { return }
    outgoing[index].reachDeadline = nil
    outgoing[index].plan.connected(dial, at: now)
  }

  /// A dial has become a link to `peer`; nil when it was not one of an invitation.
  ///
  /// The first key that answers is the one that is invited, unless another one is expected. Any other key is `foreign`: its
  /// address is given up, and the invitation ends when none is left.
  mutating func dialOpened(_ dial: DialID, peer: PeerID, in turn: inout Turn) -> DialArrival? {
    guard let (id, address) = dials.removeValue(forKey: dial) else { return nil }
    guard let index = outgoing.firstIndex(where: { $0.id == id }) else {
      // The invitation has ended meanwhile: there is nothing to say, except to a member.
      return turn.mesh.roster.admits(peer) ? .otherMember : .foreign
    }
    outgoing[index].plan.opened(dial, at: turn.now)
    let isMeant = (outgoing[index].expected ?? outgoing[index].peer ?? peer) == peer
    guard isMeant, turn.configuration.admits(peer) else {
      reached(peer, insteadOf: index, at: address, in: &turn)
      return .foreign
    }
    outgoing[index].peer = peer
    outgoing[index].reachDeadline = nil
    return .meant
  }

  /// Another key has answered at an address of an invitation.
  private mutating func reached(_ foreign: PeerID, insteadOf index: Int, at address: SocketAddress, in turn: inout Turn)
  {
    let isLeft = outgoing[index].plan.drop(address, at: turn.now)
    guard outgoing[index].peer == nil else { return }
    outgoing[index].foreign = foreign
    guard isLeft else { return end(outgoing[index].id, outgoing[index].unreached, in: &turn) }
    // The other addresses get the time that is granted to those of anybody.
    outgoing[index].reachDeadline = min(outgoing[index].deadline, turn.now + ProtocolTimes.reach)
  }

  /// A dial came to nothing.
  mutating func dialFailed(_ dial: DialID, refused: Bool, in turn: borrowing Turn) {
    guard let id = dials.removeValue(forKey: dial)?.id, let index = outgoing.firstIndex(where: { $0.id == id }) else {
      return
    }
    outgoing[index].plan.failed(dial, refused: refused, at: turn.now)
  }
}

extension Turn {
  /// Sends the one answer to an invitation.
  ///
  /// On a link that took the place of the invitation's and owes a proof it is not sent: the invitation comes again.
  mutating func answer(_ number: UInt64, _ decision: InviteAnswer.Decision, on link: LinkRef) {
    guard mesh.links.isProven(link) else { return }
    let answer = InviteAnswer(number: number, decision: decision)
    send(.inviteAnswer, on: link) { answer.write(to: &$0) }
  }
}
