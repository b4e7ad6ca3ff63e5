import AnchorReplication
import Basics
import WorldModel

extension Resources {
  /// Says again to a newly linked member what it may not have heard.
  mutating func linked(_ link: LinkRef, in turn: inout Turn) {
    server.open(link)
    guard !isIdle else { return }
    review(in: &turn)
    guard let node = turn.mesh.links.member(link), turn.configuration.rules.contains(.resourceWords) else { return }
    for resource in outgoing {
      guard let place = resource.place(of: node.peer), resource.receivers[place].isOpen else { continue }
      announce(resource, to: node, in: &turn)
    }
    for index in incoming.indices {
      if incoming[index].sender == node {
        say(incoming[index].word, of: incoming[index].id, to: node, in: &turn)
        if incoming[index].stage == .fetching { incoming[index].holding.addHolder(node.peer, at: turn.now) }
      } else if incoming[index].companions.contains(node.peer) {
        tellHave(index, in: &turn)
      }
    }
    fetch(in: &turn)
  }

  /// The link that carried a peer's traffic is gone; what it owed is asked of others at ``resume(in:)``.
  mutating func unlinked(_ link: LinkRef, of peer: PeerID) {
    server.close(link)
    for index in incoming.indices { incoming[index].holding.removeHolder(peer) }
  }

  /// Asks others for what a lost member owed.
  mutating func resume(in turn: inout Turn) {
    guard !isIdle else { return }
    load(in: &turn)
    fetch(in: &turn)
  }

  /// A bulk link is gone: what was on it starts over on the control link.
  mutating func bulkClosed(_ second: LinkRef, of peer: PeerID, in turn: inout Turn) {
    guard !isIdle, let control = turn.mesh.links.carrier(of: peer) else { return }
    server.restart(from: second, on: control)
    turn.flush(control)
    for index in incoming.indices { incoming[index].holding.release(requestsOf: peer) }
    fetch(in: &turn)
  }

  /// Ends what can come no more, because a member is gone or is another start of its process.
  mutating func review(in turn: inout Turn) {
    guard !isIdle, turn.configuration.rules.contains(.resourceEnds) else { return }
    for index in incoming.indices.reversed() {
      guard let failure = turn.absence(of: incoming[index].sender) else { continue }
      if incoming[index].stage == .received { release(index, in: &turn) } else { fail(index, failure, in: &turn) }
    }
    for index in outgoing.indices.reversed() {
      for place in outgoing[index].receivers.indices.reversed() where outgoing[index].receivers[place].isOpen {
        guard let failure = turn.absence(of: outgoing[index].receivers[place].node) else { continue }
        // The last one takes the resource with it.
        if settle(place, of: index, failure, in: &turn) { break }
      }
    }
  }

  /// Grants everybody the time in which this node stood still.
  mutating func excuse(_ gap: Duration) {
    for index in incoming.indices {
      incoming[index].holding.excuse(gap)
      incoming[index].patience.excuse(gap)
    }
    for index in outgoing.indices {
      for place in outgoing[index].receivers.indices { outgoing[index].receivers[place].patience.excuse(gap) }
    }
  }

  /// Ends what took too long, turns away from sources that keep chunks back, and tells again what may have been missed; at the
  /// pace of anti-entropy.
  mutating func check(in turn: inout Turn) {
    guard !isIdle else { return }
    review(in: &turn)
    if turn.configuration.rules.contains(.resourceEnds) {
      checkIncoming(in: &turn)
      checkOutgoing(in: &turn)
    }
    for index in incoming.indices where incoming[index].stage == .fetching {
      incoming[index].holding.passOverSlowSources(at: turn.now)
      // A disk that does not answer must not hold up what the network has.
      if let end = incoming[index].holding.searchEnds, end <= turn.now { incoming[index].holding.searchEnds = nil }
      if incoming[index].holding.untold > 0 { tellHave(index, in: &turn) }
      if let source = incoming[index].holding.askForManifest(isLate: true) {
        requestManifest(incoming[index].id, from: source, first: 0, in: &turn)
      }
    }
    fetch(in: &turn)
  }

  mutating func checkIncoming(in turn: inout Turn) {
    for index in incoming.indices.reversed() where incoming[index].stage != .received {
      let hasLink = turn.mesh.memberLink(to: incoming[index].sender) != nil
      if incoming[index].patience.isUnlinked(hasLink, at: turn.now) {
        fail(index, .notLinked, in: &turn)
      } else if incoming[index].stage == .fetching,
        turn.now - incoming[index].patience.heard >= ProtocolTimes.resourceStall
      {
        fail(index, .stalled, in: &turn)
      }
    }
  }

  mutating func checkOutgoing(in turn: inout Turn) {
    for index in outgoing.indices.reversed() {
      for place in outgoing[index].receivers.indices.reversed() {
        guard let failure = overdue(&outgoing[index].receivers[place], in: turn) else { continue }
        say(.failed(failure), of: outgoing[index].id, to: outgoing[index].receivers[place].node, in: &turn)
        if settle(place, of: index, failure, in: &turn) { break }
      }
    }
  }

  func overdue(_ receiver: inout OutgoingResource.Receiver, in turn: borrowing Turn) -> ResourceFailure? {
    guard receiver.isOpen else { return nil }
    let hasLink = turn.mesh.memberLink(to: receiver.node) != nil
    if receiver.patience.isUnlinked(hasLink, at: turn.now) { return .notLinked }
    let waited = turn.now - receiver.patience.heard
    if receiver.stage == .offered { return waited >= ProtocolTimes.resourceAnswer ? .unanswered : nil }
    // The receiver has the first say on it.
    return waited >= ProtocolTimes.resourceStall * 2 ? .stalled : nil
  }

  /// Gives up everything, because this node's part in the session ends.
  mutating func end(in turn: inout Turn) {
    for index in incoming.indices.reversed() where incoming[index].stage != .received {
      fail(index, .ended, in: &turn)
    }
    for index in outgoing.indices.reversed() { settleAll(index, .ended, in: &turn) }
  }
}
