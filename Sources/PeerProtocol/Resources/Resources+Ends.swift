import Basics
import WorldModel

extension Resources {
  /// Asks the sources of every unfinished resource for as much as they may owe at once.
  mutating func fetch(in turn: inout Turn) {
    for index in incoming.indices where incoming[index].stage == .fetching {
      guard let source = incoming[index].holding.askForManifest() else { continue }
      requestManifest(incoming[index].id, from: source, first: 0, in: &turn)
    }
    for index in fetchedNow {
      let content = incoming[index].id
      for (source, chunks) in incoming[index].holding.nextRequests(at: turn.now) {
        guard let link = turn.mesh.links.carrier(of: source) else { continue }
        turn.send(.chunkRequest, on: link) {
          ContentRequest(content: content, chunks: chunks).write(to: &$0)
        }
        let rest = incoming[index].holding.head.size - incoming[index].holding.verifiedBytes
        if rest >= turn.configuration.bulkWorth { turn.tell(.wantsBulk(source)) }
      }
    }
  }

  /// The resources whose chunks are asked for: of attachments only a few, those that somebody has before those that somebody
  /// keeps back.
  private var fetchedNow: [Int] {
    let fetching = incoming.indices.filter { incoming[$0].stage == .fetching }
    let offers = fetching.filter { !incoming[$0].isAttachment }
    guard offers.count < fetching.count else { return offers }
    let attachments = fetching.filter { incoming[$0].isAttachment && incoming[$0].holding.isObtainable(fromSlow: true) }
    let prompt = attachments.filter { incoming[$0].holding.isObtainable(fromSlow: false) }
    let slow = attachments.filter { !prompt.contains($0) }
    return offers + (prompt + slow).prefix(ProtocolLimits.attachmentsFetched)
  }

  /// Looks in the cache for a resource's chunks; nothing is asked for before it has answered.
  mutating func searchCache(_ index: Int, in turn: inout Turn) {
    guard turn.configuration.cachesChunks, let search = incoming[index].holding.search else { return }
    incoming[index].holding.searchEnds = turn.now + ProtocolTimes.chunkTimeout
    turn.emit(.find(search))
  }

  func requestManifest(_ content: ContentID, from source: PeerID, first: Int, in turn: inout Turn) {
    guard let link = turn.mesh.links.carrier(of: source) else { return }
    turn.send(.manifestRequest, on: link) {
      ManifestRequest(content: content, first: first).write(to: &$0)
    }
  }

  /// Tells the app, and the others, what is here by now.
  mutating func progress(_ index: Int, in turn: inout Turn) {
    let resource = incoming[index]
    let (holding, offer) = (resource.holding, resource.offer)
    turn.report(
      .resource(
        .progress(
          ResourceAdvance(
            id: offer.id, peer: offer.from, isSent: false, bytes: holding.verifiedBytes, totalBytes: offer.size,
            bytesPerSecond: holding.rate.bytesPerSecond(with: holding.verifiedBytes, at: turn.now)))))
    guard holding.isComplete else {
      incoming[index].holding.untold += 1
      if incoming[index].holding.untold >= holding.chunksBetweenTells { tellHave(index, in: &turn) }
      return
    }
    incoming[index].stage = .received
    tellHave(index, in: &turn)
    guard !resource.isAttachment else { return turn.report(.resource(.attachment(offer, .here))) }
    turn.report(.resource(.received(offer)))
    say(.received, of: resource.id, to: resource.sender, in: &turn)
  }

  /// Tells the sender and the companions which chunks are here.
  mutating func tellHave(_ index: Int, in turn: inout Turn) {
    let resource = incoming[index]
    guard let have = resource.have else { return }
    for member in turn.mesh.links.members
    where resource.isAttachment || member.node == resource.sender || resource.companions.contains(member.peer) {
      turn.send(.chunkHave, on: member.link) { have.write(to: &$0) }
    }
    incoming[index].holding.untold = 0
  }

  /// Never asks a source of wrong bytes again; without another one the resource cannot come.
  mutating func refuse(_ peer: PeerID, of index: Int, in turn: inout Turn) {
    incoming[index].holding.refuseHolder(peer)
    // Others may have an attachment as it should be, now or later.
    if incoming[index].isAttachment { return }
    if peer == incoming[index].sender.peer { fail(index, .corrupt, in: &turn) }
  }

  /// Tells those that fetch a resource, and those that have it, of each other.
  func tellCompanions(of index: Int, in turn: inout Turn) {
    let resource = outgoing[index]
    let nodes = resource.receivers.filter(\.takesPart).map(\.node)
    let peers = ResourcePeers(content: resource.id, peers: nodes.map(\.peer))
    for node in nodes {
      guard let link = turn.mesh.memberLink(to: node) else { continue }
      turn.send(.resourcePeers, on: link) { peers.write(to: &$0) }
    }
  }

  /// Ends a receiver's part, with a failure or without; whether the resource went with the last one.
  @discardableResult
  mutating func settle(
    _ slot: Int, of index: Int, _ failure: ResourceFailure?, in turn: inout Turn
  ) -> Bool {
    let (content, node) = (outgoing[index].id, outgoing[index].receivers[slot].node)
    let tookPart = outgoing[index].receivers[slot].takesPart
    outgoing[index].receivers[slot].stage = .settled(failure)
    if failure != nil, let link = turn.mesh.links.carrier(of: node.peer) { server.cancel(content, on: link) }
    let size = outgoing[index].holding.manifest?.size ?? 0
    let progress = ResourceAdvance(
      id: ResourceID(content), peer: node.peer, isSent: true,
      bytes: failure == nil ? size : outgoing[index].receivers[slot].bytes, totalBytes: size, bytesPerSecond: 0)
    turn.report(.resource(.settled(progress, failure)))
    guard !outgoing[index].isOpen else {
      if tookPart, failure != nil { tellCompanions(of: index, in: &turn) }
      return false
    }
    for receiver in outgoing[index].receivers where receiver.takesPart {
      say(.over, of: content, to: receiver.node, in: &turn)
    }
    outgoing.remove(at: index)
    dropUploads(of: content, in: &turn)
    turn.report(.resource(.released(ResourceID(content))))
    return true
  }

  /// Ends the part of every receiver that may still get a resource, and tells each.
  mutating func settleAll(_ index: Int, _ failure: ResourceFailure, in turn: inout Turn) {
    for slot in outgoing[index].receivers.indices where outgoing[index].receivers[slot].isOpen {
      say(.failed(failure), of: outgoing[index].id, to: outgoing[index].receivers[slot].node, in: &turn)
      if settle(slot, of: index, failure, in: &turn) { return }
    }
  }

  /// Gives up a resource that has not come, and tells the app and those that wait for it or owe parts of it.
  mutating func fail(
    _ index: Int, _ failure: ResourceFailure, in turn: inout Turn, isToldByPeer: Bool = false
  ) {
    guard !incoming[index].isAttachment else { return failAttachment(index, failure, in: &turn) }
    let resource = incoming.remove(at: index)
    let word = ResourceWord(.failed(failure), of: resource.id)
    ended.append((resource.sender, word))
    if ended.count > ProtocolLimits.resourcesEnded { ended.removeFirst() }
    if !isToldByPeer { say(word.stage, of: resource.id, to: resource.sender, in: &turn) }
    for peer in resource.companions { say(word.stage, of: resource.id, toPeer: peer, in: &turn) }
    dropUploads(of: resource.id, in: &turn)
    turn.report(.resource(.failed(resource.offer, failure)))
  }

  /// Serves a received resource no more.
  mutating func release(_ index: Int, in turn: inout Turn) {
    let content = incoming.remove(at: index).id
    dropUploads(of: content, in: &turn)
    turn.report(.resource(.released(ResourceID(content))))
  }

  mutating func dropUploads(of content: ContentID, in turn: inout Turn) {
    for member in turn.mesh.links.members { server.cancel(content, on: member.link) }
    load(in: &turn)
  }

  /// Has the driver read the chunks that leave next.
  mutating func load(in turn: inout Turn) {
    let keys = turn.mesh.links.members.flatMap { server.first(ResourceLoads.ahead, on: $0.link).map(\.key) }
    for key in loads.want(keys) {
      let resource = outgoing.first { $0.id == key.content }?.holding
      guard let manifest = (resource ?? incoming.first { $0.id == key.content }?.holding)?.manifest,
        let size = manifest.evenChunk
      else { continue }
      let name = manifest.names[key.index]
      turn.emit(.load(ChunkLoad(content: key.content, index: key.index, offset: key.index * size, name: name)))
    }
  }

  func announce(_ resource: OutgoingResource, to node: NodeID, in turn: inout Turn) {
    guard let link = turn.mesh.memberLink(to: node) else { return }
    let frame = ResourceAnnouncement(head: resource.holding.head, name: resource.name)
    turn.send(.resourceOffer, on: link) { frame.write(to: &$0) }
  }

  func say(_ stage: ResourceWord.Stage, of content: ContentID, to node: NodeID, in turn: inout Turn) {
    guard let link = turn.mesh.memberLink(to: node) else { return }
    turn.send(.resourceWord, on: link) { ResourceWord(stage, of: content).write(to: &$0) }
  }

  func say(_ stage: ResourceWord.Stage, of content: ContentID, toPeer peer: PeerID, in turn: inout Turn) {
    guard let link = turn.mesh.links.carrier(of: peer), let node = turn.mesh.links.member(link) else { return }
    say(stage, of: content, to: node, in: &turn)
  }
}

extension Turn {
  /// The start of a member's process, linked or not; nil of one that is not in the session.
  func start(of peer: PeerID) -> NodeID? {
    if let link = mesh.links.carrier(of: peer), let node = mesh.links.member(link) { return node }
    return mesh.roster.admits(peer) ? mesh.roster[peer]?.node : nil
  }

  /// Why a start of a member's process will not be heard of again; nil while it may.
  func absence(of node: NodeID) -> ResourceFailure? {
    if mesh.memberLink(to: node) != nil { return nil }
    guard let start = start(of: node.peer) else {
      return mesh.roster[node.peer]?.status == .kicked ? .kicked : .left
    }
    if start != node { return .restarted }
    return mesh.standings[node.peer]?.status == .lost ? .lost : nil
  }
}
