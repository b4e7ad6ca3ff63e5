import AnchorReplication
import Basics
import WorldModel

/// The organ of ownership: asking for it, granting it as host, and ending what nobody holds any more.
///
/// Ownership is advisory: it binds those who ask, and no edit is ever refused by it. The host grants, by an operation like any
/// other edit, so that everybody learns it; of two grants the one with the higher (epoch, number) stands everywhere, and after
/// a partition the later host's grant wins. A requester needs no reply: it looks at the lock.
struct Ownership: Organ {
  /// The wishes and questions that are not settled.
  private var desk = OwnershipDesk()
  /// Which owners are missed.
  private var orphans = OrphanWatch()

  /// When something runs out or is to be repeated; nil for never.
  func deadline(in turn: inout Turn) -> Instant? { desk.deadline }

  /// Whether ``conclude(in:)`` has anything to look at.
  func isIdle(at now: Instant) -> Bool { desk.isIdle && now < orphans.nextLook }

  /// Settles what this turn or the time has settled, and frees what nobody holds any more.
  mutating func conclude(in turn: inout Turn) {
    if !desk.isIdle { run(in: &turn) }
    if turn.now >= orphans.nextLook { freeOrphans(in: &turn) }
  }

  // MARK: Commands

  /// Sets out to fulfil a wish; ``NodeEvent/ownershipSettled(_:_:)`` tells what becomes of it, perhaps at once.
  mutating func wish(
    _ id: OwnershipRequestID, _ wish: OwnershipWish, of anchor: AnchorID, timeout: Duration, in turn: inout Turn
  ) {
    guard let before = turn.anchors.lock(of: anchor) else {
      return turn.report(.ownershipSettled(id, .unknownAnchor))
    }
    switch wish {
    case .own: break
    case .release, .give:
      guard before.holder(at: turn.sessionTime) == turn.me.peer else {
        return turn.report(.ownershipSettled(id, .notOwner))
      }
    }
    guard desk.requests.count < ProtocolLimits.ownershipRequests else {
      return turn.report(.ownershipSettled(id, .unanswered))
    }
    desk.requests.append(
      OwnershipDesk.Request(
        id: id, wish: wish, anchor: anchor, before: before,
        deadline: turn.now + min(timeout, ProtocolTimes.ownershipWait)))
    run(in: &turn)
  }

  /// Gives a wish up; nothing is told, and a grant that is on its way stands.
  mutating func dropWish(_ id: OwnershipRequestID) {
    desk.requests.removeAll { $0.id == id }
  }

  /// The app's answer as owner; one that comes too late has no effect.
  mutating func answer(_ id: OwnershipQuestionID, accepts: Bool, in turn: inout Turn) {
    guard let index = desk.questions.firstIndex(where: { $0.id == id }) else { return }
    answer(desk.questions.remove(at: index).frame, accepts: accepts, in: &turn)
  }

  // MARK: Notices

  /// A member has gone: its anchors may be nobody's now.
  mutating func memberGone(in turn: inout Turn) { orphans.nextLook = turn.now }

  /// Grants everybody the time in which this node stood still.
  mutating func excuse(_ gap: Duration, in turn: inout Turn) { orphans.excuse(gap, at: turn.now) }

  // MARK: The requester

  /// Settles what is settled or over, and repeats what nobody has answered.
  private mutating func run(in turn: inout Turn) {
    for request in desk.requests where result(of: request, in: turn) == nil {
      if request.askedAt.map({ turn.now - $0 >= ProtocolTimes.ownershipRepeat }) ?? true { ask(request, in: &turn) }
    }
    for request in desk.requests {
      if let result = result(of: request, in: turn) { settle(request.id, result, in: &turn) }
    }
    for hearing in desk.hearings where hearing.deadline <= turn.now { refuse(hearing.request, in: &turn) }
    desk.hearings.removeAll { $0.deadline <= turn.now }
    desk.questions.removeAll { $0.deadline <= turn.now }
  }

  private func result(of request: OwnershipDesk.Request, in turn: borrowing Turn) -> OwnershipResult? {
    guard let lock = turn.anchors.lock(of: request.anchor) else { return .unknownAnchor }
    let isMet =
      switch request.wish {
      case .own: lock.owner == turn.me.peer && lock.isLater(than: request.before)
      case .release: lock.owner != turn.me.peer
      case .give(let peer): lock.owner == peer
      }
    if isMet { return .met(lock) }
    return request.deadline <= turn.now ? .unanswered : nil
  }

  private mutating func settle(_ id: OwnershipRequestID, _ result: OwnershipResult, in turn: inout Turn) {
    guard desk.requests.contains(where: { $0.id == id }) else { return }
    desk.requests.removeAll { $0.id == id }
    turn.report(.ownershipSettled(id, result))
  }

  /// Brings a wish before the host, as soon as there is one.
  private mutating func ask(_ request: OwnershipDesk.Request, in turn: inout Turn) {
    guard let index = desk.requests.firstIndex(where: { $0.id == request.id }) else { return }
    desk.requests[index].askedAt = turn.now
    guard let host = turn.mesh.host else { return }
    let frame = OwnershipFrame(request, from: turn.me, to: host, at: turn.now)
    if host == turn.me { decide(frame, in: &turn) } else { turn.route(frame) }
  }

  // MARK: Frames

  /// Takes what a member says about ownership, or passes it on.
  mutating func receive(_ body: RawSpan, from sender: MemberLink, in turn: inout Turn) throws(DecodingFailure) {
    let frame = try OwnershipFrame(body: body)
    guard turn.isForMe(frame, from: sender) else { return }
    switch frame.kind {
    case .request, .release, .give:
      // A former host ignores this; the requester retries with the new host.
      if turn.mesh.host == turn.me { decide(frame, in: &turn) }
    case .question: consider(frame, in: &turn)
    case .consent, .refusal:
      if let hearing = takeHearing(answeredBy: frame, in: turn) {
        close(hearing, isGranted: frame.kind == .consent, in: &turn)
      } else if frame.kind == .refusal, frame.subject == turn.me.peer {
        settle(OwnershipRequestID(rawValue: frame.number), .declined, in: &turn)
      }
    }
  }

  // MARK: The owner

  /// The owner is asked: by itself it agrees, unless the app wants to decide.
  private mutating func consider(_ frame: OwnershipFrame, in turn: inout Turn) {
    guard turn.configuration.asksBeforeGiving else { return answer(frame, accepts: true, in: &turn) }
    let known = desk.questions.firstIndex {
      $0.frame.subject == frame.subject && $0.frame.number == frame.number && $0.frame.anchor == frame.anchor
    }
    if let known {
      desk.questions[known].frame = frame
      return
    }
    guard desk.questions.count < ProtocolLimits.ownershipRequests else { return }
    let id = OwnershipQuestionID(rawValue: turn.freshNumber())
    let wait = min(.milliseconds(frame.wait), ProtocolTimes.ownershipWait)
    desk.questions.append(OwnershipDesk.Question(id: id, frame: frame, deadline: turn.now + wait))
    turn.report(.ownershipRequested(id, frame.anchor, by: frame.subject))
  }

  private mutating func answer(_ question: OwnershipFrame, accepts: Bool, in turn: inout Turn) {
    let reply = question.reply(accepts ? .consent : .refusal, from: turn.me, about: question.subject)
    guard reply.to == turn.me else { return turn.route(reply) }
    if let hearing = takeHearing(answeredBy: reply, in: turn) { close(hearing, isGranted: accepts, in: &turn) }
  }

  // MARK: The host

  /// Decides on a request of another member, or of this node itself.
  private mutating func decide(_ frame: OwnershipFrame, in turn: inout Turn) {
    // An anchor that has not arrived here yet: the request comes again.
    guard let lock = turn.anchors.lock(of: frame.anchor) else { return }
    guard mayGrant(frame, in: turn) else { return refuse(frame, in: &turn) }
    let holder = lock.holder(at: turn.sessionTime)
    switch frame.kind {
    case .release:
      if lock.owner == frame.from.peer { grant(frame, to: nil, in: &turn) }
    case .give:
      if holder == frame.from.peer, turn.isPresent(frame.subject) { grant(frame, to: frame.subject, in: &turn) }
    case .request:
      guard let holder, holder != frame.from.peer else { return grant(frame, to: frame.from.peer, in: &turn) }
      if turn.isPresent(holder) {
        hear(frame, owner: holder, in: &turn)
      } else if turn.configuration.keepsOrphans {
        refuse(frame, in: &turn)
      } else {
        grant(frame, to: frame.from.peer, in: &turn)
      }
    case .question, .consent, .refusal: break
    }
  }

  /// Whether all whom a request concerns may write: a guest owns nothing, and as host it grants nothing.
  private func mayGrant(_ frame: OwnershipFrame, in turn: borrowing Turn) -> Bool {
    switch frame.kind {
    case .request: turn.heeds(turn.me.peer) && turn.heeds(frame.from.peer)
    case .give: turn.heeds(turn.me.peer) && turn.heeds(frame.subject)
    case .release, .question, .consent, .refusal: turn.heeds(turn.me.peer)
    }
  }

  /// Asks the owner; what comes again is asked again, and has one answer.
  private mutating func hear(_ frame: OwnershipFrame, owner: PeerID, in turn: inout Turn) {
    let isKnown = desk.hearings.contains {
      $0.request.from == frame.from && $0.request.number == frame.number && $0.owner == owner
    }
    if !isKnown {
      guard desk.hearings.count < ProtocolLimits.ownershipRequests else { return }
      let wait = min(.milliseconds(frame.wait), ProtocolTimes.ownershipWait)
      desk.hearings.append(OwnershipDesk.Hearing(request: frame, owner: owner, deadline: turn.now + wait))
    }
    guard let node = owner == turn.me.peer ? turn.me : turn.mesh.roster[owner]?.node else { return }
    let question = frame.reply(.question, from: turn.me, to: node, about: frame.from.peer)
    if node == turn.me { consider(question, in: &turn) } else { turn.route(question) }
  }

  /// Takes out the hearing that an owner's answer is about; nil when there is none, or this node is host no longer.
  private mutating func takeHearing(
    answeredBy reply: OwnershipFrame, in turn: borrowing Turn
  ) -> OwnershipDesk.Hearing? {
    let index = desk.hearings.firstIndex {
      $0.request.from.peer == reply.subject && $0.request.number == reply.number && $0.owner == reply.from.peer
    }
    guard turn.mesh.host == turn.me, let index else { return nil }
    return desk.hearings.remove(at: index)
  }

  /// The owner has answered.
  private mutating func close(_ hearing: OwnershipDesk.Hearing, isGranted: Bool, in turn: inout Turn) {
    // The anchor may have changed hands meanwhile: then its new owner has to be asked.
    guard turn.anchors.lock(of: hearing.request.anchor)?.owner == hearing.owner else {
      return decide(hearing.request, in: &turn)
    }
    if isGranted {
      grant(hearing.request, to: hearing.request.from.peer, in: &turn)
    } else {
      refuse(hearing.request, in: &turn)
    }
  }

  private func grant(_ frame: OwnershipFrame, to owner: PeerID?, in turn: inout Turn) {
    grant(frame.anchor, to: owner, lease: frame.lease, in: &turn)
  }

  /// Writes who owns an anchor, for a lease (ms, 0 for no end); everybody learns it like any other edit.
  private func grant(_ anchor: AnchorID, to owner: PeerID?, lease: UInt32, in turn: inout Turn) {
    guard let lock = turn.anchors.lock(of: anchor), turn.heeds(turn.me.peer) else { return }
    let end = owner == nil ? 0 : lease == 0 ? AnchorLock.endless : turn.sessionTime + UInt64(lease)
    guard let next = lock.successor(owner: owner, until: end, epoch: turn.mesh.reign.epoch) else { return }
    // Only a full set or an exhausted clock refuses it: then the requester hears nothing, and gives up in time.
    try? turn.edit { anchors, time throws(AnchorError) in
      _ = try anchors.setLock(next, of: anchor, at: time)
    }
  }

  private mutating func refuse(_ frame: OwnershipFrame, in turn: inout Turn) {
    let reply = frame.reply(.refusal, from: turn.me, about: frame.from.peer)
    if reply.to == turn.me {
      settle(OwnershipRequestID(rawValue: frame.number), .declined, in: &turn)
    } else {
      turn.route(reply)
    }
  }

  /// Frees, as host, the anchors that nobody holds any more; at most once a second, or when a member has gone.
  ///
  /// The host alone ends ownership, by a grant to nobody: so everybody is told by the same operation, and its fencing settles
  /// what two hosts do on the two sides of a split. The node is woken that often anyhow.
  private mutating func freeOrphans(in turn: inout Turn) {
    guard turn.configuration.rules.contains(.freesOrphans) else { return }
    orphans.nextLook = turn.now + ProtocolTimes.orphanLook
    let isHost = turn.mesh.host == turn.me
    let owned = isHost && turn.anchors.hasOwnedAnchors ? turn.anchors.ownedAnchors : []
    orphans.look(for: KeySet(owned.compactMap(\.lock.owner)), in: turn)
    let time = turn.sessionTime
    for (anchor, lock) in owned {
      guard let owner = lock.owner, lock.holder(at: time) == nil || orphans.isMissed(owner, in: turn) else { continue }
      grant(anchor, to: nil, lease: 0, in: &turn)
    }
  }
}
