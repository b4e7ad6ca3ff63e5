import AnchorReplication
package import Basics

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
  /// This node stays host until it hears the new host's Beat, and for good if that takes over a second.
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
