import AnchorReplication
import Basics
import WorldModel

extension Node {
  /// Lets operations that came leave again, where others depend on this node for them; the rest of the cursors follow
  /// with the next own operation.
  mutating func relayOperations(except id: LinkID) {
    for other in relayLinks where other != id { flushSoon(other) }
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

  /// Appends snapshot parts that the other side lacks while the window has room.
  mutating func writeSnapshot(for id: LinkID) {
    while scratch.count < ProtocolLimits.transmitWindow / 2, var snapshot = links[id]?.replication.outgoingSnapshot {
      scratch.writeFrame(.snapshot) { _ = snapshot.next(limit: ProtocolLimits.statePart, into: &$0) }
      links[id]?.replication.outgoingSnapshot = snapshot.isAtEnd ? nil : snapshot
    }
  }

  /// Appends operations that the other side lacks while the window has room, unless a snapshot has to leave first.
  mutating func streamOperations(for id: LinkID) {
    guard var stream = links.update(id, { $0.replication.takeStream() }) ?? nil else { return }
    // Something is new, or the look at what is passed on is.
    if !stream.isSettled || !anchors.isAtEnd(stream.cursor) {
      if stream.isRelayNew {
        links.update(id) { $0.replication.putBack(stream) }
        guard let renewed = renewStream(on: id) else { return }
        stream = renewed
      }
      guard continueStream(&stream) else {
        startSnapshot(on: id)
        flushSoon(id)
        return
      }
    }
    links.update(id) { $0.replication.putBack(stream) }
  }

  /// Looks up whose operations are passed on before the log is read; nil when the stream has to begin again.
  private mutating func renewStream(on id: LinkID) -> LinkStream? {
    guard let relayed = relayedActors(on: id) else { return nil }
    noticeGained(relayed.actors, on: id)
    return links.update(id) { $0.replication.takeStream() } ?? nil
  }

  /// Appends what the log has for the other side; false when it no longer has all of that.
  private mutating func continueStream(_ stream: inout LinkStream) -> Bool {
    let (own, actors) = (anchors.actor, stream.relayed?.actors ?? [])
    stream.passedOn = actors
    while ProtocolLimits.transmitWindow - scratch.count >= 4096 {
      let isCatchingUp = stream.isCatchingUp
      switch writeBatch(from: &stream.cursor, skip: { !isCatchingUp && $0 != own && !actors.contains($0) }) {
      case .batch: continue
      case .snapshotNeeded: return false
      case .upToDate where isCatchingUp: stream.isCatchingUp = false
      case .upToDate: return true
      }
    }
    return true
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
    // Nothing was written since the log was last read to its end.
    if anchors.isAtEnd(cursor) { return .upToDate }
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
    quiet = nil
    return relayed
  }

  /// Lets every link look up anew whose operations it passes on.
  mutating func forgetRelayedActors() {
    quiet = nil
    for id in links.ids { links[id]?.replication.relayed = nil }
  }
}
