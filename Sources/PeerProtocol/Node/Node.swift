package import AnchorReplication
package import Basics
package import WorldModel

/// One peer's part in a session, without any I/O: bytes, clock readings and commands go in, one kind of output comes out.
///
/// The driver feeds it through ``handle(_:at:)`` and ``receive(_:on:at:)``, drains ``nextOutput()`` to nil after each
/// call, and sleeps until ``deadline``. It is a value: a simulation may copy, fork and compare it.
///
/// It is a switchboard: every rule is an organ's. An input or a frame goes to the organ that it is for (``carryOut(_:)``,
/// ``FrameType/rule``), what that tells the others goes to those who want it (`Node+Notices.swift`), and what is due goes to
/// everybody in turn (``runTimers()``).
package struct Node: Sendable {
  /// What the organs work on.
  var turn: Turn
  var links: Watched<Links>
  var coordination: Watched<Coordination>
  var membership: Watched<Membership>
  var replication: Watched<Replication>
  var poses: Watched<LivePoses>
  var ownership: Watched<Ownership>
  var maps: Watched<MapExchange>
  var messages = Messages()
  /// What organs told each other since the last call, in the order in which it was delivered: for whoever looks on.
  package internal(set) var notices: [Notice] = []
  /// When time was last looked at.
  var lastTick: Instant
  /// Whether its part in the session is over.
  package internal(set) var hasEnded = false

  /// A node alone in its session, or one that comes back with what an earlier start of the same peer has kept.
  ///
  /// - Parameter record: What was kept; its peer and service must be those of the configuration.
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
    maps = Watched(MapExchange())
    lastTick = now
    membership.organ.begin(in: &turn)
    if let record { restore(record) }
    refreshDeadlines()
  }

  /// Goes on where an earlier start of this peer was, before this one has met anybody.
  private mutating func restore(_ record: NodeRecord) {
    precondition(record.peerID == me.peer && record.service == configuration.service, "another node's record")
    guard !record.roster.isEmpty else { return }
    if configuration.rules.contains(.remembersEpoch) {
      coordination.organ.resume(epoch: record.epoch, joinSequence: record.joinSequence, in: &turn)
    }
    coordination.organ.announcePlace(in: &turn)
    membership.organ.resume(record, in: &turn)
    settle()
  }

  // MARK: Outputs

  /// The next thing to do, or nil when there is nothing until ``deadline``.
  package mutating func nextOutput() -> Output? {
    if let order = nextOrder() { return order }
    if let (id, bytes) = nextTransmission() { return .transmit(id, bytes) }
    // To write for a link may end it.
    return nextOrder()
  }

  /// The next thing to do at once, for a driver that asks for what links have to send only when a round of its loop is over.
  package mutating func nextOrder() -> Output? {
    if let order = turn.outbox.nextOrder() { return order }
    guard !membership.state.isKept(in: turn, hasEnded: hasEnded) else { return nil }
    return .persist(membership.organ.takeRecord(in: turn, hasEnded: hasEnded))
  }

  /// Whether ``nextOrder()`` has something besides a record to keep.
  package var hasOrders: Bool { turn.outbox.hasOrders }

  /// Whether ``nextTransmission()`` may have something.
  package var hasTransmissions: Bool { turn.outbox.hasPending }

  /// The next bytes for a link; afterwards there may be new orders.
  package mutating func nextTransmission() -> (link: LinkID, bytes: [UInt8])? {
    // Nothing is sent later than time was last looked at.
    turn.now = lastTick
    while let link = turn.outbox.nextPending() {
      if let bytes = takeBytes(for: link) { return (link.id, bytes) }
    }
    return nil
  }

  /// The next bytes for a link, the most urgent lane first: control, operations, poses, map pieces.
  ///
  /// Nil when nothing waits or the link has taken its fill.
  private mutating func takeBytes(for link: LinkRef) -> [UInt8]? {
    let control = turn.outbox.controlBytes(on: link)
    guard links.organ.beginSending(on: link, control: control), let kind = links.state.kind(of: link) else {
      poses.organ.dropLate(on: link)
      return nil
    }
    guard control <= ProtocolLimits.controlQueue else {
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
      maps.organ.write(on: link, in: &turn)
    case .bulk: maps.organ.write(on: link, in: &turn)
    }
    guard turn.outbox.scratch.count > 0 else { return nil }
    links.organ.noteSent(turn.outbox.scratch.count, on: link, at: turn.now)
    return turn.outbox.scratch.take()
  }

  /// Takes back bytes that were transmitted, so that the next ones need no memory of their own.
  package mutating func reuse(_ spent: consuming [UInt8]) {
    turn.outbox.scratch = ByteWriter(reusing: spent)
  }

  // MARK: Time

  /// When the node wants ``Input/tick`` at the latest; nil after the end.
  package var deadline: Instant? {
    guard !hasEnded else { return nil }
    var next = lastTick + ProtocolTimes.ping
    next = min(next, links.deadline(in: turn) ?? next)
    next = min(next, membership.deadline(in: turn) ?? next)
    next = min(next, replication.deadline(in: turn) ?? next)
    next = min(next, poses.deadline(in: turn) ?? next)
    next = min(next, coordination.deadline(in: turn) ?? next)
    next = min(next, ownership.deadline(in: turn) ?? next)
    return max(next, lastTick)
  }

  /// Notes the time of a call.
  ///
  /// A turn that comes late because this process stood still must not accuse others.
  mutating func noteTime(_ now: Instant) {
    let late = now - lastTick - ProtocolTimes.ping
    if late > .milliseconds(500) {
      links.organ.postpone(by: late)
      excuse(late)
    }
    lastTick = max(lastTick, now)
  }

  /// Gives others the time in which this node was not running, or the machine was suspended.
  mutating func excuse(_ gap: Duration) {
    links.organ.excuse(gap, in: turn)
    membership.organ.excuse(gap, in: &turn)
    maps.organ.excuse(gap)
    ownership.organ.excuse(gap, in: &turn)
    turn.tell(.elect(.stalled(gap)))
    settle()
    membership.organ.hastenDials(in: &turn)
  }

  /// Does what is due, organ by organ, and then what this turn has made possible.
  mutating func runTimers() {
    guard !hasEnded else { return }
    if links.state.isDue(in: turn) { repeat { settle() } while links.organ.tick(in: &turn) }
    settle()
    if membership.isDue(in: turn) { membership.organ.tick(in: &turn) }
    settle()
    if replication.isDue(in: turn) { replication.organ.tick(in: &turn) }
    settle()
    if poses.isDue(in: turn) { poses.organ.tick(in: &turn) }
    if coordination.isDue(in: turn) { repeat { settle() } while coordination.organ.tick(in: &turn) }
    settle()
    if membership.state.hasNewEvidence { takeBelieved() }
    if !replication.state.isIdle { replication.organ.conclude(in: &turn) }
    if !ownership.state.isIdle(at: turn.now) { ownership.organ.conclude(in: &turn) }
    refreshDeadlines()
  }

  /// Lets membership look again at what it did not believe, one record after the other.
  mutating func takeBelieved() {
    var last: PeerID?
    while let next = membership.organ.takeBelieved(after: last, in: &turn) {
      settle()
      last = next
    }
  }

  private mutating func refreshDeadlines() {
    links.refresh(in: turn)
    membership.refresh(in: turn)
    replication.refresh(in: turn)
    poses.refresh(in: turn)
    coordination.refresh(in: turn)
    ownership.refresh(in: turn)
  }
}

/// What can be read of a node at any time.
extension Node {
  /// What it was told at its start.
  package var configuration: NodeConfiguration { turn.configuration }
  /// This start of this peer.
  package var me: NodeID { turn.me }
  /// The time of the last call.
  package var time: Instant { turn.now }
  /// Who belongs to the session.
  package var roster: Roster { turn.mesh.roster }
  /// Who may still come in.
  package var rules: SessionRules { turn.mesh.rules }
  /// Whether this node may lock the session and remove members: as host, or while it is alone.
  package var mayRule: Bool { turn.mayRule }
  /// The peers this node invites: those that have answered its dial and not yet the invitation, in the order of asking.
  package var invitedPeers: [PeerID] { membership.state.invitedPeers }
  /// What has to be kept now.
  package var record: NodeRecord { membership.state.record(in: turn, hasEnded: hasEnded) }

  /// The node that hosts, as this one sees it.
  package var host: NodeID? { turn.mesh.host }
  /// Counts the hosts of a session.
  package var epoch: UInt64 { turn.mesh.reign.epoch }
  /// The time all members share (milliseconds).
  package func sessionTime(at now: Instant) -> UInt64 { turn.mesh.reign.clock.time(at: now) }
  /// This node's part in the choice of a host.
  package var election: HostElection { coordination.state.election }

  /// Who is linked to whom among the members that can be reached, as they announce it.
  package var presence: [(PeerID, PeerID)] {
    turn.mesh.graph.pairs.filter { turn.mesh.roster[$0.peer]?.node == $0 && turn.mesh.roster[$1.peer]?.node == $1 }
      .map { ($0.peer, $1.peer) }
  }

  /// How many members have a second connection to this node, for pieces of maps.
  package var bulkLinkCount: Int { links.state.bulkLinkCount }

  /// Whether a peer is among the other members.
  package func isMember(_ peer: PeerID) -> Bool { turn.mesh.standings[peer] != nil }

  /// The other members as the app may see them, in the order of their ids.
  package var memberSnapshots: [MemberSnapshot] {
    turn.mesh.roster.entries.compactMap { entry in
      guard let standing = turn.mesh.standings[entry.peerID] else { return nil }
      let traffic = links.state.traffic(with: entry.peerID, in: turn)
      return MemberSnapshot(
        peerID: entry.peerID, name: entry.name, status: standing.status, roundTrip: traffic.roundTrip,
        isDirect: traffic.isDirect, bytesSent: traffic.bytesSent, bytesReceived: traffic.bytesReceived,
        link: traffic.link, bytesWaiting: traffic.bytesWaiting)
    }
  }

  /// The replicated anchors.
  package var anchors: AnchorSet {
    _read { yield turn.anchors }
  }
  /// Lends the anchors and the roster in place, to be read often: what a property yields may be copied.
  package mutating func lend<R>(_ body: (inout AnchorSet, inout Roster) -> R) -> R {
    // Nobody else publishes a roster.
    var roster = turn.mesh.roster
    return body(&turn.anchors, &roster)
  }
  /// The digest of all anchors; reading it hashes what has changed since it was last read.
  package var digest: SHA256Digest { mutating get { turn.anchors.digest } }
  /// All anchors in the order of their ids, at the cost of what has changed since they were last taken.
  package var allAnchors: [Anchor] { mutating get { turn.anchors.anchors } }
  /// Everything is here that the linked members had when their links came up: their operations, and the session's map.
  package var isSynchronised: Bool { replication.state.isSynchronised }
  /// The poses of the others' devices and of anchors they drag, as far as the app wants them.
  package var livePoses: [EphemeralUpdate] { poses.state.visible(in: turn) }
  /// Who owns an anchor, by which grant; nil when nobody does, or the anchor is unknown.
  package func owner(of anchor: AnchorID, at now: Instant) -> AnchorLock? {
    guard let lock = anchors.lock(of: anchor), lock.holder(at: sessionTime(at: now)) != nil else { return nil }
    return lock
  }

  /// Whether this node may share a map with the whole session now.
  package var mayShareMap: Bool { turn.mayShareMap }
  /// How far this node has come with the session's map.
  package var mapStatus: MapStatus { maps.state.status }
  /// How far a member has come with the session's map, as it last said.
  package func mapStatus(of peer: PeerID) -> MapStatus { maps.state.status(of: peer) }
  /// The latest of the session's maps that is here, whole.
  package var currentMap: MapID? { maps.state.currentMap }
  /// What was fetched of a map; nil for one that is not held.
  package func traffic(of map: MapID) -> MapTraffic? { maps.state.traffic(of: map) }
  /// The chunks of a map that are here; nil for one that is not held.
  package func verifiedChunks(of map: MapID) -> ChunkSet? { maps.state.verifiedChunks(of: map) }
}
