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
  var server = ChunkServer()
  var loads = ResourceLoads()
  var lastNumber: UInt64 = 0

  /// Everything is at the pace of anti-entropy: see ``check(in:)``.
  func deadline(in turn: borrowing Turn) -> Instant? { nil }

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
    let manifest = ContentManifest(epoch: turn.me.incarnation, revision: lastNumber, names: package.names)
    let resource = OutgoingResource(name: package.name, holding: ContentHolding(manifest), receivers: receivers)
    outgoing.append(resource)
    for receiver in receivers { announce(resource, to: receiver.node, in: &turn) }
    return .offered(ResourceID(manifest.id))
  }

  func openOffers(to peer: PeerID) -> Int {
    outgoing.count { resource in resource.place(of: peer).map { resource.receivers[$0].isOpen } ?? false }
  }

  /// The app's answer to an offer; refused when that has ended.
  mutating func answer(_ content: ContentID, accepts: Bool, in turn: inout Turn) -> Answer {
    guard let index = incoming.firstIndex(where: { $0.id == content }), incoming[index].stage == .offered else {
      return .refused(.noResource)
    }
    let isFull = incoming.count { $0.stage == .fetching } >= ProtocolLimits.resourcesFetched
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
      if incoming[index].stage != .received { fail(index, failure, in: &turn) }
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
    guard let index = incoming.firstIndex(where: { $0.id == verdict.check.content }) else { return }
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
    guard let index = incoming.firstIndex(where: { $0.id == content }) else { return }
    for found in chunks { incoming[index].holding.keep(found.chunk, at: found.index) }
    if isLast { incoming[index].holding.searchEnds = nil }
    if !chunks.isEmpty {
      incoming[index].patience.hear(at: turn.now)
      progress(index, in: &turn)
    }
    fetch(in: &turn)
  }

  // MARK: Queries

  /// Whether a content is one that is fetched here.
  func isFetching(_ content: ContentID) -> Bool {
    !incoming.isEmpty && incoming.contains { $0.id == content && $0.stage == .fetching }
  }

  /// The resources that were offered, in either direction, and have not ended.
  var openCount: Int { outgoing.count(where: \.isOpen) + incoming.count { $0.stage != .received } }

  var isIdle: Bool { outgoing.isEmpty && incoming.isEmpty }
}
