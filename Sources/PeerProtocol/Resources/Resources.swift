import AnchorReplication
import Basics
import WorldModel

/// The organ of resources: a file or bytes that one peer offers to others, who may decline it.
///
/// The chunks travel as those of a map do, from everybody who has some. Their bytes never stay here: the driver reads them when
/// they are about to leave (``Output/load(_:)``), and writes them where they belong once they are proven. Both sides say again
/// on each new link what they said, and everything that cannot come ends with a failure that names the peer.
struct Resources: Organ {
  var outgoing: [OutgoingResource] = []
  var incoming: [IncomingResource] = []
  /// Resources that were offered and ended here, the latest last: their senders may not have heard it.
  var ended: [(sender: NodeID, word: ResourceWord)] = []
  /// The attachments of all members, by their authors.
  var attachments = AttachmentBook()
  var server = ChunkServer()
  var loads = ResourceLoads()
  var lastNumber: UInt64 = 0

  /// Everything is at the pace of anti-entropy: see ``check(in:)``.
  func deadline(in turn: inout Turn) -> Instant? { nil }

  // MARK: Commands

  /// Offers a resource to some members.
  mutating func offer(_ package: ResourcePackage, to peers: [PeerID], in turn: inout Turn) -> Answer {
    var receivers: [OutgoingResource.Receiver] = []
    for peer in peers where !receivers.contains(where: { $0.node.peer == peer }) {
      guard peer != turn.me.peer, let node = turn.start(of: peer) else { return .refused(.notReceiver(peer)) }
      receivers.append(OutgoingResource.Receiver(node: node, patience: ResourcePatience(at: turn.now)))
    }
    let isFull = receivers.contains { openOffers(to: $0.node.peer) >= ProtocolLimits.resourcesOfPeer }
    guard !isFull, outgoing.count < ProtocolLimits.resources else { return .refused(.resourcesWait) }
    lastNumber += 1
    let manifest = ContentManifest(.resource, epoch: turn.me.incarnation, revision: lastNumber, names: package.names)
    let resource = OutgoingResource(name: package.name, holding: ContentHolding(manifest), receivers: receivers)
    outgoing.append(resource)
    for receiver in receivers { announce(resource, to: receiver.node, in: &turn) }
    return .offered(ResourceID(manifest.id))
  }

  func openOffers(to peer: PeerID) -> Int {
    outgoing.count { resource in resource.index(of: peer).map { resource.receivers[$0].isOpen } ?? false }
  }

  /// The app's answer to an offer; refused when that has ended.
  mutating func answer(_ content: ContentID, accepts: Bool, in turn: inout Turn) -> Answer {
    guard let index = incoming.firstIndex(where: { $0.id == content }), incoming[index].stage == .offered else {
      return .refused(.noResource)
    }
    guard !incoming[index].isAttachment else {
      if accepts { fetchAttachment(index, in: &turn) }
      return .done
    }
    let isFull = incoming.count { $0.stage == .fetching && !$0.isAttachment } >= ProtocolLimits.resourcesFetched
    guard accepts, !isFull else {
      fail(index, accepts ? .busy : .declined, in: &turn)
      return .done
    }
    incoming[index].stage = .fetching
    incoming[index].patience.hear(at: turn.now)
    let sender = incoming[index].sender
    say(.accepted, of: content, to: sender, in: &turn)
    if turn.mesh.memberLink(to: sender) != nil { incoming[index].holding.addHolder(sender.peer, at: turn.now) }
    if incoming[index].holding.isComplete { progress(index, in: &turn) } else { fetch(in: &turn) }
    return .done
  }

  /// Ends a resource from this side, whichever that is; nothing happens when there is none that may still come.
  mutating func end(_ content: ContentID, _ failure: ResourceFailure, in turn: inout Turn) {
    if let index = incoming.firstIndex(where: { $0.id == content }) {
      let mayCome = incoming[index].stage != .received
      if mayCome, !incoming[index].isAttachment || incoming[index].stage == .fetching {
        fail(index, failure, in: &turn)
      }
    } else if let index = outgoing.firstIndex(where: { $0.id == content }) {
      settleAll(index, failure, in: &turn)
    }
  }

  /// Takes a chunk that the driver has read, nil when it cannot be read as it was.
  mutating func loaded(_ content: ContentID, _ chunk: Int, _ stored: StoredChunk?, in turn: inout Turn) {
    if let stored {
      loads.take(stored, for: ResourceLoads.Key(content: content, index: chunk))
    } else if let index = outgoing.firstIndex(where: { $0.id == content }) {
      settleAll(index, .unreadable, in: &turn)
    } else if let index = incoming.firstIndex(where: { $0.id == content }) {
      guard !incoming[index].isAttachment else { return fail(index, .unreadable, in: &turn) }
      // The app has changed or truncated what it received: the others have it from elsewhere.
      for peer in incoming[index].companions { say(.failed(.unreadable), of: content, toPeer: peer, in: &turn) }
      incoming[index].companions = []
      dropUploads(of: content, in: &turn)
    }
    for member in turn.mesh.links.members where !server.first(1, on: member.link).isEmpty {
      turn.flush(member.link)
      if let second = turn.mesh.links.bulk(to: member.peer) { turn.flush(second) }
    }
  }

  /// Counts a chunk that is proven and written, or marks its source down.
  mutating func settle(_ verdict: ChunkVerdict, in turn: inout Turn) {
    guard let index = incoming.firstIndex(where: { $0.id == verdict.check.content && $0.stage == .fetching })
    else { return }
    do {
      guard try incoming[index].holding.settle(verdict, at: turn.now) else { return }
      if turn.configuration.cachesChunks { turn.emit(.keep(verdict.check.name.hash, verdict.check.chunk)) }
      incoming[index].patience.hear(at: turn.now)
      progress(index, in: &turn)
    } catch {
      refuse(verdict.check.source, of: index, in: &turn)
    }
    fetch(in: &turn)
  }

  /// Counts chunks that the cache had, proven and written.
  mutating func found(_ chunks: [FoundChunk], of content: ContentID, isLast: Bool, in turn: inout Turn) {
    guard let index = incoming.firstIndex(where: { $0.id == content && $0.stage == .fetching }) else { return }
    for found in chunks { incoming[index].holding.keep(found.chunk, at: found.index) }
    if isLast { incoming[index].holding.searchEnds = nil }
    if !chunks.isEmpty {
      incoming[index].patience.hear(at: turn.now)
      progress(index, in: &turn)
    }
    fetch(in: &turn)
  }

  // MARK: Queries

  /// The resources that were offered, in either direction, and have not ended.
  var openCount: Int { outgoing.count(where: \.isOpen) + incoming.count(where: \.isOpen) }

  /// The attachments that are listed, and whether all of each is here.
  var listed: [(offer: OfferedResource, isHere: Bool)] {
    incoming.filter(\.isAttachment).map { ($0.offer, $0.stage == .received) }
  }

  var isIdle: Bool { outgoing.isEmpty && incoming.isEmpty }
}

/// Notices.
extension Resources {
  /// Says again to a newly linked member what it may not have heard.
  mutating func linked(_ link: LinkRef, in turn: inout Turn) {
    server.open(link)
    guard !isIdle else { return }
    review(in: &turn)
    guard let node = turn.mesh.links.member(link), turn.configuration.rules.contains(.resourceWords) else { return }
    for resource in outgoing {
      guard let slot = resource.index(of: node.peer), resource.receivers[slot].isOpen else { continue }
      announce(resource, to: node, in: &turn)
    }
    for index in incoming.indices {
      if incoming[index].isAttachment {
        tellHave(index, on: link, in: &turn)
      } else if incoming[index].sender == node {
        say(incoming[index].word, of: incoming[index].id, to: node, in: &turn)
        if incoming[index].stage == .fetching { incoming[index].holding.addHolder(node.peer, at: turn.now) }
      } else if incoming[index].companions.contains(node.peer) {
        tellHave(index, in: &turn)
      }
    }
    fetch(in: &turn)
  }

  /// The link that carried a peer's traffic is gone; what it owed is asked of others at ``resume(in:)``.
  mutating func unlinked(_ link: LinkRef, of peer: PeerID) {
    server.close(link)
    for index in incoming.indices { incoming[index].holding.removeHolder(peer) }
  }

  /// Asks others for what a lost member owed.
  mutating func resume(in turn: inout Turn) {
    guard !isIdle else { return }
    load(in: &turn)
    fetch(in: &turn)
  }

  /// A bulk link is gone: what was on it starts over on the control link.
  mutating func bulkClosed(_ second: LinkRef, of peer: PeerID, in turn: inout Turn) {
    guard !isIdle, let control = turn.mesh.links.carrier(of: peer) else { return }
    server.restart(from: second, on: control)
    turn.flush(control)
    for index in incoming.indices { incoming[index].holding.release(requestsOf: peer) }
    fetch(in: &turn)
  }

  /// Ends what can come no more, because a member is gone or is another start of its process.
  mutating func review(in turn: inout Turn) {
    guard !isIdle, turn.configuration.rules.contains(.resourceEnds) else { return }
    for index in incoming.indices.reversed() where !incoming[index].isAttachment {
      guard let failure = turn.absence(of: incoming[index].sender) else { continue }
      if incoming[index].stage == .received { release(index, in: &turn) } else { fail(index, failure, in: &turn) }
    }
    for index in outgoing.indices.reversed() {
      for slot in outgoing[index].receivers.indices.reversed() where outgoing[index].receivers[slot].isOpen {
        guard let failure = turn.absence(of: outgoing[index].receivers[slot].node) else { continue }
        // The last one takes the resource with it.
        if settle(slot, of: index, failure, in: &turn) { break }
      }
    }
  }

  /// Grants everybody the time in which this node stood still.
  mutating func excuse(_ gap: Duration, in turn: inout Turn) {
    for index in incoming.indices {
      incoming[index].holding.excuse(gap)
      incoming[index].patience.excuse(gap)
    }
    for index in outgoing.indices {
      for slot in outgoing[index].receivers.indices { outgoing[index].receivers[slot].patience.excuse(gap) }
    }
  }

  /// Ends what took too long, turns away from sources that keep chunks back, and tells again what may have been missed; at the
  /// pace of anti-entropy.
  mutating func check(in turn: inout Turn) {
    guard !isIdle else { return }
    review(in: &turn)
    if turn.configuration.rules.contains(.resourceEnds) {
      checkIncoming(in: &turn)
      checkOutgoing(in: &turn)
    }
    for index in incoming.indices where incoming[index].stage == .fetching {
      incoming[index].holding.passOverSlowSources(at: turn.now)
      // A disk that does not answer must not hold up what the network has.
      if let end = incoming[index].holding.searchEnds, end <= turn.now { incoming[index].holding.searchEnds = nil }
      if incoming[index].holding.untold > 0 { tellHave(index, in: &turn) }
      if let source = incoming[index].holding.askForManifest(isLate: true) {
        requestManifest(incoming[index].id, from: source, first: 0, in: &turn)
      }
    }
    fetch(in: &turn)
  }

  mutating func checkIncoming(in turn: inout Turn) {
    for index in incoming.indices.reversed() where incoming[index].isOpen {
      let hasLink = turn.mesh.memberLink(to: incoming[index].sender) != nil
      if incoming[index].patience.isUnlinked(hasLink, at: turn.now) {
        fail(index, .notLinked, in: &turn)
      } else if incoming[index].stage == .fetching,
        turn.now - incoming[index].patience.heard >= ProtocolTimes.resourceStall
      {
        fail(index, .stalled, in: &turn)
      }
    }
  }

  mutating func checkOutgoing(in turn: inout Turn) {
    for index in outgoing.indices.reversed() {
      for slot in outgoing[index].receivers.indices.reversed() {
        guard let failure = overdue(&outgoing[index].receivers[slot], in: turn) else { continue }
        say(.failed(failure), of: outgoing[index].id, to: outgoing[index].receivers[slot].node, in: &turn)
        if settle(slot, of: index, failure, in: &turn) { break }
      }
    }
  }

  func overdue(_ receiver: inout OutgoingResource.Receiver, in turn: borrowing Turn) -> ResourceFailure? {
    guard receiver.isOpen else { return nil }
    let hasLink = turn.mesh.memberLink(to: receiver.node) != nil
    if receiver.patience.isUnlinked(hasLink, at: turn.now) { return .notLinked }
    let waited = turn.now - receiver.patience.heard
    if receiver.stage == .offered { return waited >= ProtocolTimes.resourceAnswer ? .unanswered : nil }
    // The receiver has the first say on it.
    return waited >= ProtocolTimes.resourceStall * 2 ? .stalled : nil
  }

  /// Gives up everything, because this node's part in the session ends.
  mutating func end(in turn: inout Turn) {
    for index in incoming.indices.reversed() where incoming[index].isOpen {
      fail(index, .ended, in: &turn)
    }
    for index in outgoing.indices.reversed() { settleAll(index, .ended, in: &turn) }
  }
}
