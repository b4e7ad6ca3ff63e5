package import AnchorReplication
package import WorldModel

extension Node {
  /// Edits the anchors at the present session time; what changed is on its way when the outputs are drained.
  package mutating func edit<R>(
    at now: Instant, _ change: (inout AnchorSet, _ sessionTime: UInt64) throws(AnchorError) -> R
  ) throws(AnchorError) -> R {
    defer { publishAnchorChanges() }
    let result = try change(&anchors, sessionTime(at: now))
    for id in memberLinks { flushSoon(id) }
    return result
  }

  /// Brings in the anchors of a shared map, once, under their own ids.
  package mutating func importAnchors(of package: MapPackage, anchors list: [Anchor]) throws(AnchorError) {
    guard !list.isEmpty else { return }
    let digest = package.contentDigest
    defer { publishAnchorChanges() }
    guard try anchors.importAnchors(of: digest, anchors: list) > 0 else { return }
    replication.ownImports.insert(ActorID(mapDigest: digest))
    forgetRelayedActors()
    for id in memberLinks { flushSoon(id) }
  }

  /// Hands changes to the app, and lets what is new leave on the other links.
  mutating func publishAnchorChanges() {
    let changes = anchors.takeChanges()
    if !changes.isEmpty { tell(.anchors(changes)) }
  }

  mutating func startReplication(on id: LinkID) {
    links[id]?.replication = LinkReplication()
    sendVector(on: id, wantsAnswer: false)
  }

  /// Every five seconds each pair of linked members compares what it has.
  mutating func exchangeVectors() {
    replication.previous = replication.current
    replication.current = anchors.vector
    guard !configuration.mistakes.node.contains(.noPeriodicVectors) else { return }
    for id in memberLinks { sendVector(on: id, wantsAnswer: false) }
    pruneLog()
  }

  private mutating func pruneLog() {
    var common = anchors.vector
    for id in memberLinks {
      guard let vector = links[id]?.replication.acknowledged else { return }
      common.meet(vector)
    }
    anchors.prune(acknowledgedBy: common)
  }

  mutating func sendVector(on id: LinkID, wantsAnswer: Bool) {
    // Nothing is written for a link that has ended, and so the parts would never come to their end.
    guard links[id] != nil else { return }
    var message = ByteWriter()
    message.write(UInt8(wantsAnswer ? 1 : 0))
    message.write(anchors.digest)
    anchors.vector.encode(into: &message)
    var parts = SnapshotChunks(message.bytes)
    while !parts.isAtEnd {
      sendControl(.vector, on: id) { _ = parts.next(limit: ProtocolLimits.statePart, into: &$0) }
    }
  }

  mutating func receiveVector(_ body: RawSpan, on id: LinkID, at now: Instant) throws(DecodingFailure) {
    guard var link = links[id], try link.replication.incomingVector.take(body) else { return }
    let message = link.replication.incomingVector.bytes
    link.replication.incomingVector.reset()
    var reader = ByteReader(message.span)
    let wantsAnswer = try reader.readByte() & 1 == 1
    let digest = try reader.readDigest()
    let vector = try VersionVector(decoding: &reader, limit: anchors.limits.actors)
    try reader.finish()
    noteTarget(vector, of: link.peer)
    let isFirst = link.replication.cursor == nil
    link.replication.acknowledged = vector
    if isFirst { link.replication.acknowledgedAtStart = vector[anchors.actor] }
    links[id]?.replication = link.replication
    if let node = link.node { acknowledgements.note(vector[anchors.actor], appliedBy: node) }
    compare(vector, digest, with: link)
    if isFirst || !vector.covers(replication.previous) { restartStream(on: id, from: vector) }
    if wantsAnswer { sendVector(on: id, wantsAnswer: false) }
    flushSoon(id)
  }

  /// Equal histories with unequal results must not happen; if they do, both sides merge everything.
  private mutating func compare(_ vector: VersionVector, _ digest: SHA256Digest, with link: Link) {
    guard vector == anchors.vector, digest != anchors.digest else { return }
    tell(.divergence(link.peer))
    links[link.id]?.replication.outgoingSnapshot = SnapshotChunks(anchors.encodeSnapshot())
  }

  /// Begins to stream from what the other side has.
  private mutating func restartStream(on id: LinkID, from vector: VersionVector) {
    switch anchors.cursorForPeer(with: vector) {
    case .log(let cursor): links[id]?.replication.cursor = cursor
    case .snapshotNeeded: startSnapshot(on: id)
    }
    links[id]?.replication.isCatchingUp = true
  }

  private mutating func startSnapshot(on id: LinkID) {
    links[id]?.replication.outgoingSnapshot = SnapshotChunks(anchors.encodeSnapshot())
    links[id]?.replication.cursor = anchors.cursorAfterSnapshot()
  }

  mutating func receiveOperations(_ body: RawSpan, on id: LinkID, at now: Instant) {
    guard var assembly = links[id]?.replication.takeOperations() else { return }
    do {
      let outcome = try anchors.apply(operations: body, assembly: &assembly, judging: author(on: id, at: now))
      links[id]?.replication.operations = assembly
      guard outcome.applied > 0 else { return }
      relayOperations(except: id)
      answerQuestions()
    } catch {
      end(id, .protocolError, at: now)
    }
  }

  /// Whose clock is judged on a link; nobody's while there is no host to give the time, or perhaps two that give
  /// different ones.
  private func author(on id: LinkID, at now: Instant) -> LinkAuthor? {
    guard host != nil, now >= replication.clocksJudgedFrom, let peer = links[id]?.peer else { return nil }
    // Whoever has seen a stamp of the future writes after it, and cannot help that.
    return LinkAuthor(peer: peer, sessionMilliseconds: max(sessionTime(at: now), anchors.latestSessionTime))
  }

  mutating func receiveSnapshot(_ body: RawSpan, on id: LinkID, at now: Instant) throws(DecodingFailure) {
    guard var assembly = links[id]?.replication.incomingSnapshot else { return }
    links[id]?.replication.incomingSnapshot.reset()
    let isWhole = try assembly.take(body)
    guard isWhole else {
      links[id]?.replication.incomingSnapshot = assembly
      return
    }
    let before = anchors.vector
    let bytes = assembly.bytes
    let acknowledged = links[id]?.replication.acknowledgedAtStart ?? .max
    do {
      let theirs = try unsafe anchors.merge(
        snapshot: bytes.span.bytes, judging: author(on: id, at: now), acknowledged: acknowledged)
      links[id]?.replication.note(theirs, in: anchors)
    } catch {
      end(id, .protocolError, at: now)
      return
    }
    guard anchors.vector != before else { return }
    answerQuestions()
    // What the snapshot brought is in no log: members that lack it have to ask for it.
    for other in memberLinks where other != id { sendVector(on: other, wantsAnswer: true) }
  }

  /// Lets operations that came leave again, where others depend on this node for them; the rest of the cursors follow
  /// with the next own operation.
  private mutating func relayOperations(except id: LinkID) {
    for other in memberLinks where other != id && links[other]?.replication.relayed?.hasOthers ?? true {
      flushSoon(other)
    }
  }

  /// Looks anew at which members bring their operations to whom themselves.
  ///
  /// Where one no longer does, this node has to: it begins again from what the other side has.
  mutating func updateRelays() {
    forgetRelayedActors()
    for id in memberLinks {
      guard let link = links[id], let node = link.node else { continue }
      let suppliers = graph.linked(to: node)
      let lost = link.replication.suppliers.subtracting(suppliers)
      links[id]?.replication.suppliers = suppliers
      if !lost.isEmpty { restartRelay(on: id) }
    }
  }

  /// Stops a stream and asks for the other side's vector, from which it begins again.
  private mutating func restartRelay(on id: LinkID) {
    guard links[id]?.replication.cursor != nil, !configuration.mistakes.node.contains(.noRelayRestart) else { return }
    links[id]?.replication.cursor = nil
    sendVector(on: id, wantsAnswer: true)
  }

  /// Appends operations and snapshot parts that the other side lacks while the window has room.
  mutating func writeOperations(for id: LinkID) {
    while scratch.count < ProtocolLimits.transmitWindow / 2, var snapshot = links[id]?.replication.outgoingSnapshot {
      scratch.writeFrame(.snapshot) { _ = snapshot.next(limit: ProtocolLimits.statePart, into: &$0) }
      links[id]?.replication.outgoingSnapshot = snapshot.isAtEnd ? nil : snapshot
    }
    if links[id]?.replication.isSendingSnapshot == false { streamOperations(for: id) }
  }

  private mutating func streamOperations(for id: LinkID) {
    // Nothing is new, and as many operations are passed on as before.
    if links[id]?.replication.isUpToDate(with: anchors) ?? true { return }
    guard let relayed = relayedActors(on: id) else { return }
    noticeGained(relayed.actors, on: id)
    guard var cursor = links[id]?.replication.takeCursor(), var isCatchingUp = links[id]?.replication.isCatchingUp
    else { return }
    while ProtocolLimits.transmitWindow - scratch.count >= 4096 {
      let read = writeBatch(from: &cursor) { !isCatchingUp && !relayed.actors.contains($0) }
      if read == .batch { continue }
      if read == .snapshotNeeded {
        startSnapshot(on: id)
        flushSoon(id)
        return
      }
      guard isCatchingUp else { break }
      isCatchingUp = false
    }
    links[id]?.replication.cursor = cursor
    links[id]?.replication.isCatchingUp = isCatchingUp
    links[id]?.replication.passedOn = relayed.actors
  }

  /// Begins a stream again when somebody's operations are passed on who was passed over before, such as one that came back.
  private mutating func noticeGained(_ relayed: Set<ActorID>, on id: LinkID) {
    guard links[id]?.replication.isCatchingUp == false, let before = links[id]?.replication.passedOn, before != relayed
    else { return }
    let gained = relayed.subtracting(before)
    if gained.contains(where: { anchors.covers(Dot(actor: $0, sequence: 1)) }) { restartRelay(on: id) }
  }

  /// Appends one frame of operations from the log, if there is anything to tell.
  private mutating func writeBatch(from cursor: inout LogCursor, skip: (ActorID) -> Bool) -> LogRead {
    var writer = exchange(&scratch, with: ByteWriter())
    defer { scratch = writer }
    let start = writer.count
    let room = ProtocolLimits.transmitWindow - start - FrameHead.size
    var read = LogRead.upToDate
    writer.writeFrame(.operations) { read = anchors.readLog(&cursor, limit: room, skip: skip, into: &$0) }
    if read != .batch { writer.truncate(to: start) }
    return read
  }

  /// Whose operations the member at the other end of a link gets from this node: its own, and those of live members that
  /// the other one has no link to.
  ///
  /// Those of actors that are not live come to it by anti-entropy. It is kept until the graph, the roster or the own
  /// imports change.
  private mutating func relayedActors(on id: LinkID) -> RelayedActors? {
    if let known = links[id]?.replication.relayed { return known }
    guard let node = links[id]?.node else { return nil }
    var relayed = RelayedActors(actors: replication.ownImports.union([anchors.actor]), hasOthers: false)
    let suppliers = graph.linked(to: node)
    for member in reachable where member.node != node {
      guard let place = graph.place(of: member.node), !suppliers.contains(place) else { continue }
      relayed.actors.insert(ActorID(peer: member.node.peer, incarnation: member.node.incarnation))
      relayed.hasOthers = true
    }
    links[id]?.replication.relayed = relayed
    return relayed
  }

  /// Lets every link look up anew whose operations it passes on.
  mutating func forgetRelayedActors() {
    for id in links.ids { links[id]?.replication.relayed = nil }
  }
}
