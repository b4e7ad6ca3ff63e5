import AnchorReplication
import Basics

/// Rule 3: what a node without a lease does; and the two transitions everything ends in, following and hosting.
extension HostElection {
  /// Enters a phase; whatever a host was waiting for is forgotten with its reign.
  mutating func enter(_ next: Phase) {
    phase = next
    offer = nil
    handoverTo = nil
  }

  /// Records who is host now, and reports it if that or the epoch is new.
  mutating func changeHost(to next: NodeID?, epoch nextEpoch: UInt64, reason: HostChangeReason) {
    let former = host
    guard former != next || epoch != nextEpoch else { return }
    host = next
    epoch = nextEpoch
    emit(.hostChanged(from: former, to: next, epoch: nextEpoch, reason: reason))
  }

  /// The lease is over: lets better-ranked nodes go first, then canvasses.
  mutating func loseHost(_ reason: HostChangeReason, at now: Instant) {
    let former = host
    changeHost(to: nil, epoch: epoch, reason: reason)
    startWaiting(at: now, without: former)
  }

  /// Waits one STEP for each live node of better rank, but for the host that has just been lost.
  mutating func startWaiting(at now: Instant, without former: NodeID? = nil) {
    let timers = configuration.timers
    let mine = rank
    let better = members.count { $0.canHost && $0.rank < mine && $0.node != former }
    let delay = min(timers.longestWait, timers.step * Int64(better))
    enter(.waiting(until: now.advanced(byNanoseconds: delay + jitter(timers.waitJitter))))
  }

  /// Asks everybody for objections; without one until the end of CANVASS this node becomes host.
  mutating func startCanvass(at now: Instant) {
    guard configuration.canHost else { return }
    enter(.canvassing(until: now.advanced(byNanoseconds: configuration.timers.canvass)))
    let (priority, sequence) = (configuration.priority, joinSequence)
    emit(.broadcast(.preClaim(.init(priority: priority, joinSequence: sequence, maxEpoch: maxEpochSeen))))
  }

  /// Becomes host, or as host takes a new epoch, above every epoch seen.
  mutating func claim(reason: HostChangeReason, at now: Instant) {
    let base = !rules.contains(.claimsAboveAll) ? max(epoch, lastClaim) : max(maxEpochSeen, lastClaim)
    lastClaim = base + 1
    maxEpochSeen = max(maxEpochSeen, lastClaim)
    if !isHost { forgetFollowers() }
    enter(.hosting)
    changeHost(to: me, epoch: lastClaim, reason: reason)
    if joinSequence == 0 { takeSeat(nextJoinSequence) }
    beat(at: now)
    // A second one soon, for those whom the first reached before the old host's last word.
    nextBeat = now.advanced(byNanoseconds: configuration.timers.beat / 10)
  }

  /// Counts nobody as a follower until an Ack to a later Beat.
  mutating func forgetFollowers() {
    followers.removeAll(keepingCapacity: true)
    countedFrom = beatSequence + 1
  }

  /// Says to all that this node is host.
  mutating func beat(at now: Instant) {
    beatSequence += 1
    nextBeat = now.advanced(byNanoseconds: configuration.timers.beat)
    let size = UInt16(clamping: size(at: now))
    emit(
      .broadcast(
        .beat(
          .init(
            epoch: epoch, sequence: beatSequence, size: size, priority: configuration.priority,
            sessionTime: clock.time(at: now), nextJoinSequence: nextJoinSequence))))
  }

  /// Follows `node` and answers its Beat, if one was heard, with an Ack, believing in it for `lease` nanoseconds.
  mutating func follow(
    _ node: NodeID, epoch: UInt64, sequence: UInt32 = 0, lease: Int64, reason: HostChangeReason, at now: Instant
  ) {
    maxEpochSeen = max(maxEpochSeen, epoch)
    isEntering = false
    enter(.following(until: now.advanced(byNanoseconds: lease)))
    changeHost(to: node, epoch: epoch, reason: reason)
    let ack = ElectionMessage.Ack(
      epoch: epoch, sequence: sequence, joinSequence: joinSequence, sessionTime: clock.time(at: now))
    emit(.send(.ack(ack), to: node))
  }

  /// Takes the place in the order of joining that a host, perhaps this node itself, gave.
  mutating func takeSeat(_ sequence: UInt32) {
    joinSequence = sequence
    nextJoinSequence = max(nextJoinSequence, sequence + 1)
    emit(.joinSequenceChanged(sequence))
  }

  /// A random time below `most` (ns).
  mutating func jitter(_ most: Int64) -> Int64 {
    Int64(random.below(UInt64(max(1, most))))
  }
}
