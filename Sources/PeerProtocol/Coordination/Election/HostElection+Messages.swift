import AnchorReplication
package import Basics

/// Rules 1, 2, 3 and 5: who is believed, for how long, and who objects.
extension HostElection {
  /// How far an epoch may be above all that were seen before, and up to where it may be anything.
  private static let longestLeap: UInt64 = 1 << 20
  static let plainEpochs: UInt64 = 1 << 32
  /// Up to where a newcomer to a session believes the epoch of its first host.
  private static let anyEpoch: UInt64 = 1 << 61

  /// Takes a message that `sender` originated.
  package mutating func handle(_ message: ElectionMessage, from sender: NodeID, at now: Instant) {
    guard sender != me, isPlausible(message.highestEpoch) || isFirstBeat(message) else { return }
    noticeStall(at: now)
    if now >= nextAsking { askForHost(at: now) }
    maxEpochSeen = max(maxEpochSeen, message.highestEpoch)
    if case .beat(let beat) = message {
      handle(beat, from: sender, at: now)
      return
    }
    if let leaseUntil, now >= leaseUntil { loseHost(.expired, at: now) }
    switch message {
    case .beat: break
    case .ack(let ack): handle(ack, from: sender, at: now)
    case .preClaim(let claim): handle(claim, from: sender, at: now)
    case .preNack(let nack): handle(nack, from: sender, at: now)
    case .stepDown(let stepDown): handle(stepDown, from: sender, at: now)
    case .offer(let offer): handle(offer, from: sender, at: now)
    case .win(let win): handle(win, from: sender, at: now)
    case .yield(let yield): handle(yield, from: sender, at: now)
    case .handover(let handover): handle(handover, from: sender, at: now)
    case .resign(let resign): handle(resign, from: sender, at: now)
    case .request(let request): handle(request, from: sender, at: now)
    case .seat(let seat): handle(seat, from: sender)
    }
  }

  /// Whether it is a Beat for a newcomer, which was not there for the steps by which the session came to its epoch.
  private func isFirstBeat(_ message: ElectionMessage) -> Bool {
    guard isEntering, case .beat(let beat) = message else { return false }
    return beat.epoch <= Self.anyEpoch
  }

  /// Whether a session can have come to this epoch: a forged message cannot use up the epochs.
  package func isPlausible(_ epoch: UInt64) -> Bool { Self.isPlausible(epoch, after: maxEpochSeen) }

  /// The same, where `seen` is the highest epoch seen.
  static func isPlausible(_ epoch: UInt64, after seen: UInt64) -> Bool {
    epoch <= max(plainEpochs, seen + longestLeap)
  }

  /// Whether this node is host or believes in one.
  func hasHost(at now: Instant) -> Bool {
    switch phase {
    case .hosting: true
    case .following(let until): now < until
    case .listening, .waiting, .canvassing: false
    }
  }

  /// Only a Beat of my host renews the lease; without a lease the first Beat heard gives one.
  private mutating func handle(_ beat: ElectionMessage.Beat, from sender: NodeID, at now: Instant) {
    if isOnTheWay(at: now), sender != host {
      guard mayHostEntered(sender, size: beat.size) else { return }
      if isHost { announceStepDown(for: sender, epoch: beat.epoch) }
      accept(beat, from: sender, reason: .joined, at: now)
    } else if isHost {
      meet(sender, epoch: beat.epoch, at: now)
    } else if sender == host {
      guard beat.epoch >= epoch || !rules.contains(.currentBeats) else { return }
      accept(beat, from: sender, reason: .merged, at: now)
    } else if beat.size > 0, !hasHost(at: now) || !rules.contains(.faithfulFollowers) {
      accept(beat, from: sender, reason: .joined, at: now)
    }
  }

  private mutating func accept(
    _ beat: ElectionMessage.Beat, from sender: NodeID, reason: HostChangeReason, at now: Instant
  ) {
    clock.follow(beat.sessionTime, at: now)
    nextJoinSequence = max(nextJoinSequence, beat.nextJoinSequence)
    follow(
      sender, epoch: beat.epoch, sequence: beat.sequence, lease: configuration.timers.lease, reason: reason, at: now)
    guard configuration.canHost else { return }
    if !rules.contains(.modestJoiners), me < sender {
      claim(reason: .elected, at: now)
    } else if configuration.preemption, configuration.priority > beat.priority, now >= quietUntil {
      askToHost(isExplicit: false, at: now)
    }
  }

  /// A host counts who follows it; anyone else says whom it follows itself.
  private mutating func handle(_ ack: ElectionMessage.Ack, from sender: NodeID, at now: Instant) {
    guard isHost else {
      if rules.contains(.stepDownReplies) { sendHost(to: sender, ended: ack.epoch, at: now) }
      return
    }
    // It follows already: there is nothing more to decide between the two.
    if offer?.node == sender { offer = nil }
    nextJoinSequence = max(nextJoinSequence, ack.joinSequence + 1)
    if ack.sequence >= countedFrom { count(sender, ack, at: now) }
    guard ack.joinSequence == 0 else { return }
    emit(.send(.seat(.init(joinSequence: nextJoinSequence)), to: sender))
    nextJoinSequence += 1
  }

  private mutating func count(_ follower: NodeID, _ ack: ElectionMessage.Ack, at now: Instant) {
    if let index = followers.firstIndex(where: { $0.node == follower }) {
      followers[index].heard = now
    } else {
      followers.append((node: follower, heard: now))
      isEntering = false
      nextAsking = .distantFuture
      clock.catchUp(with: ack.sessionTime, at: now)
    }
  }

  private mutating func handle(_ seat: ElectionMessage.Seat, from sender: NodeID) {
    guard joinSequence == 0, sender == host, seat.joinSequence > 0 else { return }
    takeSeat(seat.joinSequence)
  }

  /// A node that believes in a host objects and names it; a better-ranked node objects and canvasses itself.
  private mutating func handle(_ claim: ElectionMessage.PreClaim, from sender: NodeID, at now: Instant) {
    // A host would not canvass: what this node believed in is over.
    if sender == host { loseHost(.steppedDown, at: now) }
    if let host, hasHost(at: now) {
      guard rules.contains(.objections) else { return }
      let remaining = leaseRemaining(at: now)
      emit(.send(.preNack(.init(host: host, epoch: epoch, leaseRemaining: remaining)), to: sender))
      return
    }
    let theirs = ElectionRank(priority: claim.priority, joinSequence: claim.joinSequence, node: sender)
    guard configuration.canHost, rank < theirs else { return }
    switch phase {
    case .listening, .waiting: startCanvass(at: now)
    case .canvassing, .following, .hosting: break
    }
    emit(.send(.preNack(.init(host: nil, epoch: 0, leaseRemaining: 0)), to: sender))
  }

  /// An objection ends the candidacy; a host named by hearsay is believed only as long as the teller believes in it.
  private mutating func handle(_ nack: ElectionMessage.PreNack, from sender: NodeID, at now: Instant) {
    guard !hasHost(at: now) else { return }
    if let host = nack.host {
      guard host != me, nack.leaseRemaining > 0 else { return }
      follow(host, epoch: nack.epoch, lease: hearsay(nack.leaseRemaining), reason: .informed, at: now)
    } else if case .canvassing = phase {
      let timers = configuration.timers
      let pause = timers.canvass + timers.step + jitter(timers.bootJitter)
      enter(.listening(until: now.advanced(byNanoseconds: pause)))
    }
  }

  /// Only the host itself can end its reign early.
  private mutating func handle(_ stepDown: ElectionMessage.StepDown, from sender: NodeID, at now: Instant) {
    guard !isHost, sender == host, stepDown.ended >= epoch else { return }
    guard stepDown.to != me, stepDown.leaseRemaining > 0 else {
      loseHost(.steppedDown, at: now)
      return
    }
    let lease = hearsay(stepDown.leaseRemaining)
    follow(stepDown.to, epoch: stepDown.epoch, lease: lease, reason: .steppedDown, at: now)
  }

  /// Tells `node`, which takes this node for a host, who is.
  mutating func sendHost(to node: NodeID, ended: UInt64, at now: Instant) {
    guard let host, host != node, hasHost(at: now) else { return }
    let remaining = leaseRemaining(at: now)
    emit(.send(.stepDown(.init(to: host, epoch: epoch, leaseRemaining: remaining, ended: ended)), to: node))
  }

  /// The rest of the lease (ms); a host believes in itself for a full one.
  func leaseRemaining(at now: Instant) -> UInt32 {
    switch phase {
    case .hosting: UInt32(configuration.timers.lease / 1_000_000)
    case .following(let until): UInt32(clamping: until.nanoseconds(since: now) / 1_000_000)
    case .listening, .waiting, .canvassing: 0
    }
  }

  /// A lease learnt from another node (ns): never longer than a full one.
  func hearsay(_ milliseconds: UInt32) -> Int64 {
    let full = configuration.timers.lease
    return !rules.contains(.partialHearsay) ? full : min(full, Int64(milliseconds) * 1_000_000)
  }
}

/// Rule 4: two hosts that hear each other become one, and the receiver of the Offer alone decides which.
extension HostElection {
  /// A host hears the Beat of another one.
  mutating func meet(_ other: NodeID, epoch theirEpoch: UInt64, at now: Instant) {
    if let lock = handoverTo {
      guard lock.node == other, theirEpoch > epoch else { return }
      stepDown(for: other, epoch: theirEpoch, reason: .handover, at: now)
      return
    }
    guard rules.contains(.merges), me < other, offer == nil, now >= nextOffer else { return }
    let until = now.advanced(byNanoseconds: configuration.timers.offer)
    offer = Lock(node: other, until: until)
    nextOffer = until
    let size = UInt16(clamping: size(at: now))
    emit(.send(.offer(.init(size: size, priority: configuration.priority, epoch: epoch)), to: other))
  }

  /// The decision point: the greater (size, priority, epoch, node) stays host.
  mutating func handle(_ offer: ElectionMessage.Offer, from sender: NodeID, at now: Instant) {
    guard isHost, handoverTo == nil else { return }
    guard !isOnTheWay(at: now) else {
      return stepDown(for: sender, epoch: offer.epoch, reason: .joined, at: now)
    }
    guard self.offer == nil || !rules.contains(.offerLock) else { return }
    if isGreater(offer, of: sender, at: now) {
      stepDown(for: sender, epoch: offer.epoch, reason: .merged, at: now)
    } else {
      emit(.send(.win(.init(epoch: epoch, offerEpoch: offer.epoch)), to: sender))
    }
  }

  private func isGreater(_ offer: ElectionMessage.Offer, of sender: NodeID, at now: Instant) -> Bool {
    let mySize = UInt16(clamping: size(at: now))
    let theirs = (UInt64(offer.size), UInt64(offer.priority), offer.epoch)
    let mine = (UInt64(mySize), UInt64(configuration.priority), epoch)
    if !rules.contains(.sizeFirst) {
      return (theirs.2, theirs.0, theirs.1) == (mine.2, mine.0, mine.1)
        ? me < sender : (mine.2, mine.0, mine.1) < (theirs.2, theirs.0, theirs.1)
    }
    return theirs == mine ? me < sender : mine < theirs
  }

  mutating func handle(_ win: ElectionMessage.Win, from sender: NodeID, at now: Instant) {
    guard isHost, epoch == win.offerEpoch, offer?.node == sender else { return }
    stepDown(for: sender, epoch: win.epoch, reason: .merged, at: now)
  }

  /// The winner starts a new reign above both epochs; one that is no longer host says so.
  mutating func handle(_ yield: ElectionMessage.Yield, from sender: NodeID, at now: Instant) {
    guard isHost else {
      sendHost(to: sender, ended: yield.epoch, at: now)
      return
    }
    clock.catchUp(with: yield.sessionTime, at: now)
    if rules.contains(.reclaims) { claim(reason: .merged, at: now) }
  }

  /// Ends this node's reign in favour of another host, tells its followers and follows.
  ///
  /// The other host has just been heard, so the lease that is passed on is a full one.
  private mutating func stepDown(for other: NodeID, epoch theirs: UInt64, reason: HostChangeReason, at now: Instant) {
    announceStepDown(for: other, epoch: theirs)
    if reason == .merged {
      let time = clock.time(at: now)
      emit(.send(.yield(.init(epoch: theirs, maxEpoch: maxEpochSeen, sessionTime: time)), to: other))
    }
    follow(other, epoch: theirs, lease: configuration.timers.lease, reason: reason, at: now)
  }

  private mutating func announceStepDown(for other: NodeID, epoch theirs: UInt64) {
    let remaining = UInt32(configuration.timers.lease / 1_000_000)
    emit(.broadcast(.stepDown(.init(to: other, epoch: theirs, leaseRemaining: remaining, ended: epoch))))
  }
}
