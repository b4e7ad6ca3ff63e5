import AnchorReplication
import Basics
import WorldModel

/// The organ of the app's messages: it delivers each to every receiver exactly once and in order, or reports that it failed.
///
/// Unreliable ones may be lost, and are never handed over behind a newer one (`Messages+Unreliable.swift`).
///
/// The sender keeps a message until its receivers have acknowledged it, and sends what a broken link or a full relay has lost
/// again. What a start of a receiver will never acknowledge fails with an event that names the receiver and the messages.
struct Messages: Organ {
  /// Messages that members are still to receive, ascending by member.
  var outflows: [Outflow] = []
  /// Progress of the messages that members send, one for each start of a sender.
  private var inflows: [Inflow] = []
  /// Messages that wait on the links of members.
  var lanes = PerLink<MessageLane>()
  /// The last unreliable messages of members that were handed over.
  var unreliableInflows: [UnreliableInflow] = []
  /// Links to peers that this node holds as members and that are not members' links yet.
  private var newcomers: [LinkRef] = []
  private var lastNumber: UInt64 = 0
  private var lastChain: UInt32 = 0
  /// Whether the app was refused a message because too many were open.
  private var owesRoom = false
  /// Nothing is due before this.
  private var due: Instant?

  func deadline(in turn: borrowing Turn) -> Instant? { due }

  // MARK: Commands

  /// Accepts a message for these members, or for all that are in reach or were lately.
  ///
  /// - Returns: ``Answer/sent(_:)``, or why nobody gets the message.
  mutating func send(
    _ bytes: [UInt8], as kind: MessageKind, mode: MessageMode, to peers: [PeerID]?, in turn: inout Turn
  ) -> Answer {
    // A node that has sent nothing yet looks at its receivers now.
    if lastNumber == 0 { review(in: &turn) }
    for peer in peers ?? [] where place(of: peer) == nil {
      if !addOutflow(for: peer, in: &turn) { return .refused(.notReceiver(peer)) }
    }
    if case .unreliable(let key) = mode {
      lastNumber += 1
      offer(UnreliableMessage(bytes, number: lastNumber, kind: kind, key: key), to: peers, in: &turn)
      return .sent(MessageID(lastNumber))
    }
    let cost = ProtocolLimits.cost(ofMessage: bytes)
    let isFull = anyReceiver(in: peers) { outflow in
      outflow.openBytes + cost > turn.configuration.messageWindow
    }
    guard !isFull else {
      owesRoom = true
      return .refused(.messagesWait)
    }
    lastNumber += 1
    for index in outflows.indices where isReceiver(index, in: peers) {
      outflows[index].add(lastNumber, bytes, kind)
      limitWait(for: index, in: turn)
      pump(index, in: &turn)
    }
    return .sent(MessageID(lastNumber))
  }

  /// The app has messages of a member of so many bytes left to read, each counted with ``ProtocolLimits/messageCost``.
  mutating func setUnread(_ bytes: Int, from peer: PeerID, in turn: inout Turn) {
    for index in inflows.indices where inflows[index].sender.peer == peer {
      inflows[index].unread = max(0, bytes)
      if inflows[index].isReportUrgent(limit: turn.configuration.messageWindow) {
        report(.report, to: index, in: &turn)
      }
    }
  }

  func isReceiver(_ index: Int, in peers: [PeerID]?) -> Bool {
    peers.map { $0.contains(outflows[index].receiver.peer) } ?? outflows[index].isListed
  }

  private func anyReceiver(in peers: [PeerID]?, _ test: (Outflow) -> Bool) -> Bool {
    outflows.indices.contains { isReceiver($0, in: peers) && test(outflows[$0]) }
  }

  // MARK: Sending

  /// Lets the messages for a receiver leave, as far as they may.
  mutating func pump(_ index: Int, in turn: inout Turn) {
    switch outflows[index].way {
    case .none: return
    case .direct(let link):
      let hasNext = outflows[index].next(rules: turn.configuration.rules) != nil
      guard hasNext || !outflows[index].unreliable.isEmpty else { break }
      lanes.update(link) { $0.isWaiting = true }
      turn.flush(link)
    case .relayed: relay(index, in: &turn)
    }
    schedule(outflows[index].await(at: turn.now))
  }

  /// Hands messages to the member that is next on the way to their receiver.
  private mutating func relay(_ index: Int, in turn: inout Turn) {
    let route = MessageRoute(from: turn.me, to: outflows[index].receiver)
    guard let hop = turn.nextLink(to: route.to) else { return }
    if !outflows[index].unreliable.isEmpty { lanes.update(hop) { $0.isWaiting = true } }
    while let (head, bytes) = outflows[index].next(
      within: ProtocolLimits.relayedFlight, rules: turn.configuration.rules)
    {
      let size = MessageRoute.size + MessageHead.size + bytes.count
      let hasRoom = lanes.update(hop) { lane in
        lane.relay(size, limit: turn.configuration.messageWindow) { body in
          route.write(to: &body)
          head.write(to: &body)
          body.write(bytes: bytes)
        }
      }
      guard hasRoom == true else { break }
      outflows[index].noteSent()
    }
    turn.flush(hop)
  }

  /// Whether ``write(on:in:)`` may have something to write.
  func hasWaiting(on link: LinkRef) -> Bool { lanes[link]?.isWaiting ?? false }

  /// Appends messages that wait on a member's link while the window has room.
  mutating func write(on link: LinkRef, in turn: inout Turn) {
    let half = ProtocolLimits.transmitWindow / 2
    lanes.update(link) { $0.moveRelayed(to: &turn.outbox.scratch, limit: half) }
    var rest = lanes[link].map { $0.relayedBytes > 0 } ?? false
    // Each goes first every other time, so that neither shuts the other out of a link that is always full.
    let unreliableFirst = lanes.update(link) { $0.takeTurn() } ?? true
    if unreliableFirst, writeUnreliable(on: link, in: &turn) { rest = true }
    if writeChain(on: link, in: &turn) { rest = true }
    if !unreliableFirst, writeUnreliable(on: link, in: &turn) { rest = true }
    lanes.update(link) { $0.isWaiting = rest }
    // A link that has as much as this on its way asks again by itself.
    if rest, turn.outbox.scratch.count < half { turn.flush(link) }
  }

  /// Appends messages to the member at the other end of a link while there is room; whether some are left.
  private mutating func writeChain(on link: LinkRef, in turn: inout Turn) -> Bool {
    let half = ProtocolLimits.transmitWindow / 2
    let rules = turn.configuration.rules
    if let index = outflows.firstIndex(where: { $0.way == .direct(link) }) {
      while let (head, bytes) = outflows[index].next(rules: rules) {
        let size = turn.outbox.scratch.count + FrameHead.size + MessageHead.size + bytes.count
        guard turn.outbox.scratch.count < half,
          turn.outbox.scratch.count == 0 || size <= ProtocolLimits.transmitWindow
        else { return true }
        turn.outbox.scratch.writeFrame(.message) { body in
          head.write(to: &body)
          body.write(bytes: bytes)
        }
        outflows[index].noteSent()
      }
    }
    return false
  }

  // MARK: Frames

  /// The frames of this organ.
  enum Frame {
    case message, report, relayedMessage, relayedReport, unreliable
  }

  /// Takes a frame of messages, or passes it on.
  mutating func receive(
    _ frame: Frame, _ body: RawSpan, from sender: MemberLink, in turn: inout Turn
  ) throws(DecodingFailure) {
    switch frame {
    case .message:
      var reader = ByteReader(body)
      let head = try MessageHead(reading: &reader)
      receive(head, try reader.readBytes(reader.remaining), from: sender.node, in: &turn)
    case .report: receive(try MessageReport(body: body), from: sender.node, on: sender.link, in: &turn)
    case .relayedMessage: try receiveRelayed(body, from: sender, in: &turn)
    case .relayedReport:
      let frame = try RelayedReport(body: body)
      if turn.isForMe(frame, from: sender) { receive(frame.report, from: frame.from, on: nil, in: &turn) }
    case .unreliable: receive(try UnreliableMessage(body: body), from: sender, in: &turn)
    }
  }

  /// Takes a message that came through members, or passes it on while there is room; its sender sends it again.
  private mutating func receiveRelayed(
    _ body: RawSpan, from sender: MemberLink, in turn: inout Turn
  ) throws(DecodingFailure) {
    var reader = ByteReader(body)
    var route = try MessageRoute(reading: &reader)
    let rest = body.extracting(reader.offset..<body.byteCount)
    let head = try MessageHead(reading: &reader)
    guard turn.believes(route.from, on: sender) else { return }
    guard route.to != turn.me else {
      return receive(head, try reader.readBytes(reader.remaining), from: route.from, in: &turn)
    }
    guard route.hops < ProtocolLimits.hops, let hop = turn.nextLink(to: route.to, avoiding: sender.node) else { return }
    route.hops += 1
    _ = lanes.update(hop) { lane in
      lane.relay(MessageRoute.size + rest.byteCount, limit: turn.configuration.relayedMessageLimit) { body in
        route.write(to: &body)
        body.write(span: rest)
      }
    }
    turn.flush(hop)
  }

  /// Hands a message to the app if it is the next one of its sender, and sees to its report.
  private mutating func receive(_ head: MessageHead, _ bytes: [UInt8], from sender: NodeID, in turn: inout Turn) {
    let index = inflow(of: sender, in: turn)
    let (limit, rules) = (turn.configuration.messageWindow, turn.configuration.rules)
    let cost = ProtocolLimits.cost(ofMessage: bytes)
    if inflows[index].take(head, cost: cost, limit: limit, rules: rules) {
      switch head.kind {
      case .bytes: turn.report(.message(bytes, from: sender.peer))
      case .envelope: turn.report(.envelope(bytes, MessageID(head.number), from: sender))
      }
      if inflows[index].isReportUrgent(limit: limit) { return report(.report, to: index, in: &turn) }
    }
    inflows[index].owe(at: turn.now + ProtocolTimes.messageReport)
    schedule(inflows[index].reportDue)
  }

  /// The place of what this start of a member has sent.
  private mutating func inflow(of sender: NodeID, in turn: borrowing Turn) -> Int {
    if let index = inflows.firstIndex(where: { $0.sender == sender }) { return index }
    if inflows.count >= ProtocolLimits.messageSenders {
      // Those of members stay: their chains go on.
      inflows.remove(at: inflows.firstIndex { !turn.mesh.isMember($0.sender) } ?? 0)
    }
    let unread = inflows.last { $0.sender.peer == sender.peer }?.unread ?? 0
    inflows.append(Inflow(sender, unread: unread))
    return inflows.count - 1
  }

  // MARK: Reports

  /// Takes a report of a receiver, or the question of a sender; `link` is nil for what came through members.
  private mutating func receive(
    _ report: MessageReport, from node: NodeID, on link: LinkRef?, in turn: inout Turn
  ) {
    guard report.kind != .question else {
      return self.report(link == nil ? .report : .answer, to: inflow(of: node, in: turn), in: &turn)
    }
    guard let index = place(of: node.peer), outflows[index].receiver == node else { return }
    switch outflows[index].receive(report, rules: turn.configuration.rules) {
    case .none: return
    case .lost:
      fail(index, .restarted, in: &turn)
      review(in: &turn)
    case .some:
      giveRoom(in: &turn)
      pump(index, in: &turn)
    }
  }

  /// Tells a sender how far its messages have come.
  private mutating func report(_ kind: MessageReport.Kind, to index: Int, in turn: inout Turn) {
    let report = inflows[index].report(kind, limit: turn.configuration.messageWindow)
    send(report, to: inflows[index].sender, in: &turn)
  }

  private func send(_ report: MessageReport, to node: NodeID, in turn: inout Turn) {
    if let link = turn.mesh.memberLink(to: node) {
      turn.send(.messageReport, on: link) { report.write(to: &$0) }
    } else {
      turn.route(RelayedReport(report, from: turn.me, to: node))
    }
  }

  /// Tells an app that was refused a message that it may try again.
  private mutating func giveRoom(in turn: inout Turn) {
    if exchange(&owesRoom, with: false) { turn.report(.messageRoom) }
  }

  // MARK: Receivers

  /// The place of a receiver.
  private func place(of peer: PeerID) -> Int? { outflows.firstIndex { $0.receiver.peer == peer } }

  /// Begins a chain to a member of which nothing is known but its record; whether there is such a member, not yet lost.
  private mutating func addOutflow(for peer: PeerID, in turn: inout Turn) -> Bool {
    guard peer != turn.me.peer, let start = start(of: peer, in: turn), isExpected(start, in: turn) else { return false }
    insert(start, in: turn)
    return true
  }

  private mutating func insert(_ receiver: NodeID, in turn: borrowing Turn) {
    lastChain += 1
    let outflow = Outflow(to: receiver, chain: lastChain, window: turn.configuration.firstMessageWindow)
    outflows.insert(outflow, at: outflows.firstIndex { receiver.peer < $0.receiver.peer } ?? outflows.count)
  }

  /// The start of a peer's process to which messages go: the one at the other end of a link comes before its record.
  private func start(of peer: PeerID, in turn: borrowing Turn) -> NodeID? {
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
  private func isListed(_ node: NodeID, in turn: borrowing Turn) -> Bool {
    if newcomers.contains(where: { turn.mesh.links.node($0) == node }) { return true }
    switch turn.mesh.standings[node.peer]?.status {
    case .connected, .reconnecting: return true
    case .connecting, .lost, nil: return turn.mesh.memberLink(to: node) != nil
    }
  }

  /// Looks at what has become of every receiver: messages to those that are gone fail, the others get theirs on the way that
  /// there is now, and new members become receivers.
  private mutating func review(in turn: inout Turn) {
    for index in outflows.indices.reversed() {
      if let reason = failure(of: outflows[index], in: turn) { fail(index, reason, in: &turn) }
    }
    let newcomers = newcomers.compactMap { turn.mesh.links.node($0)?.peer }
    let members = turn.mesh.roster.entries.filter { $0.status == .present && $0.peerID != turn.me.peer }.map(\.peerID)
    for peer in newcomers + members where place(of: peer) == nil {
      if let start = start(of: peer, in: turn), isListed(start, in: turn) { insert(start, in: turn) }
    }
    for index in outflows.indices { updateWay(index, in: &turn) }
  }

  private func failure(of outflow: Outflow, in turn: borrowing Turn) -> MessageFailure.Reason? {
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
        send(MessageReport(.question), to: receiver, in: &turn)
      }
    }
    // The next member on the way may be another one now.
    if hasChanged || !outflows[index].unreliable.isEmpty { pump(index, in: &turn) }
    limitWait(for: index, in: turn)
  }

  /// Limits the wait for a member that was never reached: no other organ reports it as lost.
  private mutating func limitWait(for index: Int, in turn: borrowing Turn) {
    if outflows[index].isListed || outflows[index].way != .none {
      outflows[index].patience = nil
    } else if outflows[index].patience == nil, outflows[index].openBytes > 0 {
      outflows[index].patience = turn.now + ProtocolTimes.lost
      schedule(outflows[index].patience)
    }
  }

  /// Gives up what a receiver has not acknowledged, and tells the app.
  private mutating func fail(_ index: Int, _ reason: MessageFailure.Reason, in turn: inout Turn) {
    let receiver = outflows[index].receiver
    if reason == .restarted, !turn.configuration.rules.contains(.freshChains),
      let start = start(of: receiver.peer, in: turn)
    {
      return outflows[index].carryOver(to: start)
    }
    let open = outflows.remove(at: index).open
    guard !open.isEmpty else { return }
    turn.report(.messagesFailed(MessageFailure(receiver: receiver.peer, messages: open, reason: reason)))
    giveRoom(in: &turn)
  }

  // MARK: Notices

  /// This node holds the other end of a link as a member, which may not hold this node as one yet.
  mutating func admitting(_ link: LinkRef, in turn: inout Turn) {
    guard let node = turn.mesh.links.node(link), turn.mesh.memberLink(to: node) == nil else { return }
    if !newcomers.contains(link) { newcomers.append(link) }
    membersChanged(in: &turn)
  }

  /// A link is a member's from now on.
  mutating func linked(_ link: LinkRef, in turn: inout Turn) {
    newcomers.removeAll { $0 == link }
    lanes.begin(link, with: MessageLane())
    membersChanged(in: &turn)
  }

  /// A link is gone, and with it what waited there to be passed on.
  mutating func unlinked(_ link: LinkRef, in turn: inout Turn) {
    newcomers.removeAll { $0 == link }
    lanes.end(link)
    membersChanged(in: &turn)
  }

  /// Members came, went, restarted, or can be reached in another way.
  ///
  /// A node that never sends a message keeps no receivers.
  mutating func membersChanged(in turn: inout Turn) {
    if lastNumber > 0 { review(in: &turn) }
  }

  /// Extends every wait for a member by a time in which this node stood still.
  mutating func excuse(_ gap: Duration) {
    for index in outflows.indices { outflows[index].patience = outflows[index].patience.map { $0 + gap } }
  }

  /// Gives up everything, because this node's part in the session ends.
  mutating func end(in turn: inout Turn) {
    for index in outflows.indices.reversed() { fail(index, .ended, in: &turn) }
  }

  // MARK: Time

  /// Sends the reports that are due, and repeats what was not acknowledged in time.
  mutating func tick(in turn: inout Turn) {
    due = nil
    for index in inflows.indices {
      if inflows[index].reportDue.map({ $0 <= turn.now }) == true { report(.report, to: index, in: &turn) }
      schedule(inflows[index].reportDue)
    }
    for index in outflows.indices.reversed() {
      if outflows[index].patience.map({ $0 <= turn.now }) == true {
        fail(index, .lost, in: &turn)
        continue
      }
      schedule(outflows[index].patience)
      if outflows[index].repeatAt.map({ $0 <= turn.now }) == true {
        if outflows[index].endWait(rules: turn.configuration.rules) {
          send(MessageReport(.question), to: outflows[index].receiver, in: &turn)
        }
        pump(index, in: &turn)
      }
      schedule(outflows[index].repeatAt)
    }
  }

  private mutating func schedule(_ time: Instant?) {
    if let time { due = min(due ?? time, time) }
  }
}

extension Messages {
  /// Bytes that wait here, each message counted with its cost: for the check that they are bounded.
  var load: MessageLoad {
    var load = MessageLoad()
    load.open = outflows.map(\.openBytes).max() ?? 0
    load.unread = inflows.map(\.unread).max() ?? 0
    load.unreliable = outflows.map(\.unreliable.bytes).max() ?? 0
    load.isSettled = !areOpen
    return load
  }

  /// Whether a receiver is still to acknowledge a message.
  var areOpen: Bool { outflows.contains { $0.openBytes > 0 } }

  /// The members that are still to acknowledge a message.
  func receivers(of message: MessageID) -> [PeerID] {
    outflows.filter { $0.open.contains(message) }.map(\.receiver.peer)
  }
}

/// Bytes of messages that wait at one node.
package struct MessageLoad: Sendable {
  /// For the receiver that has most of them to acknowledge.
  package var open = 0
  /// From the sender of which the app has most of them to read.
  package var unread = 0
  /// Of the unreliable messages of this node that wait for the receiver with most of them.
  package var unreliable = 0
  /// Whether every receiver has acknowledged everything.
  package var isSettled = true
}

extension Mesh {
  /// The member's link to this very start of a peer's process.
  func memberLink(to node: NodeID) -> LinkRef? {
    links.carrier(of: node.peer).flatMap { links.member($0) == node ? $0 : nil }
  }
}
