import Basics
import PeerProtocol

/// Checks E2, E3 and E4 of one step of one node, against what it was and what it heard.
struct ElectionStepCheck {
  let before: HostElection
  let heard: (message: ElectionMessage, from: NodeID)?
  let now: Instant
  private(set) var violation: String?
  private let timers = ElectionTimers()

  init(before: HostElection, heard: (ElectionMessage, NodeID)?, now: Instant) {
    self.before = before
    self.heard = heard
    self.now = now
  }

  private mutating func fail(_ text: String) { violation = violation ?? text }

  /// Checks that a claim is above every epoch heard (E2) and that nobody tells of a longer lease than it has (E3).
  mutating func inspect(_ output: ElectionOutput) {
    switch output {
    case .hostChanged(_, let host, let epoch, _) where host == before.me:
      let known = max(before.maxEpochSeen, heard?.message.highestEpoch ?? 0)
      if epoch <= known { fail("E2 claims epoch \(epoch), has heard of \(known)") }
    case .send(.preNack(let nack), _): checkHearsay(nack.leaseRemaining, of: nack.host)
    case .hostChanged, .send, .broadcast, .joinSequenceChanged: break
    }
  }

  private mutating func checkHearsay(_ told: UInt32, of host: NodeID?) {
    guard let host, host != before.me, host == before.host else { return }
    let left = before.leaseUntil?.nanoseconds(since: now) ?? 0
    if Int64(told) * 1_000_000 > max(0, left) { fail("E3 tells of a longer lease than it has") }
  }

  mutating func compare(with after: HostElection) {
    if after.leaseUntil != before.leaseUntil { checkLease(after) }
    if after.host != before.host, before.host != nil { checkChange(after) }
    if case .yield(let yield)? = heard?.message, after.isHost, after.epoch <= yield.maxEpoch {
      fail("E2 keeps epoch \(after.epoch) after a merge")
    }
  }

  /// E3: a lease comes from a Beat of the host, or in part from a node that passes on its own.
  private mutating func checkLease(_ after: HostElection) {
    guard let until = after.leaseUntil else { return }
    var limit: Int64 = 0
    switch heard?.message {
    case .beat(let beat):
      let isCurrent = before.host != heard?.from || beat.epoch >= before.epoch
      if heard?.from == after.host, isCurrent { limit = timers.lease }
    case .offer, .win: limit = heard?.from == after.host ? timers.lease : 0
    case .preNack(let nack): limit = nack.host == after.host ? Int64(nack.leaseRemaining) * 1_000_000 : 0
    case .stepDown(let down): limit = down.to == after.host ? Int64(down.leaseRemaining) * 1_000_000 : 0
    case .ack, .preClaim, .yield, .handover, .resign, .request, .seat, nil: break
    }
    if until.nanoseconds(since: now) > min(limit, timers.lease) { fail("E3 believes in its host without a reason") }
  }

  /// E4: a believed host changes only by its own word, and a host steps down only in a merge.
  private mutating func checkChange(_ after: HostElection) {
    let message = heard?.message
    if before.isHost {
      switch message {
      case .offer, .win, .beat: return
      case .ack, .preClaim, .preNack, .stepDown, .yield, .handover, .resign, .request, .seat, nil:
        return fail("E4 stops being host without a reason")
      }
    }
    guard let until = before.leaseUntil, now < until else { return }
    if heard?.from == before.host {
      switch message {
      case .stepDown, .resign, .preClaim, .handover: return
      case .beat, .ack, .preNack, .offer, .win, .yield, .request, .seat, nil: break
      }
    }
    fail("E4 leaves its host within the lease")
  }
}
