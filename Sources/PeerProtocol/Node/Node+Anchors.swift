package import AnchorReplication
package import Basics
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

  mutating func startSnapshot(on id: LinkID) {
    links[id]?.replication.outgoingSnapshot = SnapshotChunks(anchors.encodeSnapshot())
    links[id]?.replication.cursor = anchors.cursorAfterSnapshot()
  }

  mutating func receiveOperations(_ body: RawSpan, on id: LinkID, at now: Instant) {
    guard case (var assembly, let peer)? = links.update(id, { ($0.replication.takeOperations(), $0.peer) }) else {
      return
    }
    do {
      let outcome = try anchors.apply(operations: body, assembly: &assembly, judging: author(peer, at: now))
      links.update(id) { $0.replication.operations = assembly }
      guard outcome.applied > 0 else { return }
      relayOperations(except: id)
      answerQuestions()
    } catch {
      end(id, .protocolError, at: now)
    }
  }

  /// Whose clock is judged on a link; nobody's while there is no host to give the time, or perhaps two that give
  /// different ones.
  private func author(_ peer: PeerID, at now: Instant) -> LinkAuthor? {
    guard host != nil, now >= replication.clocksJudgedFrom else { return nil }
    // Whoever has seen a stamp of the future writes after it, and cannot help that.
    return LinkAuthor(peer: peer, sessionMilliseconds: max(sessionTime(at: now), anchors.latestSessionTime))
  }

  mutating func receiveSnapshot(_ body: RawSpan, on id: LinkID, at now: Instant) throws(DecodingFailure) {
    guard let peer = links[id]?.peer, var assembly = links[id]?.replication.incomingSnapshot else { return }
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
        snapshot: bytes.span.bytes, judging: author(peer, at: now), acknowledged: acknowledged)
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
}
