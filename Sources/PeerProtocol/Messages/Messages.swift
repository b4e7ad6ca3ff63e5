import AnchorReplication
import Basics
import WorldModel

/// The organ of the app's messages: it delivers each to every receiver exactly once and in order, or reports that it failed.
///
/// Unreliable ones may be lost, and are never handed over behind a newer one (`Messages+Unreliable.swift`).
///
/// The sender keeps a message until its receivers have acknowledged it, and sends what a broken link or a full relay
/// has lost again. A message that a start of a receiver will never acknowledge fails with an event that names the
/// receiver and the messages.
struct Messages: Organ {
  /// Messages that members are still to receive, ascending by member; of one, the critical messages come first.
  var outflows: [Outflow] = []
  /// Progress of the messages that members send, one for each start of a sender.
  private var inflows: [Inflow] = []
  /// Messages that wait on the links of members.
  var lanes = PerLink<MessageLane>()
  /// The last unreliable messages of members that were handed over.
  var unreliableInflows: [UnreliableInflow] = []
  /// The groups that members are in, and those that the app knows.
  var groups: Table<NodeID, [String]> = [:]
  var shownGroups: Table<PeerID, [String]> = [:]
  /// Links to peers that this node holds as members and that are not members' links yet.
  var newcomers: [LinkRef] = []
  private var lastNumber: UInt64 = 0
  var lastChain: UInt32 = 0
  /// Whether the app was refused a message because too many were open.
  private var owesRoom = false
  /// Nothing is due before this.
  private var due: Instant?

  func deadline(in turn: inout Turn) -> Instant? { due }

  // MARK: Commands

  /// Accepts a message for these members, or for all that are in reach or were lately.
  ///
  /// - Returns: ``Answer/sent(_:)``, or why nobody gets the message.
  mutating func send(
    _ bytes: [UInt8], as kind: MessageKind, mode: MessageMode, to peers: [PeerID]?, in turn: inout Turn
  ) -> Answer {
    // A node that has sent nothing yet looks at its receivers now.
    if lastNumber == 0 { review(in: &turn) }
    for peer in peers ?? [] where index(of: peer) == nil {
      if !addOutflow(for: peer, in: &turn) { return .refused(.notReceiver(peer)) }
    }
    if case .unreliable(let key) = mode {
      lastNumber += 1
      offer(UnreliableMessage(bytes, number: lastNumber, kind: kind, key: key), to: peers, in: &turn)
      return .sent(MessageID(lastNumber))
    }
    let track: MessageTrack = kind == .stream ? .streams : mode == .critical ? .critical : .ordinary
    addOutflows(track, for: peers, in: &turn)
    guard hasRoom(ProtocolLimits.cost(ofMessage: bytes), on: track, for: peers, in: turn) else {
      owesRoom = true
      return .refused(.messagesWait)
    }
    lastNumber += 1
    for index in outflows.indices where isReceiver(index, in: peers, track) {
      guard outflows[index].add(lastNumber, bytes, kind) else { continue }
      // Not with the whole turn: to lend a part of what one may change copies it.
      limitWait(for: index, at: turn.now)
      pump(index, in: &turn)
    }
    return .sent(MessageID(lastNumber))
  }

  /// The app has messages of a member of so many bytes left to read, each counted with ``ProtocolLimits/messageCost``.
  mutating func setUnread(_ bytes: Int, from peer: PeerID, in turn: inout Turn) {
    for index in inflows.indices where inflows[index].sender.peer == peer && inflows[index].track != .streams {
      inflows[index].unread = max(0, bytes)
      if inflows[index].isReportUrgent(limit: turn.configuration.messageWindow) {
        report(.report, to: index, in: &turn)
      }
    }
  }

  /// Whether one more message of this cost stays within the window of each of these receivers, and within the total.
  private func hasRoom(_ cost: Int, on track: MessageTrack, for peers: [PeerID]?, in turn: borrowing Turn) -> Bool {
    let window = turn.configuration.messageWindow(of: track)
    var total = 0
    for index in outflows.indices {
      // Through the span: the subscript of an array copies the element.
      let open = outflows.span[index].openBytes
      total += open
      guard isReceiver(index, in: peers, track) else { continue }
      guard open + cost <= window else { return false }
      total += cost
    }
    return total <= turn.configuration.messageTotal(of: track) || !turn.configuration.rules.contains(.messageTotal)
  }

  func isReceiver(_ index: Int, in peers: [PeerID]?, _ track: MessageTrack) -> Bool {
    // Through the span: the subscript of an array copies the element.
    guard outflows.span[index].track == track else { return false }
    guard let peers else { return outflows.span[index].isListed }
    return peers.contains(outflows.span[index].receiver.peer)
  }

  // MARK: Sending

  /// Lets the messages for a receiver leave, as far as they may.
  mutating func pump(_ index: Int, in turn: inout Turn) {
    if outflows.span[index].way == .relayed { relay(index, in: &turn) }
    let (link, end) = outflows[index].prepare(at: turn.now, rules: turn.configuration.rules)
    if let link {
      lanes.update(link) { $0.isWaiting = true }
      turn.flush(link)
    }
    schedule(end)
  }

  /// Hands messages to the member that is next on the way to their receiver.
  private mutating func relay(_ index: Int, in turn: inout Turn) {
    let route = FrameRoute(from: turn.me, to: outflows[index].receiver)
    guard let hop = turn.nextLink(to: route.to) else { return }
    let (limit, rules) = (turn.configuration.messageWindow, turn.configuration.rules)
    if !outflows[index].unreliable.isEmpty { lanes.update(hop) { $0.isWaiting = true } }
    while let (head, bytes) = outflows[index].next(within: ProtocolLimits.relayedFlight, rules: rules) {
      let size = FrameRoute.size + MessageHead.size + bytes.count
      let hasRoom = lanes.update(hop) { lane in
        // A broken build changes the order of others' messages alone: two changes would cancel each other out.
        lane.relay(size, isCritical: head.isCritical, limit: limit, rules: rules.union(.relayOrder)) { body in
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
  func hasWaiting(on link: LinkRef) -> Bool { lanes.read(link) { $0.isWaiting } ?? false }

  /// Appends messages that wait on a member's link while the window has room.
  mutating func write(on link: LinkRef, in turn: inout Turn) {
    let half = ProtocolLimits.transmitWindow / 2
    var rest = writeChain(.critical, on: link, in: &turn)
    lanes.update(link) { $0.moveRelayed(to: &turn.outbox.scratch, limit: half) }
    if lanes[link].map({ $0.relayedBytes > 0 }) == true { rest = true }
    // Each goes first in turn, so that none shuts the others out of a link that is always full.
    let first = lanes.update(link) { $0.takeTurn() } ?? (unreliableFirst: true, streamsFirst: false)
    if first.unreliableFirst, writeUnreliable(on: link, in: &turn) { rest = true }
    if first.streamsFirst, writeChain(.streams, on: link, in: &turn) { rest = true }
    if writeChain(.ordinary, on: link, in: &turn) { rest = true }
    if !first.streamsFirst, writeChain(.streams, on: link, in: &turn) { rest = true }
    if !first.unreliableFirst, writeUnreliable(on: link, in: &turn) { rest = true }
    lanes.update(link) { $0.isWaiting = rest }
    // A link that has as much as this on its way asks again by itself.
    if rest, turn.outbox.scratch.count < half { turn.flush(link) }
  }

  /// Appends messages to the member at the other end of a link while there is room; whether some are left.
  private mutating func writeChain(_ track: MessageTrack, on link: LinkRef, in turn: inout Turn) -> Bool {
    let index = outflows.indices.first {
      outflows.span[$0].track == track && outflows.span[$0].way == .direct(link)
    }
    guard let index else { return false }
    return outflows[index].write(to: &turn.outbox.scratch, rules: turn.configuration.rules)
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
      let slot = inflow(of: sender.node, head.track, in: turn)
      receive(head, try reader.readSpan(reader.remaining), at: slot, in: &turn)
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
    var route = try FrameRoute(reading: &reader)
    let rest = body.extracting(reader.offset..<body.byteCount)
    let head = try MessageHead(reading: &reader)
    guard turn.believes(route.from, on: sender) else { return }
    guard route.to != turn.me else {
      let slot = inflow(of: route.from, head.track, in: turn)
      return receive(head, try reader.readSpan(reader.remaining), at: slot, in: &turn)
    }
    guard route.hops < ProtocolLimits.hops, let hop = turn.nextLink(to: route.to, avoiding: sender.node) else { return }
    route.hops += 1
    let (limit, rules) = (turn.configuration.relayedMessageLimit, turn.configuration.rules)
    _ = lanes.update(hop) { lane in
      lane.relay(
        FrameRoute.size + rest.byteCount, isCritical: head.isCritical, limit: limit, rules: rules
      ) { body in
        route.write(to: &body)
        body.write(span: rest)
      }
    }
    turn.flush(hop)
  }

  /// Takes the whole frames of messages at the start of `bytes`, up to another frame or until `isSpent`, which is asked after
  /// each; returns how many bytes they were.
  ///
  /// A sender of many messages sends them one behind the other: only the first is looked up.
  mutating func receiveRun(
    _ bytes: RawSpan, from sender: NodeID, in turn: inout Turn, until isSpent: () -> Bool
  ) throws(DecodingFailure) -> (used: Int, isSpent: Bool) {
    let (type, limit) = (FrameType.message, FrameType.message.rule.limit)
    var (used, known) = (0, nil as (slot: InflowSlot, track: MessageTrack)?)
    while FrameHead.type(in: bytes, at: used) == type.rawValue,
      let frame = try FrameHead.find(in: bytes, at: used, limit: limit)
    {
      var reader = ByteReader(bytes.extracting(frame.body))
      used = frame.body.upperBound
      let head: MessageHead
      do throws(DecodingFailure) { head = try MessageHead(reading: &reader) } catch .unknownKind { continue }
      let content = try reader.readSpan(reader.remaining)
      let before = known?.track == head.track ? known?.slot : nil
      let slot = before ?? inflow(of: sender, head.track, in: turn)
      known = (slot, head.track)
      receive(head, content, at: slot, in: &turn)
      if used < bytes.byteCount, isSpent() { return (used, true) }
    }
    return (used, false)
  }

  /// Hands a message to the app if it is the next one of its sender, and sees to its report.
  private mutating func receive(_ head: MessageHead, _ message: RawSpan, at slot: InflowSlot, in turn: inout Turn) {
    let index = slot.index
    let (limit, rules) = (turn.configuration.messageWindow, turn.configuration.rules)
    let cost = ProtocolLimits.cost(ofMessage: message.byteCount)
    // The app hears first that the sender is there: what comes before, its sender sends again.
    let arrival = slot.isPresent ? inflows[index].take(head, cost: cost, limit: limit, rules: rules) : .unexpected
    if arrival != .unexpected {
      for other in inflows.indices
      where other != index && inflows.span[other].sharesUnread(with: inflows.span[index]) {
        inflows[other].unread += cost
      }
      let sender = inflows.span[index].sender
      switch head.kind {
      case .bytes: turn.outbox.append(message: message, from: sender.peer)
      case .envelope:
        let envelope = NumberedMessage(number: MessageID(head.number), bytes: [UInt8](message))
        turn.outbox.append(envelope: envelope, from: sender)
      case .stream: turn.report(.stream([UInt8](message), MessageID(head.number), from: sender))
      }
      if arrival == .deliveredUrgently { return report(.report, to: index, in: &turn) }
    }
    schedule(inflows[index].owe(at: turn.now + ProtocolTimes.messageReport))
  }

  /// Where the messages of a start of a member are, and whether the app was told that this member is there.
  private typealias InflowSlot = (index: Int, isPresent: Bool)

  /// The slot of what this start of a member has sent.
  private mutating func inflow(of sender: NodeID, _ track: MessageTrack, in turn: borrowing Turn) -> InflowSlot {
    let isPresent = turn.isPresent(sender.peer)
    let known = inflows.indices.first { inflows.span[$0].track == track && inflows.span[$0].sender == sender }
    if let known { return (known, isPresent) }
    if inflows.count >= ProtocolLimits.messageSenders {
      // Those of members stay: their chains go on.
      inflows.remove(at: inflows.firstIndex { !turn.mesh.isMember($0.sender) } ?? 0)
    }
    let shared = track == .streams ? nil : inflows.last { $0.sender.peer == sender.peer && $0.track != .streams }
    inflows.append(Inflow(sender, track, unread: shared?.unread ?? 0))
    return (inflows.count - 1, isPresent)
  }

  // MARK: Reports

  /// Takes a report of a receiver, or the question of a sender; `link` is nil for what came through members.
  private mutating func receive(
    _ report: MessageReport, from node: NodeID, on link: LinkRef?, in turn: inout Turn
  ) {
    guard report.kind != .question else {
      let index = inflow(of: node, report.track, in: turn).index
      return self.report(link == nil ? .report : .answer, to: index, in: &turn)
    }
    guard let index = index(of: node.peer, report.track), outflows[index].receiver == node else { return }
    switch outflows[index].receive(report, rules: turn.configuration.rules) {
    case .none: return
    case .lost:
      fail(index, .restarted, in: &turn)
      review(in: &turn)
    case .some:
      // Not for every report: messages that leave many at a time cost far less than those that leave as each finds room.
      let window = turn.configuration.messageWindow(of: report.track)
      if owesRoom, outflows[index].openBytes <= window - window / 4,
        openBytes <= turn.configuration.messageTotal(of: report.track) - window / 4
      {
        giveRoom(in: &turn)
      }
      pump(index, in: &turn)
    }
  }

  /// Tells a sender how far its messages have come.
  private mutating func report(_ kind: MessageReport.Kind, to index: Int, in turn: inout Turn) {
    let report = inflows[index].report(kind, limit: turn.configuration.messageWindow)
    send(report, to: inflows[index].sender, in: &turn)
  }

  func send(_ report: MessageReport, to node: NodeID, in turn: inout Turn) {
    if let link = turn.mesh.memberLink(to: node) {
      turn.send(.messageReport, on: link) { report.write(to: &$0) }
    } else {
      turn.route(RelayedReport(report, from: turn.me, to: node))
    }
  }

  /// Tells an app that was refused a message that it may try again.
  mutating func giveRoom(in turn: inout Turn) {
    if exchange(&owesRoom, with: false) { turn.report(.messageRoom) }
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
    showGroups(in: &turn)
    showUnreliable(in: &turn)
  }

  /// Extends every wait for a member by a time in which this node stood still.
  mutating func excuse(_ gap: Duration, in turn: inout Turn) {
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
          send(question(of: index), to: outflows[index].receiver, in: &turn)
        }
        pump(index, in: &turn)
      }
      schedule(outflows[index].repeatAt)
    }
  }

  mutating func schedule(_ time: Instant?) {
    if let time { due = min(due ?? time, time) }
  }
}

extension Messages {
  /// Bytes that wait here, each message counted with its cost: for the check that they are bounded.
  var load: MessageLoad {
    var load = MessageLoad()
    load.open = outflows.map(\.openBytes).max() ?? 0
    load.total = openBytes
    load.unread = inflows.map(\.unread).max() ?? 0
    load.unreliable = outflows.map(\.unreliable.bytes).max() ?? 0
    lanes.forEach { lane in
      load.relayed = max(load.relayed, lane.mostRelayedBytes)
      load.relayedUnreliable = max(load.relayedUnreliable, lane.unreliable.bytes)
    }
    load.isSettled = !areOpen
    return load
  }

  /// Cost of the messages that receivers are still to acknowledge; one to several counts for each of them.
  var openBytes: Int {
    // Through the span: the subscript of an array copies the element.
    outflows.indices.reduce(0) { $0 + outflows.span[$1].openBytes }
  }

  /// Whether a receiver is still to acknowledge a message.
  var areOpen: Bool { outflows.indices.contains { outflows[$0].openBytes > 0 } }

  /// The members that are still to acknowledge a message.
  func receivers(of message: MessageID) -> [PeerID] {
    outflows.filter { $0.open.contains(message) }.map(\.receiver.peer)
  }
}

/// Bytes of messages that wait at one node.
package struct MessageLoad: Sendable {
  /// For the receiver that has most of them to acknowledge.
  package var open = 0
  /// For all receivers together.
  package var total = 0
  /// From the sender of which the app has most of them to read.
  package var unread = 0
  /// Of the unreliable messages of this node that wait for the receiver with most of them.
  package var unreliable = 0
  /// Of the frames, of this node and of others, that wait on the link with most of them to be passed on, critical or not.
  package var relayed = 0
  /// Of the unreliable messages of others that wait on the link with most of them.
  package var relayedUnreliable = 0
  /// Whether every receiver has acknowledged everything.
  package var isSettled = true
}

extension Mesh {
  /// The member's link to this very start of a peer's process.
  func memberLink(to node: NodeID) -> LinkRef? {
    links.carrier(of: node.peer).flatMap { links.member($0) == node ? $0 : nil }
  }
}
