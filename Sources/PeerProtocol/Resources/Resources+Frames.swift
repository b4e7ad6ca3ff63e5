import AnchorReplication
import Basics
import WorldModel

extension Resources {
  /// The frames of this organ but for those about chunks.
  enum Frame {
    case offer, word, peers
  }

  /// Takes a frame about resources.
  mutating func receive(
    _ frame: Frame, _ body: RawSpan, from sender: MemberLink, in turn: inout Turn
  ) throws(DecodingFailure) {
    switch frame {
    case .offer: receive(try ResourceAnnouncement(body: body), from: sender, in: &turn)
    case .word: receive(try ResourceWord(body: body), from: sender, in: &turn)
    case .peers: receive(try ResourcePeers(body: body), from: sender, in: &turn)
    }
  }

  /// Takes a frame about chunks of resources.
  mutating func receive(
    _ frame: ChunkFrame, _ body: RawSpan, from sender: MemberLink, in turn: inout Turn
  ) throws(DecodingFailure) {
    switch frame {
    case .manifestRequest:
      let request = try ManifestRequest(body: body)
      guard let manifest = served(request.content, to: sender.peer)?.manifest else { return }
      server.receive(request, of: manifest, from: sender, in: &turn)
    case .manifest: receive(try ManifestPart(body: body), from: sender, in: &turn)
    case .request:
      let request = try ContentRequest(body: body)
      guard let holding = served(request.content, to: sender.peer) else { return }
      server.receive(request, of: holding.verified, from: sender, in: &turn)
      load(in: &turn)
    case .have: try receive(ContentHave(body: body), from: sender, in: &turn)
    }
  }

  /// The holding of a resource that a peer may have chunks of; nil for a stranger to it.
  func served(_ content: ContentID, to peer: PeerID) -> ContentHolding? {
    if let resource = outgoing.first(where: { $0.id == content }) {
      return resource.index(of: peer).map { resource.receivers[$0].takesPart } == true ? resource.holding : nil
    }
    return incoming.first { $0.id == content && $0.mayServe(peer) }?.holding
  }

  mutating func receive(_ offer: ResourceAnnouncement, from sender: MemberLink, in turn: inout Turn) {
    let content = offer.head.id
    if let index = incoming.firstIndex(where: { $0.id == content }) {
      guard incoming[index].sender == sender.node, !incoming[index].isAttachment else {
        return refuse(content, to: sender, in: &turn)
      }
      return say(incoming[index].word, of: content, to: sender.node, in: &turn)
    }
    if let known = ended.last(where: { $0.sender == sender.node && $0.word.content == content }) {
      return say(known.word.stage, of: content, to: sender.node, in: &turn)
    }
    let isFull =
      incoming.count { !$0.isAttachment } >= ProtocolLimits.resources
      || incoming.count { $0.sender.peer == sender.peer && !$0.isAttachment } >= ProtocolLimits.resourcesOfPeer
    guard !isFull, !outgoing.contains(where: { $0.id == content }) else {
      return refuse(content, to: sender, in: &turn)
    }
    let shown = OfferedResource(
      id: ResourceID(content), from: sender.peer, name: offer.name, size: offer.head.size)
    incoming.append(
      IncomingResource(
        offer: shown, sender: sender.node, holding: ContentHolding(fetching: offer.head, by: turn.me.peer),
        patience: ResourcePatience(at: turn.now)))
    turn.report(.resource(.offered(shown)))
  }

  func refuse(_ content: ContentID, to sender: MemberLink, in turn: inout Turn) {
    say(.failed(.busy), of: content, to: sender.node, in: &turn)
  }

  mutating func receive(_ word: ResourceWord, from sender: MemberLink, in turn: inout Turn) {
    if let index = outgoing.firstIndex(where: { $0.id == word.content }),
      let slot = outgoing[index].receivers.firstIndex(where: { $0.node == sender.node })
    {
      take(word.stage, from: slot, of: index, in: &turn)
    } else if let index = incoming.firstIndex(where: {
      $0.id == word.content && $0.sender == sender.node && !$0.isAttachment
    }) {
      switch word.stage {
      case .waiting, .accepted, .received: break
      case .over where incoming[index].stage == .received: release(index, in: &turn)
      case .over: fail(index, .withdrawn, in: &turn, isToldByPeer: true)
      case .failed(let failure): fail(index, failure, in: &turn, isToldByPeer: true)
      }
    } else if let index = incoming.firstIndex(where: { $0.id == word.content }) {
      guard case .failed = word.stage else { return }
      server.cancel(word.content, on: sender.link)
      incoming[index].holding.removeHolder(sender.peer)
      fetch(in: &turn)
    } else {
      switch word.stage {
      case .waiting, .accepted, .received: say(.over, of: word.content, to: sender.node, in: &turn)
      case .over, .failed: break
      }
    }
  }

  /// Takes a receiver's word about a resource of this node.
  mutating func take(_ word: ResourceWord.Stage, from slot: Int, of index: Int, in turn: inout Turn) {
    let receiver = outgoing[index].receivers[slot]
    guard receiver.isOpen else {
      switch word {
      case .received where receiver.takesPart: return
      case .waiting, .accepted, .received: return say(.over, of: outgoing[index].id, to: receiver.node, in: &turn)
      case .over, .failed: return
      }
    }
    switch word {
    case .waiting, .over: break
    case .accepted:
      if receiver.stage == .offered {
        outgoing[index].receivers[slot].stage = .accepted
        outgoing[index].receivers[slot].patience.hear(at: turn.now)
      }
      tellCompanions(of: index, in: &turn)
    case .received: settle(slot, of: index, nil, in: &turn)
    case .failed(let failure): settle(slot, of: index, failure, in: &turn)
    }
  }

  mutating func receive(_ told: ResourcePeers, from sender: MemberLink, in turn: inout Turn) {
    guard let index = incoming.firstIndex(where: { $0.id == told.content && $0.sender == sender.node }),
      incoming[index].stage != .offered, !incoming[index].isAttachment
    else { return }
    let fresh = told.peers.filter { $0 != turn.me.peer && $0 != sender.peer }
    let (gone, come) = (incoming[index].companions.filter { !fresh.contains($0) }, fresh)
    incoming[index].companions = come
    for peer in gone {
      incoming[index].holding.removeHolder(peer)
      if let link = turn.mesh.links.carrier(of: peer) { server.cancel(told.content, on: link) }
    }
    tellHave(index, in: &turn)
    fetch(in: &turn)
  }

  mutating func receive(_ part: ManifestPart, from sender: MemberLink, in turn: inout Turn) {
    guard let index = incoming.firstIndex(where: { $0.id == part.content }) else { return }
    do {
      let received = try incoming[index].holding.takeNames(part.names, first: part.first, from: sender.peer)
      guard let received else { return }
      guard let manifest = incoming[index].holding.manifest else {
        return requestManifest(part.content, from: sender.peer, first: received, in: &turn)
      }
      guard manifest.evenChunk != nil else { return fail(index, .corrupt, in: &turn) }
      searchCache(index, in: &turn)
      fetch(in: &turn)
    } catch {
      refuse(sender.peer, of: index, in: &turn)
    }
  }

  mutating func receive(
    _ told: ContentHave, from sender: MemberLink, in turn: inout Turn
  ) throws(DecodingFailure) {
    if let index = outgoing.firstIndex(where: { $0.id == told.content }) {
      guard let slot = outgoing[index].index(of: sender.peer), outgoing[index].receivers[slot].stage == .accepted,
        let manifest = outgoing[index].holding.manifest
      else { return }
      let bytes = manifest.bytes(of: try told.chunks(of: manifest.names.count))
      guard bytes > outgoing[index].receivers[slot].bytes else { return }
      outgoing[index].receivers[slot].bytes = bytes
      outgoing[index].receivers[slot].rate.record(bytes, at: turn.now)
      outgoing[index].receivers[slot].patience.hear(at: turn.now)
      let rate = outgoing[index].receivers[slot].rate.bytesPerSecond(with: bytes, at: turn.now)
      turn.report(
        .resource(
          .progress(
            ResourceAdvance(
              id: ResourceID(told.content), peer: sender.peer, isSent: true, bytes: bytes,
              totalBytes: manifest.size, bytesPerSecond: rate))))
    } else if let index = incoming.firstIndex(where: { $0.id == told.content }) {
      guard incoming[index].isAttachment || incoming[index].mayServe(sender.peer) else { return }
      let have = try told.chunks(of: incoming[index].holding.head.chunks)
      // One that is fetched later, or again, remembers who has it.
      guard incoming[index].stage == .fetching || incoming[index].isAttachment else { return }
      incoming[index].holding.take(have, of: sender.peer, at: turn.now)
      fetch(in: &turn)
    }
  }

  /// Takes a piece of a chunk, on a control or a bulk link of its source.
  mutating func receivePiece(_ body: RawSpan, from peer: PeerID, in turn: inout Turn) throws(DecodingFailure) {
    var reader = ByteReader(body)
    let piece = try ChunkPiece(reading: &reader)
    let bytes = try reader.readSpan(reader.remaining)
    guard let index = incoming.firstIndex(where: { $0.id == piece.content && $0.stage == .fetching }) else { return }
    do {
      guard let check = try incoming[index].holding.take(piece, bytes, from: peer, at: turn.now) else { return }
      turn.emit(.check(turn.configuration.rules.contains(.resourceProof) ? check : check.believing))
    } catch {
      refuse(peer, of: index, in: &turn)
    }
    fetch(in: &turn)
  }

  /// Appends pieces of requested chunks while the window has room.
  mutating func write(on link: LinkRef, in turn: inout Turn) {
    guard !isIdle, let control = turn.mesh.links.carrier(besides: link) else { return }
    let before = server.first(ResourceLoads.ahead, on: control).map(\.key)
    guard !before.isEmpty else { return }
    let (outgoing, incoming, loads) = (outgoing, incoming, loads)
    server.write(on: link, in: &turn) { upload in
      let resource = outgoing.first { $0.id == upload.content }?.holding
      let holding = resource ?? incoming.first { $0.id == upload.content }?.holding
      guard let name = holding?.manifest?.names[upload.chunk] else { return .gone }
      guard let chunk = loads[upload.key] ?? nil else { return .comes }
      return .here(chunk, rawSize: name.size)
    }
    if server.first(ResourceLoads.ahead, on: control).map(\.key) != before { load(in: &turn) }
  }
}

extension ContentHolding {
  /// A resource to be fetched: another beginning for each peer, so that those that fetch together soon have something to give.
  init(fetching head: ContentHead, by peer: PeerID) {
    let mixed = (peer.prefix ^ head.id.digest.words.x) &* 0x9e37_79b9_7f4a_7c15
    self.init(fetching: head, from: Int(truncatingIfNeeded: mixed >> 32), into: .file)
  }
}

extension Uploads.Upload {
  var key: ResourceLoads.Key { ResourceLoads.Key(content: content, index: chunk) }
}
