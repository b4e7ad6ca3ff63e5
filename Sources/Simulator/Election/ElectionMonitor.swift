package import PeerProtocol

/// Checks the invariants of the election after every step, from outside, against what the messages said.
///
/// E1 (agreement at rest), E5 and E6 are about whole runs; ``ElectionWorld`` checks those.
package struct ElectionMonitor: SimulationMonitor {
  package typealias Node = ElectionPeer

  /// What a node looked like after its last step.
  struct Shadow: Sendable {
    var me: NodeID
    var host: NodeID?
    var epoch: UInt64 = 0
    var role = ElectionRole.waiting
    var leaseUntil: Instant?
    var sessionTime: UInt64 = 0
    /// The highest epoch in any message it was given.
    var maxEpochHeard: UInt64 = 0
    var lastClaim: UInt64 = 0
    /// Whom it has offered to merge with, and until when, on its own clock.
    var offerTo: NodeID?
    var offerUntil = Instant.zero
    /// Until when it must not lose its host to its own clock, after standing still.
    var graceUntil = Instant.zero
  }

  var shadows: [Shadow?]
  /// Every claim there was, by node number: incarnation and epoch.
  private var claims: [[(incarnation: UInt64, epoch: UInt64)]]
  /// The first invariant that did not hold.
  package private(set) var violation: String?
  /// Changes of host seen by any node so far.
  package private(set) var hostChanges = 0
  /// Claims by any node so far.
  package private(set) var claimCount = 0
  /// What happened, if it is recorded.
  package internal(set) var transcript: Transcript
  private let timers = ElectionTimers()

  package init(count: Int, transcript: Transcript) {
    shadows = Array(repeating: nil, count: count)
    claims = Array(repeating: [], count: count)
    self.transcript = transcript
  }

  /// Records that an invariant does not hold; the first one counts.
  mutating func fail(_ text: String, at now: Instant) {
    guard violation == nil else { return }
    violation = "\(now) \(text)"
    transcript.add(at: now, "VIOLATION \(text)")
  }

  package mutating func started(_ index: Int, node: borrowing ElectionPeer, at now: Instant) {
    shadows[index] = Shadow(me: node.election.me)
    transcript.add(at: now, "\(index + 1) starts")
  }

  package mutating func resumed(
    _ index: Int, node: borrowing ElectionPeer, slept: Int64, local: Instant, at now: Instant
  ) {
    transcript.add(at: now, "\(index + 1) goes on")
    let late = node.election.deadline.map { local.nanoseconds(since: $0) } ?? 0
    // A few milliseconds less than a lease allow for drift between the clocks.
    if shadows[index]?.host != nil, max(late, slept) > timers.stall {
      shadows[index]?.graceUntil = now.advanced(byNanoseconds: timers.lease - 5_000_000)
    }
  }

  package mutating func stepped(_ index: Int, node: borrowing ElectionPeer, local: Instant, at now: Instant) {
    guard var shadow = shadows[index] else { return }
    let before = shadow
    if let heard = node.heard {
      shadow.maxEpochHeard = max(shadow.maxEpochHeard, heard.message.highestEpoch)
    }
    let election = node.election
    shadow.host = election.host
    shadow.epoch = election.epoch
    shadow.role = election.role
    shadow.leaseUntil = election.leaseUntil
    shadow.sessionTime = election.sessionTime(at: local)
    for output in node.said { inspect(output, of: index, before, &shadow, node, local: local, at: now) }
    checkState(index, before, shadow, at: now)
    if shadow.leaseUntil != before.leaseUntil {
      checkLease(index, before, shadow, node, local: local, at: now)
    }
    if before.host != shadow.host, before.host != nil {
      checkChange(index, before, shadow, node, local: local, at: now)
    }
    if before.host != shadow.host { shadow.graceUntil = .zero }
    checkMerge(index, shadow, node, at: now)
    // A lock ends with the answer, and with the reign it was made in.
    if case .yield? = node.heard?.message { shadow.offerTo = nil }
    if shadow.role != .host { shadow.offerTo = nil }
    checkReply(index, before, node, local: local, at: now)
    shadows[index] = shadow
  }

  /// Role, host and time agree with each other.
  private mutating func checkState(_ index: Int, _ before: Shadow, _ shadow: Shadow, at now: Instant) {
    let isSound =
      switch shadow.role {
      case .host: shadow.host == shadow.me
      case .follower: shadow.host != nil && shadow.host != shadow.me
      case .waiting, .canvassing: shadow.host == nil
      }
    if !isSound { fail("E1 \(index + 1) is \(shadow.role) with host \(Self.name(shadow.host))", at: now) }
    if shadow.sessionTime < before.sessionTime { fail("session time of \(index + 1) runs backwards", at: now) }
  }

  /// Looks at one thing a node did.
  private mutating func inspect(
    _ output: ElectionOutput, of index: Int, _ before: Shadow, _ shadow: inout Shadow, _ node: borrowing ElectionPeer,
    local: Instant, at now: Instant
  ) {
    switch output {
    case .hostChanged(let from, let to, let epoch, let reason):
      if from != to { hostChanges += 1 }
      transcript.add(at: now, "\(index + 1) host \(Self.name(from)) -> \(Self.name(to)) epoch \(epoch) \(reason)")
      if to == shadow.me { checkClaim(index, &shadow, epoch, at: now) }
      if reason == .expired, now < shadow.graceUntil {
        fail("E7 \(index + 1) suspects its host right after standing still", at: now)
      }
    case .broadcast(let message):
      transcript.add(at: now, "\(index + 1) to all: \(message.brief)")
    case .send(let message, let receiver):
      if case .offer = message {
        shadow.offerTo = receiver
        shadow.offerUntil = local.advanced(byNanoseconds: timers.offer)
      }
      checkHearsay(message, shadow, index, local: local, at: now)
      transcript.add(at: now, "\(index + 1) to \(Self.name(receiver)): \(message.brief)")
    case .joinSequenceChanged(let sequence): transcript.add(at: now, "\(index + 1) is number \(sequence) to join")
    }
  }

  /// E2: claims rise, are above all that was heard, and no node claims an epoch twice.
  private mutating func checkClaim(
    _ index: Int, _ shadow: inout Shadow, _ epoch: UInt64, at now: Instant
  ) {
    if epoch <= shadow.lastClaim { fail("E2 \(index + 1) claims epoch \(epoch) after \(shadow.lastClaim)", at: now) }
    if epoch <= shadow.maxEpochHeard {
      fail("E2 \(index + 1) claims epoch \(epoch) and has heard of \(shadow.maxEpochHeard)", at: now)
    }
    shadow.lastClaim = epoch
    let incarnation = shadow.me.incarnation
    if claims[index].contains(where: { $0.epoch == epoch && $0.incarnation == incarnation }) {
      fail("E2 \(index + 1) claims epoch \(epoch) twice", at: now)
    }
    claims[index].append((incarnation, epoch))
    claimCount += 1
  }

  /// E3: nobody passes on more of a lease than it has.
  private mutating func checkHearsay(
    _ message: ElectionMessage, _ shadow: Shadow, _ index: Int, local: Instant, at now: Instant
  ) {
    let claimed: UInt32
    switch message {
    case .preNack(let nack): claimed = nack.leaseRemaining
    case .stepDown(let stepDown): claimed = stepDown.leaseRemaining
    default: return
    }
    let limit = shadow.role == .host ? timers.lease : shadow.leaseUntil?.nanoseconds(since: local) ?? 0
    if Int64(claimed) * 1_000_000 > max(0, limit) {
      fail("E3 \(index + 1) tells of a longer lease than it has", at: now)
    }
  }

  /// E3: a lease comes from a Beat of the host, or in part from whoever passes on its own.
  private mutating func checkLease(
    _ index: Int, _ before: Shadow, _ shadow: Shadow, _ node: borrowing ElectionPeer, local: Instant, at now: Instant
  ) {
    guard let until = shadow.leaseUntil else { return }
    let granted = until.nanoseconds(since: local)
    if now < shadow.graceUntil, shadow.host == before.host, granted <= timers.lease { return }
    var limit: Int64 = 0
    if let heard = node.heard {
      switch heard.message {
      case .beat(let beat):
        let isCurrent = before.host != heard.from || beat.epoch >= before.epoch
        if heard.from == shadow.host, isCurrent { limit = timers.lease }
      case .offer, .win: limit = heard.from == shadow.host ? timers.lease : 0
      case .preNack(let nack): limit = nack.host == shadow.host ? Int64(nack.leaseRemaining) * 1_000_000 : 0
      case .stepDown(let stepDown):
        limit = stepDown.to == shadow.host ? Int64(stepDown.leaseRemaining) * 1_000_000 : 0
      default: break
      }
    }
    if granted > min(limit, timers.lease) {
      fail("E3 \(index + 1) believes in \(Self.name(shadow.host)) for \(granted) ns without a reason", at: now)
    }
  }

  /// E4: a believed host changes only by its own word, and a host steps down only as the rules say.
  private mutating func checkChange(
    _ index: Int, _ before: Shadow, _ shadow: Shadow, _ node: borrowing ElectionPeer, local: Instant, at now: Instant
  ) {
    let former = before.host
    if case .left(let gone) = node.wish, gone == former { return }
    if before.role == .host {
      checkStepDown(index, before, shadow, node, local: local, at: now)
      return
    }
    guard let until = before.leaseUntil, local < until else { return }
    if let heard = node.heard, heard.from == former {
      switch heard.message {
      case .stepDown, .resign, .preClaim, .handover: return
      default: break
      }
    }
    fail("E4 \(index + 1) leaves \(Self.name(former)) for \(Self.name(shadow.host)) within its lease", at: now)
  }

  private mutating func checkStepDown(
    _ index: Int, _ before: Shadow, _ shadow: Shadow, _ node: borrowing ElectionPeer, local: Instant, at now: Instant
  ) {
    switch node.wish {
    case .resign, .join: return
    case .left, .other, nil: break
    }
    switch node.heard?.message {
    case .offer:
      guard let locked = before.offerTo, locked != node.heard?.from, local < before.offerUntil else { return }
      fail("E4 \(index + 1) yields to \(Self.name(node.heard?.from)) while it waits for \(Self.name(locked))", at: now)
    case .win where node.heard?.from == before.offerTo: return
    case .beat where node.heard?.from == shadow.host: return
    default: fail("E4 \(index + 1) stops being host without a reason", at: now)
    }
  }

  /// E2: the winner of a merge reigns above both epochs.
  private mutating func checkMerge(_ index: Int, _ shadow: Shadow, _ node: borrowing ElectionPeer, at now: Instant) {
    guard case .yield(let yield)? = node.heard?.message, shadow.role == .host else { return }
    if shadow.epoch <= yield.maxEpoch { fail("E2 \(index + 1) keeps epoch \(shadow.epoch) after a merge", at: now) }
  }

  /// Rule 5: a node that is not host but has one says so to whoever takes it for the host.
  private mutating func checkReply(
    _ index: Int, _ before: Shadow, _ node: borrowing ElectionPeer, local: Instant, at now: Instant
  ) {
    guard let heard = node.heard, case .ack = heard.message, let until = before.leaseUntil, local < until,
      before.host != heard.from
    else { return }
    let hasReplied = node.said.contains {
      guard case .send(.stepDown, to: heard.from) = $0 else { return false }
      return true
    }
    if !hasReplied { fail("rule 5: \(index + 1) is not host and leaves an Ack unanswered", at: now) }
  }

  private static func name(_ node: NodeID?) -> String {
    node.map { String(ElectionPeer.index(of: $0) + 1) } ?? "none"
  }
}

extension ElectionMessage {
  /// A few words for a transcript.
  var brief: String {
    switch self {
    case .beat(let beat): "beat epoch \(beat.epoch) size \(beat.size)"
    case .ack(let ack): "ack epoch \(ack.epoch)"
    case .preClaim(let claim): "pre-claim max epoch \(claim.maxEpoch)"
    case .preNack(let nack): "pre-nack \(nack.host == nil ? "better" : "has host") \(nack.leaseRemaining) ms"
    case .stepDown(let stepDown):
      "step-down to \(ElectionPeer.index(of: stepDown.to) + 1) epoch \(stepDown.epoch) \(stepDown.leaseRemaining) ms"
    case .offer(let offer): "offer size \(offer.size) epoch \(offer.epoch)"
    case .win(let win): "win epoch \(win.epoch)"
    case .yield(let yield): "yield max epoch \(yield.maxEpoch)"
    case .handover(let handover): "handover epoch \(handover.epoch)"
    case .resign(let resign): "resign epoch \(resign.epoch)"
    case .request(let request): "request\(request.isExplicit ? "" : " by priority")"
    case .seat(let seat): "seat \(seat.joinSequence)"
    }
  }
}
