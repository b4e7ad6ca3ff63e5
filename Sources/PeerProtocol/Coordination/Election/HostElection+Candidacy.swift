import AnchorReplication
package import Basics

/// Rule 3: what a node without a lease does; and the two transitions everything ends in, following and hosting.
extension HostElection {
  /// Enters a phase; whatever a host was waiting for is forgotten with its reign.
  mutating func enter(_ next: Phase) {
    phase = next
    offer = nil
    handoverTo = nil
    nextAsking = .distantFuture
  }

  /// Records who is host now, and reports it if that or the epoch is new.
  mutating func changeHost(to next: NodeID?, epoch nextEpoch: UInt64, reason: HostChangeReason) {
    let former = host
    guard former != next || epoch != nextEpoch else { return }
    assert(nextEpoch <= maxEpochSeen, "an epoch is followed that was not seen")
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

  /// A lone host that has heard no host of the session which it entered asks the members for it, as a node without one does.
  ///
  /// On a full link a Beat may take longer than a lease, and this node's own would gather those who miss them too.
  mutating func askForHost(at now: Instant) {
    nextAsking = .distantFuture
    guard !members.isEmpty, size(at: now) == 1 else { return }
    // Until the answers are here it is on its way still.
    bootUntil = now.advanced(byNanoseconds: configuration.timers.canvass)
    changeHost(to: nil, epoch: epoch, reason: .expired)
    startCanvass(at: now)
  }

  /// Becomes host, or as host takes a new epoch, above every epoch seen.
  mutating func claim(reason: HostChangeReason, at now: Instant) {
    let base = !rules.contains(.claimsAboveAll) ? max(epoch, lastClaim) : max(maxEpochSeen, lastClaim)
    lastClaim = base + 1
    maxEpochSeen = max(maxEpochSeen, lastClaim)
    if !isHost { forgetFollowers() }
    enter(.hosting)
    changeHost(to: me, epoch: lastClaim, reason: reason)
    assert(epoch == maxEpochSeen || !rules.contains(.claimsAboveAll), "a claim is above every epoch seen")
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
    var beat = ElectionMessage.Beat(
      epoch: epoch, sequence: beatSequence, size: UInt16(clamping: size(at: now)), priority: configuration.priority,
      sessionTime: clock.time(at: now), nextJoinSequence: nextJoinSequence)
    guard isOnTheWay(at: now) else { return emit(.broadcast(.beat(beat))) }
    // The member whose session it enters may need a host; no other shall take this one for that of the session.
    if let entered { emit(.send(.beat(beat), to: entered)) }
    beat.size = 0
    emit(.broadcast(.beat(beat)))
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

/// Rule 6: changing the host on purpose.
extension HostElection {
  /// Asks to be host: the host hands over if it grants requests; without a host this node canvasses at once.
  package mutating func requestHost(at now: Instant) {
    noticeStall(at: now)
    guard configuration.canHost else { return }
    switch phase {
    case .following: askToHost(isExplicit: true, at: now)
    case .listening, .waiting: startCanvass(at: now)
    case .canvassing, .hosting: break
    }
  }

  /// Hands over to `node`; false if this node is not a host that is free to, or if `node` cannot be host.
  ///
  /// This node stays host until it hears the new host's Beat, and permanently if that takes over a second.
  package mutating func handover(to node: NodeID, at now: Instant) -> Bool {
    noticeStall(at: now)
    guard isHost, offer == nil, handoverTo == nil, members.contains(where: { $0.node == node && $0.canHost }) else {
      return false
    }
    emit(.send(.handover(.init(epoch: epoch)), to: node))
    handoverTo = Lock(node: node, until: now.advanced(byNanoseconds: configuration.timers.offer))
    if !rules.contains(.handoverByBeat) {
      changeHost(to: nil, epoch: epoch, reason: .handover)
      enter(.listening(until: .distantFuture))
    }
    return true
  }

  /// Gives up being host and names the best-ranked member as successor; nothing happens without one.
  ///
  /// Returns whether this node was host and has a successor. It does not stand again for a lease.
  @discardableResult
  package mutating func resign(at now: Instant) -> Bool {
    noticeStall(at: now)
    guard isHost, let successor = members.filter(\.canHost).map(\.rank).min()?.node else { return false }
    emit(.broadcast(.resign(.init(epoch: epoch, successor: successor))))
    changeHost(to: nil, epoch: epoch, reason: .resigned)
    enter(.listening(until: now.advanced(byNanoseconds: configuration.timers.lease)))
    return true
  }

  /// Tells that a member said goodbye; if it was the host its lease ends.
  package mutating func left(_ node: NodeID, at now: Instant) {
    noticeStall(at: now)
    members.removeAll { $0.node == node }
    followers.removeAll { $0.node == node }
    if node == host, !isHost { loseHost(.left, at: now) }
  }

  mutating func askToHost(isExplicit: Bool, at now: Instant) {
    guard let host else { return }
    quietUntil = now.advanced(byNanoseconds: configuration.timers.lease)
    emit(.send(.request(.init(priority: configuration.priority, isExplicit: isExplicit)), to: host))
  }

  mutating func handle(_ request: ElectionMessage.Request, from sender: NodeID, at now: Instant) {
    let preempts = configuration.preemption && request.priority > configuration.priority
    guard request.isExplicit ? configuration.grantsRequests : preempts else { return }
    _ = handover(to: sender, at: now)
  }

  mutating func handle(_ handover: ElectionMessage.Handover, from sender: NodeID, at now: Instant) {
    guard configuration.canHost, !isHost, sender == host, handover.epoch >= epoch else { return }
    claim(reason: .handover, at: now)
  }

  /// The successor claims at once; the others wait one STEP more than usual for it.
  mutating func handle(_ resign: ElectionMessage.Resign, from sender: NodeID, at now: Instant) {
    guard !isHost, sender == host, resign.epoch >= epoch else { return }
    if resign.successor == me, configuration.canHost {
      claim(reason: .resigned, at: now)
      return
    }
    changeHost(to: nil, epoch: epoch, reason: .resigned)
    enter(.listening(until: now.advanced(byNanoseconds: configuration.timers.step)))
  }
}

/// Rule 7: a process that stood still knows nothing about the others and suspects nobody.
extension HostElection {
  /// Tells that the machine slept: the boot clock moved on by `gap` while the monotonic clock, whose time this is,
  /// stood still.
  package mutating func clockJumped(by gap: Duration, at now: Instant) {
    guard gap.wholeNanoseconds > configuration.timers.stall else { return }
    forgive(at: now)
  }

  /// Notices that this call comes far too late, for instance after SIGSTOP or in a debugger.
  mutating func noticeStall(at now: Instant) {
    guard let deadline, now.nanoseconds(since: deadline) > configuration.timers.stall else { return }
    forgive(at: now)
  }

  /// Starts every deadline again, and with a full lease for the host.
  ///
  /// A host forgets its followers until their next Acks: it counts as alone if it meets a host that the others have
  /// elected meanwhile.
  private mutating func forgive(at now: Instant) {
    guard rules.contains(.stallCompensation) else { return }
    let timers = configuration.timers
    let lease = now.advanced(byNanoseconds: timers.lease)
    switch phase {
    case .following(let until): phase = .following(until: max(until, lease))
    case .listening, .waiting, .canvassing: phase = .listening(until: lease)
    case .hosting:
      if nextAsking < lease { nextAsking = lease }
      let answer = now.advanced(byNanoseconds: timers.offer)
      offer?.until = answer
      handoverTo?.until = answer
      nextBeat = now
      forgetFollowers()
    }
  }
}
