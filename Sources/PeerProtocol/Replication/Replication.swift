import AnchorReplication
import Basics
import WorldModel

/// The organ that brings the anchors of all members together.
///
/// Every link sends operations from the log at a cursor of its own, begins from the other side's vector, and falls back to a
/// snapshot where the log no longer reaches. Every five seconds each pair of linked members compares what it has.
struct Replication: Organ {
  /// How far the anchors at the two ends of each member's link have been brought together.
  private var links = PerLink<LinkReplication>()
  /// Pending acknowledgements, ours and other members'.
  private var acknowledgements = Acknowledgements()
  /// Whether everything is here that the members had when they were linked.
  private var synchronization = Synchronization()
  /// The operations applied here at the last round of anti-entropy, and at the one before.
  private var current = VersionVector()
  private var previous = VersionVector()
  /// When the next round is due.
  private var nextRound: Instant
  /// From when on members' clocks are judged by the session time.
  private var clocksJudgedFrom = Instant.zero
  /// Maps whose anchors this node brought in itself, and so passes on itself.
  private var ownImports: KeySet<ActorID> = []
  /// The links on which operations of others may have to be passed on; nil until it is looked up again.
  private var relays: [LinkRef]?

  init(firstRound: Instant) {
    nextRound = firstRound
  }

  /// When something is due.
  func deadline(in turn: inout Turn) -> Instant? { min(nextRound, acknowledgements.deadline ?? nextRound) }

  /// Begins a round of anti-entropy when it is time.
  mutating func tick(in turn: inout Turn) {
    guard turn.now >= nextRound else { return }
    nextRound = turn.now + ProtocolTimes.antiEntropy
    exchangeVectors(in: &turn)
    turn.tell(.antiEntropy)
  }

  /// Whether ``conclude(messagesAreOpen:in:)`` has anything to look at.
  var isIdle: Bool { acknowledgements.isIdle }

  /// Ends the waits that this turn or the time has ended.
  mutating func conclude(messagesAreOpen: Bool, in turn: inout Turn) {
    acknowledgements.run(messagesAreOpen: messagesAreOpen, in: &turn)
  }

  /// Whether everything is here that the linked members had when their links came up: their operations, and the
  /// session's map.
  var isSynchronized: Bool { synchronization.isReached }

  /// Tells the app when nothing is missing any more.
  mutating func checkSynchronized(in turn: inout Turn) { synchronization.check(in: &turn) }

  // MARK: Commands

  /// Brings in the anchors of a shared map, once, under their own ids.
  mutating func importAnchors(
    of package: MapPackage, _ list: [Anchor], in turn: inout Turn
  ) throws(AnchorError) {
    guard !list.isEmpty else { return }
    let digest = package.contentDigest
    defer { turn.reportAnchors() }
    guard try turn.anchors.importAnchors(of: digest, anchors: list) > 0 else { return }
    ownImports.insert(ActorID(mapDigest: digest))
    forgetRelayed(in: turn)
    turn.flushMembers()
  }

  /// Waits until those of `level` have applied everything this node has written so far.
  mutating func awaitAcknowledgement(
    _ id: AcknowledgementID, _ level: AcknowledgementLevel, timeout: Duration, messagesAreOpen: Bool,
    in turn: inout Turn
  ) {
    acknowledgements.begin(id, level, timeout: timeout, messagesAreOpen: messagesAreOpen, in: &turn)
  }

  /// Waits no longer; nothing is told.
  mutating func cancelAcknowledgement(_ id: AcknowledgementID) { acknowledgements.end(id) }

  // MARK: Notices

  /// A link is a member's from now on: what the other side has is not known yet.
  mutating func linked(_ link: LinkRef, in turn: inout Turn) {
    guard let peer = turn.mesh.links.member(link)?.peer else { return }
    synchronization.expect(peer)
    links.begin(link, with: LinkReplication())
    relays = nil
    sendVector(on: link, wantsAnswer: false, in: &turn)
  }

  /// The link that carried a peer's traffic is gone.
  mutating func unlinked(_ link: LinkRef, of peer: PeerID) {
    links.end(link)
    relays = nil
    synchronization.forget(peer)
  }

  /// Looks again at which members bring their operations to whom themselves.
  ///
  /// Where one no longer does, this node has to: it begins again from what the other side has.
  mutating func graphChanged(in turn: inout Turn) {
    reviewRelayed(in: turn)
    for member in turn.mesh.links.members {
      let suppliers = turn.mesh.graph.linked(to: member.node)
      let lost = links.update(member.link) { state in
        exchange(&state.suppliers, with: suppliers).subtracting(suppliers)
      }
      if lost?.isEmpty == false { restartRelay(on: member.link, in: &turn) }
    }
  }

  /// Other members can be reached now; `came` when one came into reach that was not.
  mutating func reachable(_ nodes: KeySet<NodeID>, came: Bool, in turn: borrowing Turn) {
    reviewRelayed(in: turn)
    // Sessions of different age that meet need a while to agree on one host and its time.
    if came { clocksJudgedFrom = turn.now + ProtocolTimes.clockSettling }
    acknowledgements.keepQuestions(nodes.contains)
  }

  /// A map was announced of which something is wanted.
  mutating func mapAnnounced(in turn: borrowing Turn) {
    if turn.mesh.isFetchingMap { synchronization.isReached = false }
  }

  // MARK: Frames

  /// The frames of this organ.
  enum Frame {
    case operations, vector, snapshot, acknowledgement
  }

  /// Takes a frame about anchors.
  mutating func receive(
    _ frame: Frame, _ body: RawSpan, from sender: MemberLink, in turn: inout Turn
  ) throws(DecodingFailure) {
    switch frame {
    case .operations: try receiveOperations(body, from: sender, in: &turn)
    case .vector: try receiveVector(body, from: sender, in: &turn)
    case .snapshot: try receiveSnapshot(body, from: sender, in: &turn)
    case .acknowledgement:
      acknowledgements.receive(try AcknowledgementFrame(body: body), from: sender, in: &turn)
    }
  }

  /// Applies a batch of operations, and lets what is new leave on other links.
  ///
  /// A batch that no honest member sends is an error.
  private mutating func receiveOperations(
    _ body: RawSpan, from sender: MemberLink, in turn: inout Turn
  ) throws(DecodingFailure) {
    guard var assembly = links.update(sender.link, { $0.takeOperations() }) else { return }
    do throws(ReplicationError) {
      let author = author(sender.peer, in: turn)
      let outcome = try turn.anchors.apply(operations: body, assembly: &assembly, judging: author)
      links.update(sender.link) {
        $0.operations = assembly
        if outcome.applied > 0 { $0.hasTaken() }
      }
      guard outcome.applied > 0 else { return }
      relay(except: sender.link, in: &turn)
      acknowledgements.answerQuestions(in: &turn)
    } catch {
      if leavesOut(error, on: sender.link, in: turn) { return }
      throw .invalid("operations that are refused", offset: 0)
    }
  }

  /// Takes a part of a vector, and compares when it is whole.
  private mutating func receiveVector(
    _ body: RawSpan, from sender: MemberLink, in turn: inout Turn
  ) throws(DecodingFailure) {
    let link = sender.link
    guard var assembly = links.update(link, { $0.takeVector() }) else { return }
    guard try assembly.take(body) else {
      links.update(link) { $0.incomingVector = assembly }
      return
    }
    let message = assembly.bytes
    var reader = ByteReader(message.span)
    let wantsAnswer = try reader.readFlag()
    let digest = try reader.readDigest()
    let vector = try VersionVector(decoding: &reader, limit: turn.anchors.limits.actors)
    try reader.finish()
    do throws(ReplicationError) {
      try turn.anchors.check(vector)
    } catch {
      throw .invalid("a vector that covers own operations that were never written", offset: 0)
    }
    synchronization.note(vector, of: sender.peer, in: &turn)
    let own = vector[turn.anchors.actor]
    let isFirst = links.update(link) { $0.note(vector, own: own, wantsAnswer: wantsAnswer) } ?? false
    acknowledgements.note(own, appliedBy: sender.node)
    compare(vector, digest, with: sender, in: &turn)
    if isFirst || misses(vector, on: link, in: &turn) { restartStream(on: link, from: vector, in: &turn) }
    turn.flush(link)
  }

  /// Takes a part of a snapshot, and merges it when it is whole.
  private mutating func receiveSnapshot(
    _ body: RawSpan, from sender: MemberLink, in turn: inout Turn
  ) throws(DecodingFailure) {
    let link = sender.link
    guard var assembly = links.update(link, { $0.takeSnapshot() }) else { return }
    guard try assembly.take(body) else {
      links[link]?.incomingSnapshot = assembly
      return
    }
    let before = turn.anchors.vector
    let bytes = assembly.bytes
    let acknowledged = links[link]?.acknowledgedAtStart ?? .max
    do throws(ReplicationError) {
      let author = author(sender.peer, in: turn)
      // A newcomer may get by a snapshot what it may also get as operations: that must not look different.
      let origin: AnchorOrigin = turn.mesh.standings[sender.peer]?.wasAway == true ? .merge : .remote
      let theirs = try unsafe turn.anchors.merge(
        snapshot: bytes.span.bytes, judging: author, acknowledged: acknowledged, origin: origin)
      links[link]?.note(theirs, in: turn.anchors)
    } catch {
      if leavesOut(error, on: link, in: turn) { return }
      throw .invalid("a snapshot that is refused", offset: 0)
    }
    guard turn.anchors.vector != before else { return }
    links.update(link) { $0.hasTaken() }
    acknowledgements.answerQuestions(in: &turn)
    // The operations of the snapshot are in no log: members that lack it have to ask for it.
    for other in turn.mesh.links.members where other.link != link {
      sendVector(on: other.link, wantsAnswer: true, in: &turn)
    }
  }

  /// Whether what is refused is only left out: anti-entropy brings it again.
  private mutating func leavesOut(_ error: ReplicationError, on link: LinkRef, in turn: borrowing Turn) -> Bool {
    if case .gap = error { return links[link]?.hasLeftOut ?? false }
    if case .beyondCut = error {
      // It comes again when its sender has heard of the removal, and both go by the same cut.
      links.update(link) { $0.leaveOut() }
      return true
    }
    guard case .clockAhead = error else { return false }
    let now = turn.now
    return links.update(link) { $0.leaveOut(at: now) } ?? false
  }

  /// Whose clock is judged on a link; nobody's while there is no host to give the time, or perhaps two that give
  /// different ones.
  private func author(_ peer: PeerID, in turn: borrowing Turn) -> LinkAuthor? {
    guard turn.mesh.host != nil, turn.now >= clocksJudgedFrom else { return nil }
    // A peer that has seen a future stamp must write after it; do not blame it.
    return LinkAuthor(peer: peer, sessionMilliseconds: max(turn.sessionTime, turn.anchors.latestSessionTime))
  }

  // MARK: Anti-entropy

  private mutating func exchangeVectors(in turn: inout Turn) {
    previous = current
    current = turn.anchors.vector
    guard turn.configuration.rules.contains(.periodicVectors) else { return }
    for member in turn.mesh.links.members { sendVector(on: member.link, wantsAnswer: false, in: &turn) }
    pruneLog(in: &turn)
  }

  private func pruneLog(in turn: inout Turn) {
    var common = turn.anchors.vector
    for member in turn.mesh.links.members {
      guard let vector = links[member.link]?.acknowledged else { return }
      common.meet(vector)
    }
    turn.anchors.prune(acknowledgedBy: common)
  }

  private func sendVector(on link: LinkRef, wantsAnswer: Bool, in turn: inout Turn) {
    // Nothing is written for a link that has ended, and so the parts would never come to their end.
    guard turn.mesh.links.isOpen(link) else { return }
    var parts = vectorParts(wantsAnswer: wantsAnswer, in: &turn)
    while !parts.isAtEnd {
      turn.send(.vector, on: link) { _ = parts.next(limit: ProtocolLimits.statePart, into: &$0) }
    }
  }

  /// Appends the answer to the questions that came since the link was last written: one says what all of them asked for.
  private mutating func writeAnswer(on link: LinkRef, in turn: inout Turn) {
    guard links.update(link, { exchange(&$0.owesVector, with: false) }) == true else { return }
    var parts = vectorParts(wantsAnswer: false, in: &turn)
    while !parts.isAtEnd {
      turn.outbox.scratch.writeFrame(.vector) { _ = parts.next(limit: ProtocolLimits.statePart, into: &$0) }
    }
  }

  private func vectorParts(wantsAnswer: Bool, in turn: inout Turn) -> SnapshotChunks {
    var message = ByteWriter()
    message.write(UInt8(wantsAnswer ? 1 : 0))
    message.write(turn.anchors.digest)
    turn.anchors.vector.encode(into: &message)
    return SnapshotChunks(message.take())
  }

  /// Whether the other side lacks what it should have long since, and the feed may begin again for that now.
  private mutating func misses(_ vector: VersionVector, on link: LinkRef, in turn: inout Turn) -> Bool {
    guard !vector.covers(previous) else { return false }
    let now = turn.now
    return links.update(link) { $0.beginAgain(at: now) } ?? false
  }

  /// Equal histories with unequal results must not happen; if they do, both sides merge everything.
  private mutating func compare(
    _ vector: VersionVector, _ digest: SHA256Digest, with member: MemberLink, in turn: inout Turn
  ) {
    let now = turn.now
    guard vector == turn.anchors.vector, digest != turn.anchors.digest,
      links.update(member.link, { $0.beginSnapshot(at: now) }) == true
    else { return }
    turn.report(.divergence(member.peer))
    links[member.link]?.outgoingSnapshot = SnapshotChunks(turn.anchors.encodeSnapshot())
  }

  // MARK: Feeds

  /// Begins the feed from what the other side has.
  private mutating func restartStream(on link: LinkRef, from vector: VersionVector, in turn: inout Turn) {
    switch turn.anchors.cursorForPeer(with: vector) {
    case .log(let cursor): links[link]?.cursor = cursor
    case .snapshotNeeded:
      // A vector of a few bytes must not make this side encode all anchors again and again; the next one comes in time.
      let now = turn.now
      guard links.update(link, { $0.beginSnapshot(at: now) }) == true else { return }
      startSnapshot(on: link, in: turn)
    }
    links[link]?.isCatchingUp = true
  }

  private mutating func startSnapshot(on link: LinkRef, in turn: borrowing Turn) {
    links[link]?.outgoingSnapshot = SnapshotChunks(turn.anchors.encodeSnapshot())
    links[link]?.cursor = turn.anchors.cursorAfterSnapshot()
  }

  /// Stops a feed and asks for the other side's vector, from which it begins again.
  private mutating func restartRelay(on link: LinkRef, in turn: inout Turn) {
    guard links[link]?.cursor != nil, turn.configuration.rules.contains(.relayRestart) else { return }
    links[link]?.cursor = nil
    sendVector(on: link, wantsAnswer: true, in: &turn)
  }

  /// Appends what a member's link has to send of the anchors: a vector that was asked for, a snapshot, then operations.
  mutating func write(on link: LinkRef, in turn: inout Turn) {
    writeAnswer(on: link, in: &turn)
    if links[link]?.isSendingSnapshot == true { writeSnapshot(on: link, in: &turn) }
    streamOperations(on: link, in: &turn)
  }

  /// Appends snapshot parts that the other side lacks while the window has room.
  private mutating func writeSnapshot(on link: LinkRef, in turn: inout Turn) {
    while turn.outbox.scratch.count < ProtocolLimits.transmitWindow / 2,
      var snapshot = links[link]?.outgoingSnapshot
    {
      turn.outbox.scratch.writeFrame(.snapshot) { _ = snapshot.next(limit: ProtocolLimits.statePart, into: &$0) }
      links[link]?.outgoingSnapshot = snapshot.isAtEnd ? nil : snapshot
    }
  }

  /// Appends operations that the other side lacks while the window has room, unless a snapshot has to leave first.
  private mutating func streamOperations(on link: LinkRef, in turn: inout Turn) {
    guard var feed = links.update(link, { $0.takeFeed() }) ?? nil else { return }
    // Something is new, or the look at what is passed on is.
    if !feed.isSettled || !turn.anchors.isAtEnd(feed.cursor) {
      if feed.isRelayNew {
        links.update(link) { $0.putBack(feed) }
        guard let renewed = renewFeed(on: link, in: &turn) else { return }
        feed = renewed
      }
      guard feed.write(in: &turn) else {
        startSnapshot(on: link, in: turn)
        turn.flush(link)
        return
      }
    }
    links.update(link) { $0.putBack(feed) }
  }

  /// Looks up whose operations are passed on before the log is read; nil when the feed has to begin again.
  private mutating func renewFeed(on link: LinkRef, in turn: inout Turn) -> LinkFeed? {
    guard let relayed = relayedActors(on: link, in: turn) else { return nil }
    restartIfGained(relayed.actors, on: link, in: &turn)
    return links.update(link) { $0.takeFeed() } ?? nil
  }

  /// Begins a feed again when somebody's operations are passed on who was passed over before, such as one that came back.
  private mutating func restartIfGained(_ relayed: KeySet<ActorID>, on link: LinkRef, in turn: inout Turn) {
    guard links[link]?.isCatchingUp == false, let before = links[link]?.passedOn, before != relayed else { return }
    let gained = relayed.subtracting(before)
    if gained.contains(where: { turn.anchors.covers(Dot(actor: $0, sequence: 1)) }) {
      restartRelay(on: link, in: &turn)
    }
  }

  // MARK: Passing on

  /// Lets operations that came leave again, where others depend on this node for them; the rest of the cursors follow
  /// with the next own operation.
  private mutating func relay(except link: LinkRef, in turn: inout Turn) {
    for other in relayLinks(in: &turn) where other != link { turn.flush(other) }
  }

  /// The links on which operations of others may have to be passed on; one that was never looked at counts.
  private mutating func relayLinks(in turn: inout Turn) -> [LinkRef] {
    if let relays { return relays }
    var found: [LinkRef] = []
    for member in turn.mesh.links.members where links[member.link]?.relayed?.hasOthers ?? true {
      found.append(member.link)
    }
    relays = found
    return found
  }

  /// Whose operations the member at the other end of a link gets from this node: its own, and those of live members that
  /// the other one has no link to.
  ///
  /// Those of actors that are not live come to it by anti-entropy. It is kept until the graph, the roster or the own
  /// imports change.
  private mutating func relayedActors(on link: LinkRef, in turn: borrowing Turn) -> RelayedActors? {
    if let known = links[link]?.relayed { return known }
    guard let node = turn.mesh.links.node(link) else { return nil }
    let relayed = RelayedActors(ownImports.union([turn.anchors.actor]), to: node, in: turn)
    links[link]?.relayed = relayed
    relays = nil
    return relayed
  }

  /// Lets those links look up again whose operations they pass on for which the graph or the roster gives others than before.
  ///
  /// Every announcement of links comes here, and most change nothing for most links.
  private mutating func reviewRelayed(in turn: borrowing Turn) {
    for member in turn.mesh.links.members {
      let others = turn.mesh.dependants(member.node)
      guard let known = links[member.link]?.relayed?.others, known != others else { continue }
      links[member.link]?.relayed = nil
      relays = nil
    }
  }

  /// Lets every link look up again whose operations it passes on.
  private mutating func forgetRelayed(in turn: borrowing Turn) {
    relays = nil
    for member in turn.mesh.links.members { links[member.link]?.relayed = nil }
  }
}
