import AnchorReplication
import Basics

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
    let lease = configuration.timers.lease
    let remaining = UInt32(lease / 1_000_000)
    emit(.broadcast(.stepDown(.init(to: other, epoch: theirs, leaseRemaining: remaining, ended: epoch))))
    if reason == .merged {
      let time = clock.time(at: now)
      emit(.send(.yield(.init(epoch: theirs, maxEpoch: maxEpochSeen, sessionTime: time)), to: other))
    }
    follow(other, epoch: theirs, lease: lease, reason: reason, at: now)
  }
}
