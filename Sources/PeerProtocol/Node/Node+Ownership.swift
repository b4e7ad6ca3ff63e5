package import AnchorReplication
package import Basics
package import WorldModel

/// Asking for ownership, releasing and giving it.
///
/// Ownership is advisory: it binds those who ask, and no edit is ever refused by it. The host grants; of two grants the one
/// with the higher (epoch, number) stands everywhere, so that after a partition the later host's grant wins.
extension Node {
  /// Sets out to fulfil a wish; ``NodeEvent/ownershipSettled(_:_:)`` tells what becomes of it, perhaps at once.
  package mutating func wish(
    _ id: OwnershipRequestID, _ wish: OwnershipWish, of anchor: AnchorID, timeout: Duration, at now: Instant
  ) {
    guard let before = anchors.lock(of: anchor) else { return tell(.ownershipSettled(id, .unknownAnchor)) }
    if case .own = wish {
    } else if before.holder(at: sessionTime(at: now)) != me.peer {
      return tell(.ownershipSettled(id, .notOwner))
    }
    guard ownership.requests.count < ProtocolLimits.ownershipRequests else {
      return tell(.ownershipSettled(id, .unanswered))
    }
    ownership.requests.append(
      OwnershipDesk.Request(
        id: id, wish: wish, anchor: anchor, before: before,
        deadline: now + min(timeout, ProtocolTimes.ownershipWait)))
    runOwnership(at: now)
  }

  /// Gives a wish up; nothing is told, and a grant that is on its way stands.
  package mutating func dropWish(_ id: OwnershipRequestID) {
    ownership.requests.removeAll { $0.id == id }
  }

  /// Who owns an anchor, by which grant; nil when nobody does, or the anchor is unknown.
  package func owner(of anchor: AnchorID, at now: Instant) -> AnchorLock? {
    guard let lock = anchors.lock(of: anchor), lock.holder(at: sessionTime(at: now)) != nil else { return nil }
    return lock
  }

  /// Settles what is settled or over, and repeats what nobody has answered.
  mutating func runOwnership(at now: Instant) {
    for request in ownership.requests where result(of: request, at: now) == nil {
      if request.askedAt.map({ now - $0 >= ProtocolTimes.ownershipRepeat }) ?? true { ask(request, at: now) }
    }
    for request in ownership.requests {
      if let result = result(of: request, at: now) { settle(request.id, result) }
    }
    for hearing in ownership.hearings where hearing.deadline <= now { refuse(hearing.request, at: now) }
    ownership.hearings.removeAll { $0.deadline <= now }
    ownership.questions.removeAll { $0.deadline <= now }
  }

  private func result(of request: OwnershipDesk.Request, at now: Instant) -> OwnershipResult? {
    guard let lock = anchors.lock(of: request.anchor) else { return .unknownAnchor }
    let isMet =
      switch request.wish {
      case .own: lock.owner == me.peer && lock.isLater(than: request.before)
      case .release: lock.owner != me.peer
      case .give(let peer): lock.owner == peer
      }
    if isMet { return .met(lock) }
    return request.deadline <= now ? .unanswered : nil
  }

  mutating func settle(_ id: OwnershipRequestID, _ result: OwnershipResult) {
    guard ownership.requests.contains(where: { $0.id == id }) else { return }
    ownership.requests.removeAll { $0.id == id }
    tell(.ownershipSettled(id, result))
  }

  /// Brings a wish before the host, as soon as there is one.
  private mutating func ask(_ request: OwnershipDesk.Request, at now: Instant) {
    guard let index = ownership.requests.firstIndex(where: { $0.id == request.id }) else { return }
    ownership.requests[index].askedAt = now
    guard let host else { return }
    let kind: OwnershipFrame.Kind
    var subject = me.peer
    var lease: UInt32 = 0
    switch request.wish {
    case .own(let duration): (kind, lease) = (.request, duration.map { max(1, $0.milliseconds) } ?? 0)
    case .release: kind = .release
    case .give(let peer): (kind, subject) = (.give, peer)
    }
    var frame = OwnershipFrame(
      kind: kind, from: me, to: host, anchor: request.anchor, number: request.id.rawValue, subject: subject)
    frame.lease = lease
    frame.wait = (request.deadline - now).milliseconds
    if host == me { decide(frame, at: now) } else { route(frame) }
  }

  mutating func receiveOwnership(_ frame: OwnershipFrame, from link: Link, at now: Instant) {
    guard isForMe(frame, from: link) else { return }
    switch frame.kind {
    case .request, .release, .give:
      // Who is host no longer says nothing: the request comes again, to the new one.
      if host == me { decide(frame, at: now) }
    case .question: consider(frame, at: now)
    case .consent, .refusal:
      if let hearing = takeHearing(answeredBy: frame) {
        close(hearing, isGranted: frame.kind == .consent, at: now)
      } else if frame.kind == .refusal, frame.subject == me.peer {
        settle(OwnershipRequestID(rawValue: frame.number), .declined)
      }
    }
  }

  /// The owner is asked: by itself it agrees, unless the app wants to decide.
  mutating func consider(_ frame: OwnershipFrame, at now: Instant) {
    guard configuration.asksBeforeGiving else { return answer(frame, accepts: true, at: now) }
    let known = ownership.questions.firstIndex {
      $0.frame.subject == frame.subject && $0.frame.number == frame.number && $0.frame.anchor == frame.anchor
    }
    if let known {
      ownership.questions[known].frame = frame
      return
    }
    guard ownership.questions.count < ProtocolLimits.ownershipRequests else { return }
    let id = OwnershipQuestionID(rawValue: freshNumber())
    let wait = min(.milliseconds(frame.wait), ProtocolTimes.ownershipWait)
    ownership.questions.append(OwnershipDesk.Question(id: id, frame: frame, deadline: now + wait))
    tell(.ownershipRequested(id, frame.anchor, by: frame.subject))
  }

  /// The app's answer as owner; one that comes too late has no effect.
  package mutating func answerOwnership(_ id: OwnershipQuestionID, accepts: Bool, at now: Instant) {
    guard let index = ownership.questions.firstIndex(where: { $0.id == id }) else { return }
    answer(ownership.questions.remove(at: index).frame, accepts: accepts, at: now)
  }

  private mutating func answer(_ question: OwnershipFrame, accepts: Bool, at now: Instant) {
    var reply = question
    reply.kind = accepts ? .consent : .refusal
    reply.hops = 0
    reply.to = question.from
    reply.from = me
    guard reply.to == me else { return route(reply) }
    if let hearing = takeHearing(answeredBy: reply) { close(hearing, isGranted: accepts, at: now) }
  }
}

extension Duration {
  /// Whole milliseconds, from none to 49 days.
  fileprivate var milliseconds: UInt32 { UInt32(clamping: wholeNanoseconds / 1_000_000) }
}
