import AnchorReplication
import Basics
import WorldModel

/// The organ of who belongs to the session: the roster and what is disputed of it, admission, invitations, removals, rules,
/// and the dialling of members.
///
/// All members hold one record of each peer and hand on what is new; the later record counts, so that in the end all hold
/// the same. That alone would let any member put out any other, by saying so, and a member that was cut off would come
/// back to a session that holds it for gone. So a record that contradicts what this node sees itself is not believed at
/// once: it waits with the names of those who told it, until the host says the same or the peer can be reached no more
/// (``Disputes``). The word of a peer about itself goes before all hearsay.
///
/// To join takes both sides. Each decides by itself, from an invitation, an answer, or a record that it had before, and
/// says *admit*; only a link on which both have said it is a member's. Neither can be first for the other, so the same
/// frames lead there in whatever order they cross, and an invitation that was lost is made good by the admission.
///
/// Members find each other again by dialling: nobody else knows that a link is missing. When and how often one dials
/// is in ``Members``; here is what follows from a link, from a record, and from its end.
struct Membership: Organ {
  /// One record a peer.
  var book: RosterBook
  /// Records that are not believed, and what speaks for or against them.
  var disputes = Disputes()
  /// The rules of who may still come in.
  var rules: RuleBook
  var members = Members()
  private var invitations = Invitations()
  var admissions = Admissions()
  /// By link, who is at the other end.
  var applicants = PerLink<Applicant>()
  /// When signed words on removals that wait are checked; nil when none does.
  var witnessesDue: Instant?
  /// The keeper of what was kept last; the node asks it and takes from it.
  var keeper = RecordKeeper()

  init(_ configuration: NodeConfiguration) {
    book = RosterBook(addresses: configuration.addresses)
    rules = RuleBook(SessionRules(limit: configuration.memberLimit))
  }

  /// Holds this peer itself for a member.
  mutating func begin(in turn: inout Turn) {
    rules.begin(in: &turn)
    _ = book.assertSelf(in: &turn)
  }

  var roster: Roster { _read { yield book.roster } }

  // MARK: Time

  /// When something is due; nil for never.
  func deadline(in turn: inout Turn) -> Instant? {
    [members.deadline(in: turn.mesh.links), invitations.deadline, admissions.deadline, witnessesDue].compactMap(\.self)
      .min()
  }

  /// Does what is due of invitations and members.
  mutating func tick(in turn: inout Turn) {
    invitations.expire(in: &turn)
    let late = admissions.expire(at: turn.now).compactMap { turn.mesh.links.carrier(of: $0) }
    for link in late { turn.tell(.close(link, .timedOut)) }
    checkWaiting(in: &turn)
    members.expire(in: &turn)
    invitations.dial(in: &turn)
    members.dial(in: &turn)
  }

  /// Whether a disputed record may be believed now.
  var hasNewEvidence: Bool { disputes.hasNewEvidence }

  /// Takes the next record, of a peer behind `last`, that was not believed and is now, as when the host changed or a peer can
  /// be reached no longer; returns whose it is.
  mutating func takeBelieved(after last: PeerID?, in turn: inout Turn) -> PeerID? {
    if last == nil { disputes.hasNewEvidence = false }
    guard let entry = disputes.takeBelieved(after: last, in: turn) else { return nil }
    turn.tell(.record(entry, from: nil))
    turn.tell(.recordsTaken(from: nil))
    return entry.peerID
  }

  /// Corrects records that name another start of a peer than the one at the other end of a live link, and says the rules
  /// again; at the pace of anti-entropy.
  ///
  /// More often two members with links to an old and a new start would outbid each other while the old link dies.
  mutating func confirm(in turn: inout Turn) {
    rules.repeatRules(in: &turn)
    disputes.observeRules(in: turn)
    guard turn.configuration.rules.contains(.reassertion) else { return }
    for node in turn.mesh.links.members.map(\.node) where roster[node.peer]?.incarnation != node.incarnation {
      let entry = book.update(node.peer, in: &turn) { $0.incarnation = node.incarnation }
      if let entry { spread(entry, in: &turn) }
    }
  }

  /// Contradicts what is still not believed; at the pace of anti-entropy.
  mutating func contradict(in turn: inout Turn) {
    for entry in disputes.takeContradicted(in: turn) {
      let corrected = book.update(entry.peerID, in: &turn) {
        $0.version = RecordVersion.next(after: RecordVersion.later($0.version, entry.version))
      }
      if let corrected { turn.gossip([corrected]) }
    }
  }

  /// Grants every member the time in which this node stood still.
  mutating func excuse(_ gap: Duration, in turn: inout Turn) {
    members.excuse(gap, in: &turn)
    invitations.excuse(gap)
  }

  /// The network may have changed: a member that is not linked is dialled soon.
  mutating func hastenDials(in turn: inout Turn) {
    members.hastenAll(in: &turn)
    invitations.hastenAll(in: &turn)
  }

  // MARK: Commands

  /// Invites the peer that answers at these addresses, or only the one with the expected key.
  mutating func invite(
    _ id: InvitationID, _ addresses: [SocketAddress], expecting expected: PeerID?, context: [UInt8],
    timeout: Duration, in turn: inout Turn
  ) {
    invitations.invite(id, addresses, expecting: expected, context: context, timeout: timeout, in: &turn)
  }

  /// Withdraws an invitation of ours.
  mutating func cancelInvitation(_ id: InvitationID, in turn: inout Turn) {
    invitations.end(id, .cancelled, in: &turn)
  }

  /// The app's answer; one that comes after the invitation has ended is ignored.
  mutating func answer(_ id: InvitationID, _ decision: InvitationDecision, in turn: inout Turn) {
    guard let invitation = invitations.take(id), let link = turn.mesh.links.carrier(of: invitation.peer) else { return }
    switch decision {
    case .accept: accept(invitation.number, from: invitation.peer, on: link, in: &turn)
    case .decline(let reason): turn.answer(invitation.number, .decline(reason: reason), on: link)
    }
  }

  /// Locks the session for newcomers, or opens it again; false when this node may not.
  mutating func setLocked(_ isLocked: Bool, in turn: inout Turn) -> Bool { rules.setLocked(isLocked, in: &turn) }

  /// This peer listens elsewhere.
  mutating func changeAddresses(_ new: [SocketAddress], in turn: inout Turn) {
    book.addresses = new
    if let entry = book.reassert(in: &turn) { turn.gossip([entry]) }
    hastenDials(in: &turn)
  }

  /// The peers this node invites, in the order of asking.
  var invitedPeers: [PeerID] { invitations.invitedPeers }

  // MARK: Dials

  /// A dial has become a link; returns whom it has led to.
  mutating func dialOpened(_ dial: DialID, peer: PeerID, in turn: inout Turn) -> DialArrival {
    // A dial that leads to this peer itself has opened nothing.
    if peer != turn.me.peer, let arrival = invitations.dialOpened(dial, peer: peer, in: &turn) { return arrival }
    return members.dialOpened(dial, peer: peer, in: turn)
  }

  /// Somebody is at the address of a dial.
  mutating func dialConnected(_ dial: DialID, at now: Instant) {
    invitations.dialConnected(dial, at: now)
    members.dialConnected(dial, at: now)
  }

  /// A dial came to nothing.
  mutating func dialFailed(_ dial: DialID, refused: Bool, in turn: borrowing Turn) {
    invitations.dialFailed(dial, refused: refused, in: turn)
    members.dialFailed(dial, refused: refused, in: turn)
  }

  // MARK: Frames

  /// The frames of this organ.
  enum Frame {
    case admit, invite, inviteAnswer, inviteCancel, roster, removalWitnesses, rules
  }

  /// Takes a frame about who belongs to the session.
  mutating func receive(
    _ frame: Frame, _ body: RawSpan, on link: LinkRef, in turn: inout Turn
  ) throws(DecodingFailure) {
    switch frame {
    case .admit: receiveAdmit(on: link, in: &turn)
    case .invite: receiveInvite(try Invite(body: body), on: link, in: &turn)
    case .inviteAnswer: receiveAnswer(try InviteAnswer(body: body), on: link, in: &turn)
    case .inviteCancel: receiveCancel(try UInt64(body: body), on: link, in: &turn)
    case .roster: receiveRoster(try RosterFrame(body: body).entries, on: link, in: &turn)
    case .removalWitnesses: receive(try RemovalWitnesses(body: body).witnesses, on: link, in: &turn)
    case .rules:
      let received = try SessionRules(body: body)
      if let sender = turn.mesh.links.sender(link) { rules.receive(received, from: sender, in: &turn) }
    }
  }

  // MARK: Admission

  /// The other end of a link has said hello; a new start of a known peer replaces the old one at once.
  mutating func greeted(_ link: LinkRef, _ hello: Hello, in turn: inout Turn) {
    guard let entry = turn.mesh.links[link] else { return }
    let peer = entry.peer
    applicants.begin(link, with: Applicant(hello, on: entry))
    if entry.owed?.contains(.code) == true { invitations.awaitComparison(with: peer) }
    guard roster.admits(peer), roster[peer]?.incarnation != hello.incarnation else { return }
    let oldest = turn.mesh.links.all.first { turn.mesh.links[$0]?.peer == peer && applicants[$0]?.hello == hello }
    let addresses = oldest.flatMap { applicants[$0]?.addresses } ?? []
    members.locate(peer, isLocal: entry.remote.host.isLoopback)
    if let updated = book.renew(peer, hello, at: addresses, in: &turn) { spread(updated, in: &turn) }
  }

  /// A link carries its peer's traffic from now on: one that is admitted is told so.
  mutating func carried(_ link: LinkRef, in turn: inout Turn) {
    guard let peer = turn.mesh.links[link]?.peer else { return }
    if roster.admits(peer) || admissions.has(peer) { admit(link, in: &turn) }
  }

  /// Says what else there is to say on the link that carries a peer's traffic: invitations.
  mutating func invite(on link: LinkRef, in turn: inout Turn) {
    guard let peer = turn.mesh.links[link]?.peer else { return }
    invitations.send(to: peer, on: link, in: &turn)
    settleInvitations(with: peer, in: &turn)
  }

  /// Tells the other end of a link that it is held as a member; when both ends have said so the link is a member's.
  mutating func admit(_ link: LinkRef, in turn: inout Turn) {
    // While the two ends owe each other a proof; this follows it.
    guard turn.mesh.links.isProven(link) else { return }
    guard let isNews = applicants.update(link, { $0.admit() }) else { return }
    if isNews {
      // Longer than the other side waits for a stranger: if it refuses, that has to be heard, or it is dialled without end.
      turn.tell(.extend(link, until: turn.now + ProtocolLimits.strangerTime + ProtocolLimits.helloTime))
      turn.send(.admit, on: link)
      turn.tell(.admitting(link))
    }
    promote(link, in: &turn)
  }

  private mutating func promote(_ link: LinkRef, in turn: inout Turn) {
    let now = turn.now
    if applicants.update(link, { $0.promote(at: now) }) == true { turn.tell(.linked(link)) }
  }

  /// The other side holds this node as a member.
  private mutating func receiveAdmit(on link: LinkRef, in turn: inout Turn) {
    guard applicants.has(link), let node = turn.mesh.links.node(link) else { return }
    applicants[link]?.theyAdmit = true
    if let entry = takeBack(node, on: link, in: &turn) {
      spread(entry, in: &turn)
    } else if admissions.has(node.peer) {
      enter(node.peer, on: link, in: &turn)
    } else if invitations.invites(node.peer), !roster.admits(node.peer) {
      // An invitation of ours is answered by admission alone when the other side was a member all along.
      join(node.peer, on: link, isEntering: true, in: &turn)
    } else {
      promote(link, in: &turn)
    }
  }

  /// Takes back a peer that has not left as others said, or refused this one when it knew no better, and holds this node as
  /// a member.
  private mutating func takeBack(_ node: NodeID, on link: LinkRef, in turn: inout Turn) -> RosterEntry? {
    guard let known = roster[node.peer], disputes.isWrong(known, of: node), turn.mesh.governance.mayReturn(node.peer),
      let applicant = applicants[link]
    else { return nil }
    return book.update(node.peer, in: &turn) {
      $0.status = .present
      guard $0.incarnation != node.incarnation else { return }
      $0.incarnation = node.incarnation
      $0.name = applicant.hello.name
      $0.addresses = applicant.addresses
    }
  }

  /// Welcomes a new neighbour among the members: with the roster and the rules.
  mutating func welcome(_ link: LinkRef, in turn: inout Turn) {
    guard let peer = turn.mesh.links[link]?.peer, let applicant = applicants[link] else { return }
    members.prove(applicant.addresses, of: peer)
    disputes.linked(peer)
    turn.send(roster.entries, on: link)
    turn.send(disputes.witnesses.all, on: link)
    rules.introduce(on: link, in: &turn)
  }

  /// A new neighbour has heard everything: its invitations are settled, and since the network may have changed others are
  /// dialled.
  mutating func settle(_ link: LinkRef, in turn: inout Turn) {
    guard let peer = turn.mesh.links[link]?.peer else { return }
    settleInvitations(with: peer, in: &turn)
    hastenDials(in: &turn)
  }

  private mutating func settleInvitations(with peer: PeerID, in turn: inout Turn) {
    if turn.mesh.hasMemberLink(to: peer) { invitations.settle(with: peer, in: &turn) }
  }

  /// A stranger's time is over, unless an invitation still waits for its answer.
  mutating func strangerExpired(_ link: LinkRef, in turn: inout Turn) {
    guard let peer = turn.mesh.links[link]?.peer else { return }
    if invitations.has(peer) {
      turn.tell(.extend(link, until: turn.now + ProtocolLimits.strangerTime))
    } else {
      // A peer that is held as a member is not refused because its own word does not come through.
      turn.tell(.close(link, applicants[link]?.weAdmit == true ? .timedOut : .refused))
    }
  }

  // MARK: Invitations

  /// The other side invites this node.
  private mutating func receiveInvite(_ invite: Invite, on link: LinkRef, in turn: inout Turn) {
    guard let peer = turn.mesh.links[link]?.peer, let applicant = applicants[link],
      turn.mesh.links.carrier(of: peer) == link
    else { return }
    // Peers that invite each other have already agreed; a member needs no second answer.
    if invitations.invites(peer) || roster.admits(peer) {
      accept(invite.number, from: peer, on: link, in: &turn)
    } else if let reason = turn.mesh.refusal(of: peer, by: turn.me.peer) {
      turn.tell(.close(link, reason))
    } else if applicants.update(link, { $0.invites() }) == false {
      turn.tell(.close(link, .limitExceeded))
    } else {
      invitations.receive(invite, from: peer, name: applicant.hello.name, on: link, in: &turn)
    }
  }

  private mutating func accept(_ number: UInt64, from peer: PeerID, on link: LinkRef, in turn: inout Turn) {
    if let reason = turn.mesh.refusal(of: peer, by: turn.me.peer) { return turn.tell(.close(link, reason)) }
    turn.answer(number, .accept, on: link)
    invitations.withdraw(from: peer, in: &turn)
    // Of two that invited each other the lower id counts as the one who was joined.
    let isMutual = invitations.invites(peer)
    join(peer, on: link, isEntering: !isMutual || peer < turn.me.peer, in: &turn)
  }

  /// The other side answers an invitation of ours.
  private mutating func receiveAnswer(_ answer: InviteAnswer, on link: LinkRef, in turn: inout Turn) {
    guard let peer = turn.mesh.links[link]?.peer, invitations.isAnswered(by: answer, of: peer) else { return }
    switch answer.decision {
    case .accept: join(peer, on: link, isEntering: false, in: &turn)
    case .decline(let reason):
      invitations.decline(answer.number, by: peer, reason: reason, in: &turn)
      // A stranger's link that has nothing left to say ends.
      if turn.mesh.links.member(link) == nil, !invitations.has(peer) { turn.tell(.close(link, .left)) }
    case .busy: invitations.retry(answer.number, of: peer, in: &turn)
    }
  }

  /// The other side withdraws its invitation.
  private mutating func receiveCancel(_ number: UInt64, on link: LinkRef, in turn: inout Turn) {
    if let peer = turn.mesh.links[link]?.peer { invitations.receiveCancel(number, from: peer, in: &turn) }
  }

  /// Accepts the peer at the other end of a link, which takes its place when it has admitted this node too.
  ///
  /// - Parameter isEntering: Whether this node enters the other's session rather than the other this one: then, if it
  ///   was alone, it gives up being host and its own rules, and never takes over.
  mutating func join(_ peer: PeerID, on link: LinkRef, isEntering: Bool, in turn: inout Turn) {
    guard !roster.admits(peer) else { return admit(link, in: &turn) }
    if let reason = turn.mesh.refusal(of: peer, by: turn.me.peer) { return turn.tell(.close(link, reason)) }
    admissions.begin(peer, isEntering: turn.mesh.enters(peer) ?? isEntering, at: turn.now)
    if turn.mesh.governance.isOwned { turn.tell(.accepted(link)) }
    if applicants[link]?.theyAdmit == true { enter(peer, on: link, in: &turn) } else { admit(link, in: &turn) }
  }

  /// Gives an accepted peer, which has admitted this node too, its place and tells the others.
  private mutating func enter(_ peer: PeerID, on link: LinkRef, in turn: inout Turn) {
    guard let isEntering = admissions.end(peer), let applicant = applicants[link] else { return }
    if let reason = turn.mesh.refusal(of: peer, by: turn.me.peer) { return turn.tell(.close(link, reason)) }
    members.locate(peer, isLocal: turn.mesh.links[link]?.remote.host.isLoopback == true)
    if isEntering, roster.presentCount == 1 { tellEntry(on: link, in: &turn) }
    guard let entry = book.admit(peer, applicant, in: &turn) else { return turn.tell(.close(link, .limitExceeded)) }
    spread(entry, in: &turn)
  }

  /// This node, alone before, enters another session: its own rules count no more.
  mutating func forgetRules(in turn: inout Turn) { rules.forget(in: &turn) }

  // MARK: Links that end

  /// Records why a link has ended, if that says why its peer stays away.
  mutating func noteEnd(of closed: ClosedLink) { members.noteEnd(of: closed) }

  /// Dials a member whose link is gone.
  mutating func redial(_ closed: ClosedLink, in turn: inout Turn) {
    guard let since = applicants[closed.link]?.memberSince else { return }
    members.redial(closed.peer, linkedSince: since, in: &turn)
  }

  /// Draws the consequences of what the other side said last.
  mutating func heed(_ closed: ClosedLink, in turn: inout Turn) {
    guard case .goodbye(let reason) = closed.cause else { return }
    if closed.isLast { _ = admissions.end(closed.peer) }
    let weAdmit = applicants[closed.link]?.weAdmit == true
    switch reason {
    case .left where closed.wasMember || weAdmit:
      if closed.wasMember, let node = closed.node { disputes.departed(node) }
      markOut(closed.peer, .left, reason: .left, in: &turn)
    case .kicked where roster.admits(closed.peer) && disputes.believesOwnRemoval(from: closed.peer, in: turn):
      turn.tell(.finish(.kicked))
    case .refused where weAdmit, .locked where weAdmit, .limitExceeded where weAdmit && !closed.wasMember:
      markOut(closed.peer, .left, reason: reason, in: &turn)
    case .left, .kicked, .refused, .locked, .limitExceeded, .duplicate, .versionMismatch, .identityMismatch,
      .ownIdentity, .protocolError, .timedOut, .otherService, .connectionLost, .replaced, .passcodeRequired,
      .passcodeRefused, .passcodeLocked, .passcodeWait, .codeRequired, .codeRefused, .codeBusy, .driverRequired,
      .authenticationFailed:
      break
    }
  }

  /// Ends the invitations that a link has taken with it, and the book on it.
  mutating func failInvitations(_ closed: ClosedLink, in turn: inout Turn) {
    let wasAdmitted = applicants.end(closed.link)?.weAdmit == true
    invitations.fail(with: closed, wasAdmitted: wasAdmitted, in: &turn)
  }
}
