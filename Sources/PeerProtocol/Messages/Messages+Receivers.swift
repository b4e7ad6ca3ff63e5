import AnchorReplication
import Basics
import WorldModel

/// The receivers of messages: which there are, how they are reached, and when they are given up.
extension Messages {
  /// The index of a receiver.
  func index(of peer: PeerID, _ track: MessageTrack = .ordinary) -> Int? {
    // By index: an outflow is costly to copy.
    outflows.indices.first { outflows[$0].track == track && outflows[$0].receiver.peer == peer }
  }

  /// Asks the receiver of an outflow how far it has come.
  func question(of index: Int) -> MessageReport { MessageReport(.question, outflows[index].track) }

  /// The start of a peer to which parts of streams go; nil before the first.
  func streamReceiver(_ peer: PeerID) -> NodeID? { index(of: peer, .streams).map { outflows[$0].receiver } }

  /// Begins chains of a kind to receivers that have none.
  mutating func addOutflows(_ track: MessageTrack, for peers: [PeerID]?, in turn: inout Turn) {
    guard track != .ordinary else { return }
    let receivers = outflows.indices.filter { isReceiver($0, in: peers, .ordinary) }.map { outflows[$0].receiver }
    for receiver in receivers where index(of: receiver.peer, track) == nil {
      updateWay(insert(receiver, track, in: turn), in: &turn)
    }
  }

  /// Begins a chain to a member of which nothing is known but its record; whether there is such a member, not yet lost.
  mutating func addOutflow(for peer: PeerID, in turn: inout Turn) -> Bool {
    guard peer != turn.me.peer, let start = start(of: peer, in: turn), isExpected(start, in: turn) else { return false }
    insert(start, in: turn)
    return true
  }

  @discardableResult
  private mutating func insert(
    _ receiver: NodeID, _ track: MessageTrack = .ordinary, in turn: borrowing Turn
  ) -> Int {
    lastChain += 1
    let outflow = Outflow(to: receiver, track, chain: lastChain, window: turn.configuration.firstMessageWindow)
    let index = outflows.firstIndex { other in
      receiver.peer < other.receiver.peer || track == .critical && receiver.peer == other.receiver.peer
    }
    outflows.insert(outflow, at: index ?? outflows.count)
    return index ?? outflows.count - 1
  }

  /// The start of a peer's process to which messages go: the one at the other end of a link comes before its record.
  func start(of peer: PeerID, in turn: borrowing Turn) -> NodeID? {
    if let link = turn.mesh.links.carrier(of: peer), let node = turn.mesh.links.member(link) { return node }
    let newcomer = newcomers.last { turn.mesh.links[$0]?.peer == peer }
    if let newcomer, let node = turn.mesh.links.node(newcomer) { return node }
    return turn.mesh.roster.admits(peer) ? turn.mesh.roster[peer]?.node : nil
  }

  /// Whether a start of a peer may still be reached.
  private func isExpected(_ node: NodeID, in turn: borrowing Turn) -> Bool {
    turn.mesh.standings[node.peer]?.status != .lost || turn.mesh.memberLink(to: node) != nil
  }

  /// Whether messages to all go to a start of a peer: it was reached and is not lost, or its link is being made.
  func isListed(_ node: NodeID, in turn: borrowing Turn) -> Bool {
    if newcomers.contains(where: { turn.mesh.links.node($0) == node }) { return true }
    switch turn.mesh.standings[node.peer]?.status {
    case .connected, .reconnecting: return true
    case .connecting, .lost, nil: return turn.mesh.memberLink(to: node) != nil
    }
  }

  /// Looks at what has become of every receiver: messages to those that are gone fail, the others get theirs on the way that
  /// there is now, and new members become receivers.
  mutating func review(in turn: inout Turn) {
    for index in outflows.indices.reversed() {
      if let reason = failure(of: outflows[index], in: turn) { fail(index, reason, in: &turn) }
    }
    let newcomers = newcomers.compactMap { turn.mesh.links.node($0)?.peer }
    let members = turn.mesh.roster.entries.filter { $0.status == .present && $0.peerID != turn.me.peer }.map(\.peerID)
    for peer in newcomers + members where index(of: peer) == nil {
      if let start = start(of: peer, in: turn), isListed(start, in: turn) { insert(start, in: turn) }
    }
    for index in outflows.indices { updateWay(index, in: &turn) }
  }

  private func failure(of outflow: Outflow, in turn: borrowing Turn) -> MessageFailureReason? {
    let receiver = outflow.receiver
    guard let start = start(of: receiver.peer, in: turn) else {
      return turn.mesh.roster[receiver.peer]?.status == .kicked ? .kicked : .left
    }
    guard start == receiver else { return .restarted }
    return isExpected(receiver, in: turn) ? nil : .lost
  }

  private mutating func updateWay(_ index: Int, in turn: inout Turn) {
    let receiver = outflows[index].receiver
    var way = Outflow.Way.none
    if let link = turn.mesh.memberLink(to: receiver) {
      way = .direct(link)
    } else if turn.mesh.graph.nextHop(to: receiver) != nil {
      way = .relayed
    }
    outflows[index].isListed = isListed(receiver, in: turn)
    let hasChanged = outflows[index].way != way
    if hasChanged {
      let first = turn.configuration.firstMessageWindow
      if outflows[index].change(to: way, first: first, rules: turn.configuration.rules) {
        send(question(of: index), to: receiver, in: &turn)
      }
    }
    // The next member on the way may be another one now.
    if hasChanged || !outflows[index].unreliable.isEmpty { pump(index, in: &turn) }
    limitWait(for: index, at: turn.now)
  }

  /// Limits the wait for a member that was never reached: no other organ reports it as lost.
  mutating func limitWait(for index: Int, at now: Instant) {
    if outflows.span[index].isListed || outflows.span[index].way != .none {
      if outflows.span[index].patience != nil { outflows[index].patience = nil }
    } else if outflows[index].patience == nil, outflows[index].openBytes > 0 {
      outflows[index].patience = now + ProtocolTimes.lost
      schedule(outflows[index].patience)
    }
  }

  /// Gives up what a receiver has not acknowledged, and tells the app.
  mutating func fail(_ index: Int, _ reason: MessageFailureReason, in turn: inout Turn) {
    let receiver = outflows[index].receiver
    if reason == .restarted, !turn.configuration.rules.contains(.freshChains),
      let start = start(of: receiver.peer, in: turn)
    {
      return outflows[index].carryOver(to: start)
    }
    let lost = outflows.remove(at: index)
    let failure = UndeliveredMessages(receiver: receiver.peer, messages: lost.open, reason: reason)
    // Streams end with their chain even when nothing of them is on its way.
    if lost.track == .streams { turn.report(.streamsFailed(failure, of: receiver)) }
    guard !lost.open.isEmpty else { return }
    if lost.track != .streams { turn.report(.messagesFailed(failure)) }
    giveRoom(in: &turn)
  }
}
