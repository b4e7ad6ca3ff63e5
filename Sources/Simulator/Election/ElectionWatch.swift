import Basics
import PeerProtocol

/// Checks the invariants of the election after every step, from outside, against what the messages said.
///
/// E1 (agreement at rest), E5 and E6 are about whole runs; the worlds check those.
struct ElectionWatch: Sendable {
  /// The look of a node after its last step.
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
    /// The host that it has offered to merge with, and until when, on its own clock.
    var offerTo: NodeID?
    var offerUntil = Instant.zero
    /// From when on it may ask for the host of the session which it has entered as a host, on its own clock.
    var nextAsking = Instant.distantFuture
    /// Until when it must not lose its host to its own clock, after standing still.
    var graceUntil = Instant.zero
    /// When it last came back after standing still.
    var resumedAt: Instant?
  }

  var shadows: [Shadow?]
  /// Every claim there was, by node number: incarnation and epoch.
  private var claims: [[(incarnation: UInt64, epoch: UInt64)]]
  /// The first invariant that did not hold.
  private(set) var violation: String?
  /// Changes of host seen by any node so far.
  private(set) var hostChanges = 0
  /// Claims by any node so far.
  private(set) var claimCount = 0
  /// The transcript, if one is kept.
  var transcript: Transcript
  /// Whether Beats and their Acks are left out of the transcript.
  private let isTerse: Bool
  private let timers = ElectionTimers()

  init(count: Int, transcript: Transcript, isTerse: Bool = false) {
    shadows = Array(repeating: nil, count: count)
    claims = Array(repeating: [], count: count)
    self.transcript = transcript
    self.isTerse = isTerse
  }

  /// Records that an invariant does not hold; the first one counts.
  mutating func fail(_ text: String, at now: Instant) {
    guard violation == nil else { return }
    violation = "\(now) \(text)"
    transcript.add(at: now, "VIOLATION \(text)")
  }

  mutating func started(_ index: Int, _ election: HostElection, at now: Instant) {
    shadows[index] = Shadow(me: election.me)
    transcript.add(at: now, "\(index + 1) starts")
  }

  mutating func resumed(_ index: Int, _ election: HostElection, slept: Int64, local: Instant, at now: Instant) {
    transcript.add(at: now, "\(index + 1) goes on")
    shadows[index]?.resumedAt = now
    let late = election.deadline.map { local.nanoseconds(since: $0) } ?? 0
    if max(late, slept) > timers.stall { grantGrace(index, at: now) }
  }

  /// A few milliseconds less than a lease allow for drift between the clocks.
  private mutating func grantGrace(_ index: Int, at now: Instant) {
    guard shadows[index]?.host != nil else { return }
    shadows[index]?.graceUntil = now.advanced(byNanoseconds: timers.lease - 5_000_000)
  }

  /// A node's election has handled one input or one deadline.
  mutating func stepped(_ index: Int, _ step: ElectionObservation) {
    let now = step.now
    if case .stalled(let gap) = step.wish {
      if shadows[index]?.resumedAt != now { fail("E7 \(index + 1) takes itself for late and is not", at: now) }
      if gap.wholeNanoseconds > timers.stall { grantGrace(index, at: now) }
    }
    guard var shadow = shadows[index] else { return }
    let before = shadow
    let election = step.election
    if let heard = step.heard, election.isPlausible(heard.message.highestEpoch) {
      shadow.maxEpochHeard = max(shadow.maxEpochHeard, heard.message.highestEpoch)
    }
    shadow.host = election.host
    shadow.epoch = election.epoch
    shadow.role = election.role
    shadow.leaseUntil = election.leaseUntil
    shadow.sessionTime = election.sessionTime(at: step.local)
    for output in step.said { inspect(output, of: index, &shadow, step) }
    checkState(index, before, shadow, at: now)
    if shadow.leaseUntil != before.leaseUntil { checkLease(index, before, shadow, step) }
    if before.host != shadow.host, before.host != nil { checkChange(index, before, shadow, step) }
    checkMerge(index, shadow, step)
    // A lock ends with the answer, with a word of that node that it follows already, and with the reign it was made in.
    switch step.heard?.message {
    case .yield: shadow.offerTo = nil
    case .ack where step.heard?.from == shadow.offerTo: shadow.offerTo = nil
    case .ack, .beat, .preClaim, .preNack, .stepDown, .offer, .win, .handover, .resign, .request, .seat, nil: break
    }
    if shadow.role != .host { (shadow.offerTo, shadow.nextAsking) = (nil, .distantFuture) }
    if case .join? = step.wish, shadow.role == .host {
      shadow.nextAsking = step.local.advanced(byNanoseconds: timers.lease)
    }
    checkReply(index, before, step)
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
    _ output: ElectionOutput, of index: Int, _ shadow: inout Shadow, _ step: ElectionObservation
  ) {
    let now = step.now
    switch output {
    case .hostChanged(let from, let to, let epoch, let reason):
      if from != to { hostChanges += 1 }
      transcript.add(at: now, "\(index + 1) host \(Self.name(from)) -> \(Self.name(to)) epoch \(epoch) \(reason)")
      if to == shadow.me { checkClaim(index, &shadow, epoch, at: now) }
      if reason == .expired, now < shadow.graceUntil {
        fail("E7 \(index + 1) suspects its host right after standing still", at: now)
      }
      // A newly followed host, the same one too, may be known by hearsay, and that lease is not a full one.
      shadow.graceUntil = .zero
    case .broadcast(let message):
      if isTold(message) { transcript.add(at: now, "\(index + 1) to all: \(message.brief)") }
    case .send(let message, let receiver):
      if case .offer = message {
        shadow.offerTo = receiver
        shadow.offerUntil = step.local.advanced(byNanoseconds: timers.offer)
      }
      checkHearsay(message, shadow, index, local: step.local, at: now)
      if isTold(message) { transcript.add(at: now, "\(index + 1) to \(Self.name(receiver)): \(message.brief)") }
    case .joinSequenceChanged(let sequence): transcript.add(at: now, "\(index + 1) is number \(sequence) to join")
    }
  }

  private func isTold(_ message: ElectionMessage) -> Bool {
    switch message {
    case .beat, .ack: !isTerse
    case .preClaim, .preNack, .stepDown, .offer, .win, .yield, .handover, .resign, .request, .seat: true
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
    case .beat, .ack, .preClaim, .offer, .win, .yield, .handover, .resign, .request, .seat: return
    }
    let limit = shadow.role == .host ? timers.lease : shadow.leaseUntil?.nanoseconds(since: local) ?? 0
    if Int64(claimed) * 1_000_000 > max(0, limit) {
      fail("E3 \(index + 1) tells of a longer lease than it has", at: now)
    }
  }

  /// E3: a lease comes from a Beat of the host, or in part from a node that passes on its own.
  private mutating func checkLease(
    _ index: Int, _ before: Shadow, _ shadow: Shadow, _ step: ElectionObservation
  ) {
    guard let until = shadow.leaseUntil else { return }
    let (now, granted) = (step.now, until.nanoseconds(since: step.local))
    if now < shadow.graceUntil, shadow.host == before.host, granted <= timers.lease { return }
    var limit: Int64 = 0
    if let heard = step.heard {
      switch heard.message {
      case .beat(let beat):
        let isCurrent = before.host != heard.from || beat.epoch >= before.epoch
        if heard.from == shadow.host, isCurrent { limit = timers.lease }
      case .offer, .win: limit = heard.from == shadow.host ? timers.lease : 0
      case .preNack(let nack): limit = nack.host == shadow.host ? Int64(nack.leaseRemaining) * 1_000_000 : 0
      case .stepDown(let stepDown):
        limit = stepDown.to == shadow.host ? Int64(stepDown.leaseRemaining) * 1_000_000 : 0
      case .ack, .preClaim, .yield, .handover, .resign, .request, .seat: break
      }
    }
    if granted > min(limit, timers.lease) {
      fail("E3 \(index + 1) believes in \(Self.name(shadow.host)) for \(granted) ns without a reason", at: now)
    }
  }

  /// E4: a believed host changes only by its own word, and a host steps down only as the rules say.
  private mutating func checkChange(
    _ index: Int, _ before: Shadow, _ shadow: Shadow, _ step: ElectionObservation
  ) {
    let former = before.host
    if case .left(let gone) = step.wish, gone == former { return }
    if before.role == .host {
      checkStepDown(index, before, shadow, step)
      return
    }
    guard let until = before.leaseUntil, step.local < until else { return }
    if let heard = step.heard, heard.from == former {
      switch heard.message {
      case .stepDown, .resign, .preClaim, .handover: return
      case .beat, .ack, .preNack, .offer, .win, .yield, .request, .seat: break
      }
    }
    fail("E4 \(index + 1) leaves \(Self.name(former)) for \(Self.name(shadow.host)) within its lease", at: step.now)
  }

  private mutating func checkStepDown(
    _ index: Int, _ before: Shadow, _ shadow: Shadow, _ step: ElectionObservation
  ) {
    switch step.wish {
    case .resign, .join: return
    case .left, .other, .stalled, nil: break
    }
    let (now, from) = (step.now, step.heard?.from)
    switch step.heard?.message {
    case .offer:
      guard let locked = before.offerTo, locked != from, step.local < before.offerUntil else { return }
      fail("E4 \(index + 1) yields to \(Self.name(from)) while it waits for \(Self.name(locked))", at: now)
    case .win where from == before.offerTo: return
    case .beat where from == shadow.host: return
    case nil where step.local >= before.nextAsking && shadow.role == .canvassing: return
    case .beat, .ack, .preClaim, .preNack, .stepDown, .win, .yield, .handover, .resign, .request, .seat, nil:
      fail("E4 \(index + 1) stops being host without a reason", at: now)
    }
  }

  /// E2: the winner of a merge reigns above both epochs.
  private mutating func checkMerge(_ index: Int, _ shadow: Shadow, _ step: ElectionObservation) {
    guard case .yield(let yield)? = step.heard?.message, shadow.role == .host,
      step.election.isPlausible(yield.maxEpoch)
    else { return }
    if shadow.epoch <= yield.maxEpoch {
      fail("E2 \(index + 1) keeps epoch \(shadow.epoch) after a merge", at: step.now)
    }
  }

  /// Rule 5: a node that is not host but has one says so to a node that takes it for the host.
  private mutating func checkReply(_ index: Int, _ before: Shadow, _ step: ElectionObservation) {
    guard let heard = step.heard, case .ack = heard.message, let until = before.leaseUntil, step.local < until,
      before.host != heard.from, step.election.isPlausible(heard.message.highestEpoch)
    else { return }
    let hasReplied = step.said.contains {
      guard case .send(.stepDown, to: heard.from) = $0 else { return false }
      return true
    }
    if !hasReplied { fail("rule 5: \(index + 1) is not host and leaves an Ack unanswered", at: step.now) }
  }

  private static func name(_ node: NodeID?) -> String {
    node.map { String(ElectionPeer.index(of: $0) + 1) } ?? "none"
  }
}
