package import AnchorReplication
package import Basics
package import WorldModel

/// One peer's part in a session, without any I/O: bytes, clock readings and commands go in, one kind of output comes
/// out.
///
/// A protocol that reads sockets and clocks can be tested only as fast as these run, and never twice in the same way.
/// The faults that matter need several things at once: a link that dies, a late message, a member that lies. So the
/// protocol reads no clock, opens nothing, and draws random numbers from a seed: a simulation runs a session of many
/// nodes under faults far faster than life, and a seed repeats every failure (the way of FoundationDB's and
/// TigerBeetle's simulators; in Python it is called *sans-I/O*).
///
/// The driver feeds it through ``handle(_:at:)`` and ``receive(_:on:at:)``, drains ``nextOutput()`` to nil after each
/// call, and sleeps until ``deadline``. It is a value: a simulation may copy, fork and compare it.
///
/// It is a switchboard: every rule lives in an organ. An input or a frame goes to its organ (``carryOut(_:)``,
/// ``FrameType/rule``), notices go to the organs that receive them (`Node+Notices.swift`), and time passes for every
/// organ in turn (``visit(_:)``). Organs that called each other would each depend on which others have acted already;
/// here that order is written once, where notices are delivered.
///
/// Bytes are pulled late: what has to leave is asked for when the driver can send it (``nextTransmission()``), in order
/// of urgency. A queue of frames filled at once would put an urgent one behind a megabyte of map.
package struct Node: Sendable {
  /// The state that organs share, lent to one after the other.
  var turn: Turn
  var links: Watched<Links>
  var coordination: Watched<Coordination>
  var registers = Watched(Registers())
  var membership: Watched<Membership>
  var governance = Watched(Governance())
  var replication: Watched<Replication>
  var poses: Watched<LivePoses>
  var ownership: Watched<Ownership>
  var frames = Watched(FrameAlignment())
  var maps: Watched<MapExchange>
  var messages: Watched<Messages>
  var resources = Watched(Resources())
  var pairing = Watched(Pairing())
  var handshake = Watched(Handshake())
  var comparison = Watched(Comparison())
  /// The notices of the last call in the order of delivery, for observers such as the simulator.
  package internal(set) var notices: [Notice] = []

  /// A node alone in its session, or one that returns with the record of an earlier start of the same peer.
  ///
  /// - Parameter record: The record of the earlier start; its peer and service must be those of the configuration.
  package init(_ configuration: NodeConfiguration, restoring record: NodeRecord? = nil, at now: Instant) {
    let me = NodeID(peer: configuration.peerID, incarnation: configuration.incarnation)
    let rules = configuration.rules
    var random = SeededRandom(seed: configuration.seed)
    let coordination = Coordination(
      me: me, configuration: configuration.election, rules: rules, random: random.split(), at: now)
    let actor = ActorID(
      peer: me.peer, incarnation: rules.contains(.freshActor) ? configuration.incarnation : 1)
    let anchors = AnchorSet(actor: actor, peer: me.peer, rules: rules)
    turn = Turn(configuration, mesh: coordination.mesh, anchors: anchors, random: random, at: now)
    self.coordination = Watched(coordination)
    links = Watched(Links(addresses: configuration.addresses))
    membership = Watched(Membership(configuration))
    replication = Watched(Replication(firstRound: now + configuration.firstAntiEntropy))
    poses = Watched(LivePoses(me: me))
    ownership = Watched(Ownership())
    maps = Watched(MapExchange(memoryLimit: configuration.mapMemoryLimit))
    messages = Watched(Messages())
    frames.organ.begin(in: &turn)
    membership.organ.begin(in: &turn)
    governance.organ.begin(record, in: &turn)
    settle()
    if let record { restore(record) }
    refreshDeadlines()
  }

  /// Continues from the record of an earlier start, before this one has met another peer.
  private mutating func restore(_ record: NodeRecord) {
    precondition(record.peerID == me.peer && record.service == configuration.service, "another node's record")
    guard !record.roster.isEmpty else { return }
    if configuration.rules.contains(.remembersEpoch) {
      coordination.organ.resume(epoch: record.epoch, joinSequence: record.joinSequence, in: &turn)
    }
    coordination.organ.announceSeat(in: &turn)
    membership.organ.resume(record, in: &turn)
    settle()
  }

  // MARK: Outputs

  /// The next output, or nil when there is none until ``deadline``.
  package mutating func nextOutput() -> Output? {
    if let order = nextOrder() { return order }
    if let (id, bytes) = nextTransmission() { return .transmit(id, bytes) }
    // Writing for a link may end it, which gives new orders.
    return nextOrder()
  }

  /// Whether ``nextOrder()`` may return one; asking this costs less, and after most calls there is none.
  package var mayHaveOrders: Bool { mutating get { turn.outbox.hasOrders || turn.configuration.keepsRecord } }

  /// The next order, for a driver that pulls transmissions only at the end of a round of its loop.
  package mutating func nextOrder() -> Output? {
    if let order = turn.outbox.nextOrder() { return order }
    // Most nodes keep none, and to look for it copies the turn.
    guard turn.configuration.keepsRecord else { return nil }
    guard !membership.state.keeper.isKept(in: turn) else { return nil }
    return .persist(membership.organ.keeper.take(in: turn))
  }

  /// Whether ``nextOrder()`` has an order other than a record to persist.
  package var hasOrders: Bool { mutating get { turn.outbox.hasOrders } }

  /// Whether ``nextTransmission()`` may return bytes.
  package var hasTransmissions: Bool { mutating get { turn.outbox.hasPending } }

  /// The next bytes for a link; afterwards there may be new orders.
  package mutating func nextTransmission() -> (link: LinkID, bytes: [UInt8])? {
    // Writing is part of the last call: it must not see a later time.
    turn.now = turn.lastTick
    while let link = turn.outbox.nextPending() {
      if let bytes = takeBytes(for: link) { return (link.id, bytes) }
    }
    return nil
  }

  /// The next bytes for a link, the most urgent lane first: control, operations, poses, messages, pieces of maps and resources.
  ///
  /// Nil when nothing waits or the link's window is full.
  private mutating func takeBytes(for link: LinkRef) -> [UInt8]? {
    let control = turn.outbox.controlBytes(on: link)
    guard links.organ.beginSending(on: link, control: control), let kind = links.state.kind(of: link) else {
      poses.organ.dropLate(on: link)
      return nil
    }
    // A peer that does not read would make this queue grow without a limit.
    guard control <= links.state.controlLimit(of: link) else {
      links.organ.end(link, .limitExceeded, in: &turn)
      settle()
      return nil
    }
    turn.outbox.scratch.removeAll()
    if control > 0 { turn.outbox.moveControl(of: link) }
    switch kind {
    case .greeting, .stranger: break
    case .member:
      replication.organ.write(on: link, in: &turn)
      if poses.state.hasWaiting(on: link) { poses.organ.write(on: link, in: &turn) }
      if messages.state.hasWaiting(on: link) { messages.organ.write(on: link, in: &turn) }
      maps.organ.write(on: link, in: &turn)
      resources.organ.write(on: link, in: &turn)
    case .bulk:
      maps.organ.write(on: link, in: &turn)
      resources.organ.write(on: link, in: &turn)
    }
    guard turn.outbox.scratch.count > 0 else { return nil }
    links.organ.noteSent(turn.outbox.scratch.count, on: link, at: turn.now)
    return turn.outbox.scratch.take()
  }

  /// Returns a transmitted buffer for reuse, so that the next bytes need no allocation.
  package mutating func reuse(_ spent: consuming [UInt8]) {
    turn.outbox.scratch = ByteWriter(reusing: spent)
  }
}

/// Time: when organs are due, what they do then, and what is excused when this process stood still.
extension Node {
  /// Shows every organ to a visitor, in the order in which their timers run.
  ///
  /// All consequences of one thing that an organ has done come before the next.
  private mutating func visit(_ visitor: inout some OrganVisitor) {
    while visitor.visits(&links, in: &turn) { settle() }
    while visitor.visits(&membership, in: &turn) { settle() }
    while visitor.visits(&governance, in: &turn) { settle() }
    while visitor.visits(&pairing, in: &turn) { settle() }
    while visitor.visits(&handshake, in: &turn) { settle() }
    while visitor.visits(&comparison, in: &turn) { settle() }
    while visitor.visits(&replication, in: &turn) { settle() }
    while visitor.visits(&poses, in: &turn) { settle() }
    while visitor.visits(&maps, in: &turn) { settle() }
    while visitor.visits(&resources, in: &turn) { settle() }
    while visitor.visits(&frames, in: &turn) { settle() }
    while visitor.visits(&messages, in: &turn) { settle() }
    while visitor.visits(&coordination, in: &turn) { settle() }
    while visitor.visits(&registers, in: &turn) { settle() }
    while visitor.visits(&ownership, in: &turn) { settle() }
  }

  /// When the node needs ``Input/tick`` at the latest; nil after the end.
  package var deadline: Instant? {
    mutating get {
      guard !turn.hasEnded else { return nil }
      var deadlines = Deadlines(next: turn.lastTick + links.organ.pulse)
      visit(&deadlines)
      return max(deadlines.next, turn.lastTick)
    }
  }

  /// Records the time of a call.
  ///
  /// If the call is late because this process stood still, other peers get that much more time.
  mutating func noteTime(_ now: Instant) {
    let late = now - turn.lastTick - links.organ.pulse
    if late > .milliseconds(500) {
      links.organ.postpone(by: late)
      excuse(late)
    }
    turn.lastTick = max(turn.lastTick, now)
  }

  /// Extends every wait for other peers by a gap in which this process did not run or the machine was suspended.
  mutating func excuse(_ gap: Duration) {
    var excuses = Excuses(gap: gap)
    visit(&excuses)
    turn.tell(.elect(.stalled(gap)))
    settle()
    membership.organ.hastenDials(in: &turn)
  }

  /// Runs the due timers, organ by organ, and then the conclusions that this turn allows.
  mutating func runTimers() {
    guard !turn.hasEnded else { return }
    settle()
    var timers = Timers()
    visit(&timers)
    // A new host, or a change of what can be reached, may decide disputed records.
    if membership.state.hasNewEvidence { takeBelieved() }
    if !replication.state.isIdle { replication.organ.conclude(messagesAreOpen: messages.state.areOpen, in: &turn) }
    if !ownership.state.isIdle(at: turn.now) { ownership.organ.conclude(in: &turn) }
    refreshDeadlines()
  }

  /// Computes the deadlines of the organs that this turn has changed.
  mutating func refreshDeadlines() {
    var refreshes = Refreshes()
    visit(&refreshes)
  }

  /// Lets membership review its disputed records, one after the other.
  mutating func takeBelieved() {
    var last: PeerID?
    while let next = membership.organ.takeBelieved(after: last, in: &turn) {
      settle()
      last = next
    }
  }
}

/// Queries, allowed at any time.
extension Node {
  /// The configuration, constant from the start.
  package var configuration: NodeConfiguration { turn.configuration }
  /// This start of this peer.
  package var me: NodeID { turn.me }
  /// The time of the last call.
  package var time: Instant { mutating get { turn.now } }
  /// The records of all peers of the session.
  package var roster: Roster { turn.mesh.roster }
  /// The rules for newcomers.
  package var rules: SessionRules { turn.mesh.rules }
  /// Why nobody new can be invited; nil if somebody can.
  package var invitationRefusal: EndReason? { turn.mesh.invitationRefusal }
  /// Whether this node may lock the session and remove members: as host or while it is alone, in an owned session by its role.
  package var mayRule: Bool { turn.mayRule }
  /// The owned session that this node is in; nothing in an open one.
  package var ownedSession: GovernanceView { turn.mesh.governance }
  /// The peers this node invites: those that have answered its dial and not yet the invitation, in the order of asking.
  package var invitedPeers: [PeerID] { membership.state.invitedPeers }
  /// The record to persist now.
  package var record: NodeRecord { membership.state.keeper.record(in: turn) }
  /// Whether its part in the session is over.
  package var hasEnded: Bool { turn.hasEnded }

  /// The host, as this node sees it.
  package var host: NodeID? { turn.mesh.host }
  /// The epoch: counts the hosts of a session.
  package var epoch: UInt64 { turn.mesh.reign.epoch }
  /// The time all members share (milliseconds).
  package func sessionTime(at now: Instant) -> UInt64 { turn.mesh.reign.clock.time(at: now) }
  /// This node's election machine.
  package var election: HostElection { coordination.state.election }

  /// The pairs of linked members among those that can be reached, as they announce it.
  package var presence: [(PeerID, PeerID)] {
    turn.mesh.graph.pairs.filter { turn.mesh.roster[$0.peer]?.node == $0 && turn.mesh.roster[$1.peer]?.node == $1 }
      .map { ($0.peer, $1.peer) }
  }

  /// How many members have a second connection to this node, for pieces of maps.
  package var bulkLinkCount: Int { links.state.bulkLinkCount }

  /// Whether a peer is among the other members.
  package func isMember(_ peer: PeerID) -> Bool { turn.mesh.standings[peer] != nil }

  /// Whether another member says that it listens at this host.
  package func isMember(at host: SocketAddress.Host) -> Bool {
    turn.mesh.standings.keys.contains { peer in
      turn.mesh.roster[peer]?.addresses.contains { $0.host == host } ?? false
    }
  }

  /// The hosts at which other members say that they listen.
  package var memberHosts: [SocketAddress.Host] {
    turn.mesh.standings.keys.sorted().flatMap { turn.mesh.roster[$0]?.addresses.map(\.host) ?? [] }
  }

  /// How long a peer has its part in an owned session from now on; nil for one without an end, and for none.
  package func roleTime(of peer: PeerID, at now: Instant) -> Duration? {
    governance.state.roleTime(of: peer, at: now, in: turn)
  }

  /// Whether a link to a peer stands on which nothing is owed any more.
  package func isLinked(to peer: PeerID) -> Bool {
    turn.mesh.links.carrier(of: peer).map(turn.mesh.links.isProven) == true
  }

  /// The other members as the app may see them, in the order of their ids.
  package var memberSummaries: [MemberSummary] {
    turn.mesh.roster.entries.compactMap { entry in
      guard let standing = turn.mesh.standings[entry.peerID] else { return nil }
      let traffic = links.state.traffic(with: entry.peerID, in: turn)
      return MemberSummary(
        peerID: entry.peerID, name: entry.name, status: standing.status, isNoticed: standing.isNoticed,
        roundTrip: traffic.roundTrip,
        isDirect: traffic.isDirect, bytesSent: traffic.bytesSent, bytesReceived: traffic.bytesReceived,
        link: traffic.link, bytesWaiting: traffic.bytesWaiting)
    }
  }

  /// The replicated anchors.
  package var anchors: AnchorSet {
    _read { yield turn.anchors }
  }
  /// Lends the anchors, the roster and the frames in place, to be read often: what a property yields is copied.
  ///
  /// A closure that captures them copies them too, so pass them on as arguments.
  package mutating func lend(_ body: (borrowing AnchorSet, borrowing Roster, borrowing FrameView) -> Void) {
    body(turn.anchors, turn.mesh.roster, turn.mesh.frames)
  }
  /// Whether all poses are in the shared frame, and this peer too.
  package var hasTrivialFrames: Bool { mutating get { turn.mesh.frames.isTrivial } }
  /// The digest of all anchors; reading it hashes the changes since it was last read.
  package var digest: SHA256Digest { mutating get { turn.anchors.digest } }
  /// The anchors that have a place in this peer's frame, there, in the order of their ids.
  package var placedAnchors: [Anchor] {
    mutating get {
      let all = allAnchors
      let frames = turn.mesh.frames
      return frames.isTrivial ? all : all.compactMap { frames.anchor($0.id, in: turn.anchors) }
    }
  }
  /// The others, in the frames of their authors.
  package var unplacedAnchors: [Anchor] {
    mutating get {
      let frames = turn.mesh.frames
      return frames.isTrivial ? [] : allAnchors.filter { frames.anchor($0.id, in: turn.anchors) == nil }
    }
  }
  /// All anchors in the order of their ids, each in the frame of its pose's author; the cost is proportional to the changes since the
  /// last call.
  package var allAnchors: [Anchor] { mutating get { turn.anchors.anchors } }
  /// The words that members spread of themselves, ascending by topic, author and key.
  package var words: [SpreadWord] { turn.words.words }
  /// The groups of the peers that the app was told of and that have ever been in one, this one included.
  package var groups: Table<PeerID, [String]> { messages.state.groupsOfPeers(in: turn) }
  /// The other members in a group that messages can be sent to now, in the order of their ids.
  package func receivers(in group: String) -> [PeerID] { messages.state.receivers(in: group, in: turn) }
  /// Whether this node has everything its linked members had when they connected: operations, and the session's map.
  package var isSynchronized: Bool { replication.state.isSynchronized }
  /// The frames that members use, and where they lie.
  package var worldFrames: FrameView { turn.mesh.frames }
  /// The poses of other peers' devices and drags that pass the app's interest, each in the frame of its author.
  package var livePoses: [EphemeralUpdate] { poses.state.visible(in: turn) }
  /// The grant of an anchor's owner; nil when it has none, or the anchor is unknown.
  package func owner(of anchor: AnchorID, at now: Instant) -> AnchorLock? {
    guard let lock = anchors.lock(of: anchor), lock.holder(at: sessionTime(at: now)) != nil else { return nil }
    return lock
  }

  /// Whether this node may share a map with the whole session now.
  package var mayShareMap: Bool { turn.mayShareMap }
  /// This node's status of the session's map.
  package var mapStatus: MapStatus { maps.state.status }
  /// A member's status of the session's map, as last announced.
  package func mapStatus(of peer: PeerID) -> MapStatus { maps.state.status(of: peer, in: turn) }
  /// The latest complete map of the session.
  package var currentMap: MapID? { maps.state.currentMap }
  /// The resources that were offered, in either direction, and have not ended.
  package var openResources: Int { resources.state.openCount }
  /// The attachments that are listed, and whether all of each is here.
  package var attachments: [(offer: OfferedResource, isHere: Bool)] { resources.state.listed }
  /// The messages that wait here.
  package var messageLoad: MessageLoad { messages.state.load }
  /// The start of a peer to which parts of streams go at present; nil before the first.
  package func streamReceiver(_ peer: PeerID) -> NodeID? { messages.state.streamReceiver(peer) }
  /// The members that have not acknowledged a message.
  package func receivers(of message: MessageID) -> [PeerID] { messages.state.receivers(of: message) }
  /// The traffic of fetching a map; nil for one that is not held.
  package func traffic(of map: MapID) -> ContentTraffic? { maps.state.traffic(of: map) }
  /// The verified chunks of a map; nil for one that is not held.
  package func verifiedChunks(of map: MapID) -> ChunkSet? { maps.state.verifiedChunks(of: map) }
}

/// Queries about frames.
extension Node {
  /// The frame in which a member writes; nil of one that is not in the session.
  package func frame(of peer: PeerID) -> WorldFrame? {
    turn.mesh.roster[peer].map { turn.mesh.frames.frame(of: $0.node) }
  }

  /// How the frame of a member lies in this peer's; nil of one that is not in the session.
  package func alignment(of peer: PeerID) -> PeerAlignment? {
    turn.mesh.roster[peer].map { turn.mesh.frames.alignment(of: $0.node) }
  }

  /// How the shared frame lies in this peer's.
  package var alignmentOfSharedFrame: PeerAlignment { turn.mesh.frames.alignmentOfSharedFrame }

  /// The frame of the pose of an anchor; nil when there is no such anchor, or that is not known any more.
  package func frame(ofPoseOf anchor: AnchorID) -> WorldFrame? {
    guard let slot = anchors.slot(showing: anchor) else { return nil }
    let stamp = anchors.poseStamp(at: slot)
    return turn.mesh.frames.book.frame(of: stamp.actor, clock: stamp.clock)
  }
}
