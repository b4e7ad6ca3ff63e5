package import AnchorReplication
package import WorldModel

/// One peer's part in a session, without any I/O: bytes, clock readings and commands go in, one kind of output comes out.
///
/// The driver feeds it through ``handle(_:at:)`` and ``receive(_:on:at:)``, drains ``nextOutput()`` to nil after each
/// call, and sleeps until ``deadline``. It is a value: a simulation may copy, fork and compare it.
package struct Node: Sendable {
  package let configuration: NodeConfiguration
  /// This start of this peer.
  package let me: NodeID
  /// What the organs work on.
  var turn: Turn

  /// Every link, by number.
  var links = LinkTable()
  /// The link that carries each linked peer's traffic.
  var controlLinks: [PeerID: LinkID] = [:]
  /// The links that carry pieces of maps alone.
  var bulk = BulkLinks()

  package internal(set) var roster = Roster() { didSet { turn.mesh.publish(roster: roster) } }
  /// Who may still come in.
  package internal(set) var rules: SessionRules
  /// Records that are not believed.
  var disputes: [PeerID: Dispute] = [:]
  /// Whether some of them may be believed now, because another one hosts or can be reached.
  var hasNewEvidence = false
  /// Who has said that this node was removed, since they were last linked as members.
  var removers: [PeerID] = []
  /// The last host that this node followed.
  var lastHost: PeerID?
  /// Who said itself that it leaves: which start of its process.
  var departed: [PeerID: UInt64] = [:]
  var members: [PeerID: Member] = [:] {
    didSet {
      turn.mesh.publish(standings: members.mapValues { Standing(status: $0.status, isJoined: $0.isJoined) })
    }
  }
  /// Where members were reached, or said on a link of their own that they listen.
  var provenAddresses: [PeerID: [SocketAddress]] = [:]
  var addresses: [SocketAddress]

  var outgoing: [OutgoingInvitation] = []
  var incoming: [IncomingInvitation] = []
  var dials: [DialID: DialPurpose] = [:]

  var coordination: Coordination
  /// What organs told each other since the last turn began, in the order in which it was delivered: for whoever looks on.
  package internal(set) var notices: [Notice] = []
  /// Who is linked, as the organs see it.
  var directory = LinkDirectory() { didSet { turn.mesh.publish(links: directory) } }
  var replication: Replication
  var poses: LivePoses
  var ownership = Ownership()
  var maps = MapExchange()

  /// Whether its part in the session is over.
  package internal(set) var hasEnded = false
  /// The record that was given out last, or that this node came back with.
  var keptRecord: NodeRecord?
  /// Until when no link, invitation or member has anything due; nil while that is not known.
  var quiet: Quiet?
  var lastTick: Instant

  /// A node alone in its session, or one that comes back with what an earlier start of the same peer has kept.
  ///
  /// - Parameter record: What was kept; its peer and service must be those of the configuration.
  package init(_ configuration: NodeConfiguration, restoring record: NodeRecord? = nil, at now: Instant) {
    self.configuration = configuration
    me = NodeID(peer: configuration.peerID, incarnation: configuration.incarnation)
    addresses = configuration.addresses
    rules = SessionRules(limit: configuration.memberLimit)
    var random = SeededRandom(seed: configuration.seed)
    coordination = Coordination(
      me: me, configuration: configuration.election, policy: configuration.mistakes.election, random: random.split(),
      at: now)
    poses = LivePoses(me: me)
    let reusesActor = configuration.mistakes.node.contains(.reusesActor)
    let actor = ActorID(peer: configuration.peerID, incarnation: reusesActor ? 1 : configuration.incarnation)
    let anchors = AnchorSet(actor: actor, peer: configuration.peerID, policy: configuration.mistakes.replication)
    turn = Turn(
      configuration, mesh: coordination.mesh, anchors: anchors, random: random, at: now)
    replication = Replication(firstRound: now + configuration.firstAntiEntropy)
    lastTick = now
    _ = roster.assert(ownEntry)
    if let record { restore(record, at: now) }
  }

  /// Takes one input.
  @discardableResult
  package mutating func handle(_ input: Input, at now: Instant) -> Answer {
    notices.removeAll(keepingCapacity: true)
    guard !hasEnded else { return .done }
    if let answer = handleLive(input, at: now) ?? handleOwnership(input) ?? handleAnchors(input) { return answer }
    notice(now)
    var answer = Answer.done
    switch input {
    case .writable(let id): regainRoom(on: id)
    case .tick: break
    default:
      quiet = nil
      answer = handleChange(input, at: now)
    }
    runTimers(at: now)
    return answer
  }

  /// Takes an input about anchors; nil for another one.
  private mutating func handleAnchors(_ input: Input) -> Answer? {
    do throws(AnchorError) {
      switch input {
      case .edit(let edit):
        try turn.edit { anchors, time throws(AnchorError) in _ = try anchors.apply(edit, at: time) }
      case .edits(let edits):
        try turn.edit { anchors, time throws(AnchorError) in
          for edit in edits { _ = try anchors.apply(edit, at: time) }
        }
      case .awaitAcknowledgement(let id, let level, let timeout):
        replication.awaitAcknowledgement(id, level, timeout: timeout, in: &turn)
      case .cancelAcknowledgement(let id): replication.cancelAcknowledgement(id)
      case .restoreAnchors(let records): return restoreAnchors(records)
      default: return nil
      }
    } catch {
      return .refused(.edit(error))
    }
    return .done
  }

  /// Takes over the anchors of an earlier session, before this one has met anybody.
  ///
  /// Session time goes on from the latest stamp in them, so that new edits are not taken for older ones and others do not
  /// take them for edits from the future.
  private mutating func restoreAnchors(_ records: [JournalRecord]) -> Answer {
    defer {
      elect(.resumeTime(anchors.latestSessionTime), at: turn.now)
      turn.reportAnchors()
    }
    do throws(ReplicationError) { try turn.anchors.restore(records) } catch { return .refused(.journal(error)) }
    return .done
  }

  /// Everything is here that the linked members had when their links came up: their operations, and the session's map.
  package var isSynchronised: Bool { replication.isSynchronised }

  /// The digest of all anchors; reading it hashes what has changed since it was last read.
  package var digest: SHA256Digest { mutating get { turn.anchors.digest } }

  /// All anchors in the order of their ids, at the cost of what has changed since they were last taken.
  package var allAnchors: [Anchor] { mutating get { turn.anchors.anchors } }

  /// Takes an input about ownership; nil for another one.
  private mutating func handleOwnership(_ input: Input) -> Answer? {
    switch input {
    case .wish(let id, let wish, let anchor, let timeout):
      ownership.wish(id, wish, of: anchor, timeout: timeout, in: &turn)
    case .dropWish(let id): ownership.dropWish(id)
    case .answerOwnership(let id, let accepts): ownership.answer(id, accepts: accepts, in: &turn)
    default: return nil
    }
    return .done
  }

  /// Who owns an anchor, by which grant; nil when nobody does, or the anchor is unknown.
  package func owner(of anchor: AnchorID, at now: Instant) -> AnchorLock? {
    guard let lock = anchors.lock(of: anchor), lock.holder(at: sessionTime(at: now)) != nil else { return nil }
    return lock
  }

  /// Takes an input about live poses; nil for another one.
  private mutating func handleLive(_ input: Input, at now: Instant) -> Answer? {
    turn.now = now
    do {
      switch input {
      case .updatePose(let transform):
        do throws(AnchorError) { try poses.updatePose(transform, in: &turn) } catch { return .refused(.edit(error)) }
      case .beginDrag(let anchor): return .began(try poses.beginDrag(anchor, in: &turn))
      case .drag(let id, let transform): try poses.drag(id, to: transform, in: &turn)
      case .endDrag(let id): try poses.endDrag(id, in: &turn)
      case .setInterest(let filter): poses.setInterest(filter, in: &turn)
      default: return nil
      }
    } catch {
      return .refused(.drag(error))
    }
    return .done
  }

  /// The time of the last call.
  package var time: Instant { turn.now }

  /// The poses of the others' devices and of anchors they drag, as far as the app wants them.
  package var livePoses: [EphemeralUpdate] { poses.visible(in: turn) }

  /// The same as ``Input/writable(_:)``, for a driver that had room for all at once: no time has passed.
  package mutating func regainRoom(on id: LinkID) {
    if links.update(id, { $0.regainRoom() }) == true { flushSoon(id) }
  }

  /// Takes an input after which something else may be due.
  private mutating func handleChange(_ input: Input, at now: Instant) -> Answer {
    switch input {
    case .linkOpened(let id, let peer, let dial, let remote):
      openLink(id, peer: peer, dial: dial, remote: remote, at: now)
    case .linkClosed(let id): linkClosed(id, at: now)
    case .dialFailed(let dial, let refused): dialFailed(dial, refused: refused, at: now)
    case .clockJumped(let gap): excuse(gap, at: now)
    case .addresses(let addresses): changeAddresses(addresses, at: now)
    case .chunksFound(let map, let chunks, let isLast):
      maps.found(chunks, of: map, isLast: isLast, in: &turn)
      settle()
      replication.checkSynchronised(in: &turn)
    case .chunkChecked(let verdict):
      maps.settle(verdict, in: &turn)
      settle()
      replication.checkSynchronised(in: &turn)
    default: return handleCommand(input, at: now)
    }
    return .done
  }

  private mutating func handleCommand(_ input: Input, at now: Instant) -> Answer {
    switch input {
    case .invite(let id, let addresses, let context, let timeout):
      invite(id, addresses, context: context, timeout: timeout, at: now)
    case .cancelInvitation(let id): endInvitation(id, .cancelled)
    case .answer(let id, let decision): answer(id, decision, at: now)
    case .share(let package, let anchors, let peer):
      guard peer != nil || mayShareMap else { return .refused(.mayNotShare) }
      do throws(AnchorError) {
        try replication.importAnchors(of: package, anchors, in: &turn)
      } catch {
        return .refused(.edit(error))
      }
      guard let map = maps.share(package, with: peer, in: &turn) else { return .refused(.mayNotShare) }
      return .shared(map)
    case .cancelMap(let map): maps.cancel(map, in: &turn)
    case .relocalised(let isRelocalised): maps.setRelocalised(isRelocalised, in: &turn)
    case .send(let bytes, let peers): sendMessage(bytes, to: peers)
    case .handover(let peer): handover(to: peer, at: now)
    case .requestHost: elect(.request, at: now)
    case .kick(let peer): kick(peer, at: now)
    case .setLocked(let isLocked): setLocked(isLocked, at: now)
    case .leave: leave(at: now)
    default: break
    }
    return .done
  }

  /// Delivers what the organ called last has told the others, each notice with all that it causes before the next.
  mutating func settle() {
    guard !turn.notices.isEmpty else { return }
    var batch = turn.notices.begin()
    while let notice = turn.notices.next(of: &batch) { deliver(notice) }
    turn.notices.end(batch)
  }

  private mutating func deliver(_ notice: Notice) {
    notices.append(notice)
    switch notice {
    case .graphChanged(let members):
      replication.graphChanged(in: &turn)
      poses.graphChanged(in: &turn)
      guard members else { return }
      updateReachability(at: turn.now)
      hasNewEvidence = true
    case .elect(let input):
      coordination.elect(input, in: &turn)
      settle()
    case .follows(let host): tellRules(to: host)
    case .election(let output):
      if case .hostChanged(_, let host, _, _) = output {
        if let host, host != me { lastHost = host.peer }
        hasNewEvidence = true
      }
      coordination.carryOut(output, in: &turn)
      settle()
    case .mapStatus(let status, let header, let isOwnWord):
      maps.receiveStatus(status, under: header, isOwnWord: isOwnWord, in: &turn)
    case .announced(let node, let link): poses.announced(node, on: link, in: &turn)
    case .mapAnnounced: replication.mapAnnounced(in: turn)
    case .antiEntropy:
      quiet = nil
      repeatRules()
      confirmIncarnations(at: lastTick)
      settleDisputes(at: lastTick)
      maps.check(in: &turn)
      settle()
    case .wantsBulk(let peer): wantBulk(with: peer, at: lastTick)
    }
  }

  /// How far this node has come with the session's map.
  package var mapStatus: MapStatus { maps.status }

  /// How far a member has come with the session's map, as it last said.
  package func mapStatus(of peer: PeerID) -> MapStatus { maps.status(of: peer) }

  /// Whether this node may share a map with the whole session now.
  package var mayShareMap: Bool { turn.mayShareMap }

  /// The latest of the session's maps that is here, whole.
  package var currentMap: MapID? { maps.currentMap }

  /// What was fetched of a map; nil for one that is not held.
  package func traffic(of map: MapID) -> MapTraffic? { maps.traffic(of: map) }

  /// The chunks of a map that are here; nil for one that is not held.
  package func verifiedChunks(of map: MapID) -> ChunkSet? { maps.verifiedChunks(of: map) }

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
    return takeChangedRecord().map { .persist($0) }
  }

  /// Whether ``nextOrder()`` has something besides a record to keep.
  package var hasOrders: Bool { turn.outbox.hasOrders }

  /// Whether ``nextTransmission()`` may have something.
  package var hasTransmissions: Bool { turn.outbox.hasPending }

  /// The next bytes for a link; afterwards there may be new orders.
  package mutating func nextTransmission() -> (link: LinkID, bytes: [UInt8])? {
    turn.now = lastTick
    while let link = turn.outbox.nextPending() {
      if let bytes = takeBytes(for: link) { return (link.id, bytes) }
    }
    return nil
  }

  /// When the node wants ``Input/tick`` at the latest; nil after the end.
  package var deadline: Instant? {
    guard !hasEnded else { return nil }
    var next = min(replication.deadline, lastTick + ProtocolTimes.ping)
    next = min(next, coordination.deadline ?? next)
    next = min(next, poses.deadline ?? next)
    next = min(next, ownership.deadline ?? next)
    return max(min(next, (quiet ?? quietNow).deadline), lastTick)
  }

  /// Takes back bytes that were transmitted, so that the next ones need no memory of their own.
  package mutating func reuse(_ spent: consuming [UInt8]) {
    turn.outbox.scratch = ByteWriter(reusing: spent)
  }

  /// The replicated anchors.
  package var anchors: AnchorSet {
    _read { yield turn.anchors }
  }

  mutating func emit(_ output: Output) { turn.emit(output) }

  mutating func tell(_ event: NodeEvent) { turn.report(event) }

  /// Lets the link's waiting bytes leave after this turn.
  mutating func flushSoon(_ id: LinkID) {
    if let link = directory.link(id) { turn.flush(link) }
  }

  /// What this peer says of itself, without a version.
  var ownEntry: RosterEntry {
    RosterEntry(
      peerID: me.peer, version: 0, incarnation: me.incarnation, name: configuration.name, addresses: addresses)
  }
}

/// Why an address is dialled.
enum DialPurpose: Sendable, Equatable {
  case invitation(InvitationID)
  case member(PeerID)
  case bulk(PeerID, BulkOffer.Token)
}
