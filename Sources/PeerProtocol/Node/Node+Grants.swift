import AnchorReplication
import Basics
import WorldModel

/// What the host does about ownership.
extension Node {
  /// Decides on a request of another member, or of this node itself.
  mutating func decide(_ frame: OwnershipFrame, at now: Instant) {
    // An anchor that has not arrived here yet: the request comes again.
    guard let lock = anchors.lock(of: frame.anchor) else { return }
    let holder = lock.holder(at: sessionTime(at: now))
    switch frame.kind {
    case .release:
      if lock.owner == frame.from.peer { grant(frame, to: nil, at: now) }
    case .give:
      if holder == frame.from.peer, isPresent(frame.subject) { grant(frame, to: frame.subject, at: now) }
    default:
      guard let holder, holder != frame.from.peer else { return grant(frame, to: frame.from.peer, at: now) }
      if isPresent(holder) {
        hear(frame, owner: holder, at: now)
      } else if configuration.keepsOrphans {
        refuse(frame, at: now)
      } else {
        grant(frame, to: frame.from.peer, at: now)
      }
    }
  }

  /// Asks the owner; what comes again is asked again, and has one answer.
  private mutating func hear(_ frame: OwnershipFrame, owner: PeerID, at now: Instant) {
    let isKnown = ownership.hearings.contains {
      $0.request.from == frame.from && $0.request.number == frame.number && $0.owner == owner
    }
    if !isKnown {
      guard ownership.hearings.count < ProtocolLimits.ownershipRequests else { return }
      let wait = min(.milliseconds(frame.wait), ProtocolTimes.ownershipWait)
      ownership.hearings.append(OwnershipDesk.Hearing(request: frame, owner: owner, deadline: now + wait))
    }
    guard let node = owner == me.peer ? me : roster[owner]?.node else { return }
    var question = frame
    question.kind = .question
    question.hops = 0
    question.from = me
    question.to = node
    question.subject = frame.from.peer
    if node == me { consider(question, at: now) } else { route(question) }
  }

  /// Takes out the hearing that an owner's answer is about; nil when there is none, or this node is host no longer.
  mutating func takeHearing(answeredBy reply: OwnershipFrame) -> OwnershipDesk.Hearing? {
    let index = ownership.hearings.firstIndex {
      $0.request.from.peer == reply.subject && $0.request.number == reply.number && $0.owner == reply.from.peer
    }
    guard host == me, let index else { return nil }
    return ownership.hearings.remove(at: index)
  }

  /// The owner has answered.
  mutating func close(_ hearing: OwnershipDesk.Hearing, isGranted: Bool, at now: Instant) {
    // The anchor may have changed hands meanwhile: then its new owner has to be asked.
    guard anchors.lock(of: hearing.request.anchor)?.owner == hearing.owner else {
      return decide(hearing.request, at: now)
    }
    if isGranted {
      grant(hearing.request, to: hearing.request.from.peer, at: now)
    } else {
      refuse(hearing.request, at: now)
    }
  }

  private mutating func grant(_ frame: OwnershipFrame, to owner: PeerID?, at now: Instant) {
    grant(frame.anchor, to: owner, lease: frame.lease, at: now)
  }

  /// Writes who owns an anchor, for a lease (ms, 0 for no end); everybody learns it like any other edit.
  mutating func grant(_ anchor: AnchorID, to owner: PeerID?, lease: UInt32, at now: Instant) {
    guard let lock = anchors.lock(of: anchor) else { return }
    let time = sessionTime(at: now)
    let end = owner == nil ? 0 : lease == 0 ? AnchorLock.endless : time + UInt64(lease)
    guard let next = lock.successor(owner: owner, until: end, epoch: epoch) else { return }
    // Only a full set or an exhausted clock refuses it: then the requester hears nothing, and gives up in time.
    try? edit(at: now) { anchors, time throws(AnchorError) in
      _ = try anchors.setLock(next, of: anchor, at: time)
    }
  }

  mutating func refuse(_ frame: OwnershipFrame, at now: Instant) {
    var reply = frame
    reply.kind = .refusal
    reply.hops = 0
    reply.from = me
    reply.to = frame.from
    reply.subject = frame.from.peer
    if reply.to == me {
      settle(OwnershipRequestID(rawValue: frame.number), .declined)
    } else {
      route(reply)
    }
  }

  func isPresent(_ peer: PeerID) -> Bool { peer == me.peer || members[peer]?.isJoined == true }
}
