package import WorldModel

extension Node {
  /// Shares a whole map: with one peer, or with everybody and every later joiner.
  mutating func share(_ package: MapPackage, with peer: PeerID?, at now: Instant) {
    let manifest = MapManifest(revision: maps.nextRevision, size: package.size, hashes: package.hashes)
    let announcement = MapAnnouncement(
      id: manifest.id, revision: manifest.revision, size: package.size, provider: me.peer, isPrivate: peer != nil)
    maps.insert(MapHolding(package, manifest: manifest, announcement: announcement))
    latestSharedMap = manifest.id
    if let peer {
      privateAudience[manifest.id] = peer
      if let id = controlLinks[peer] { announce(announcement, on: id) }
    } else {
      for id in memberLinks { announce(announcement, on: id) }
    }
  }

  /// Tells a newly linked member of the maps it should have.
  mutating func announceMaps(on id: LinkID) {
    guard let peer = links[id]?.peer else { return }
    if let held = maps.latestComplete { announce(held.announcement, on: id) }
    for holding in maps.holdings where privateAudience[holding.announcement.id] == peer {
      announce(holding.announcement, on: id)
    }
  }

  private mutating func announce(_ announcement: MapAnnouncement, on id: LinkID) {
    guard links[id]?.phase == .member else { return }
    sendControl(.mapAnnounce, on: id) { announcement.write(to: &$0) }
  }

  mutating func receiveMapAnnouncement(_ announcement: MapAnnouncement, from link: Link, at now: Instant) {
    guard maps.announce(announcement, by: link.peer) else { return }
    if maps[announcement.id]?.manifest == nil {
      requestManifest(announcement.id, on: link.id)
    } else {
      requestChunks(at: now)
    }
  }

  private mutating func requestManifest(_ map: MapID, on id: LinkID) {
    let first = UInt32(maps[map]?.receivedHashes ?? 0)
    sendControl(.mapManifestRequest, on: id) {
      $0.write(map.digest)
      $0.write(first)
    }
  }

  mutating func receiveManifestRequest(_ reader: inout ByteReader, on id: LinkID) throws(DecodingFailure) {
    let map = MapID(try reader.readDigest())
    let first = Int(try reader.read(UInt32.self))
    guard let manifest = maps[map]?.manifest, first < manifest.hashes.count, mayServe(map, on: id) else { return }
    let part = manifest.hashes[first..<min(first + ProtocolLimits.manifestHashes, manifest.hashes.count)]
    sendControl(.mapManifest, on: id) { body in
      body.write(map.digest)
      body.write(UInt32(first))
      for hash in part { body.write(hash) }
    }
  }

  mutating func receiveManifest(_ reader: inout ByteReader, from link: Link, at now: Instant) throws(DecodingFailure) {
    let map = MapID(try reader.readDigest())
    let first = Int(try reader.read(UInt32.self))
    var hashes: [SHA256Digest] = []
    while !reader.isAtEnd { hashes.append(try reader.readDigest()) }
    do {
      let isWhole = try maps.change(map) { (holding) throws(ChunkFailure) in
        try holding.takeHashes(hashes, first: first)
      }
      guard let isWhole else { return }
      guard isWhole else {
        if maps[map]?.manifest == nil { requestManifest(map, on: link.id) }
        return
      }
      maps.reuseChunks(for: map)
      progress(map, from: link.peer)
      requestChunks(at: now)
    } catch {
      refuseSource(link.peer, of: map, error)
    }
  }

  /// Asks every holder of every unfinished map for as much as it may owe at once.
  mutating func requestChunks(at now: Instant) {
    for holding in maps.holdings where !holding.isComplete {
      let map = holding.announcement.id
      let plan = maps.change(map) { $0.nextRequests(at: now) } ?? []
      for (source, chunks) in plan {
        guard let id = controlLinks[source] else { continue }
        sendControl(.mapRequest, on: id) { body in
          body.write(map.digest)
          for chunk in chunks { body.write(UInt32(chunk)) }
        }
      }
    }
  }

  mutating func receiveMapRequest(_ reader: inout ByteReader, on id: LinkID) throws(DecodingFailure) {
    let map = MapID(try reader.readDigest())
    guard let holding = maps[map], mayServe(map, on: id) else { return }
    while !reader.isAtEnd {
      let chunk = Int(try reader.read(UInt32.self))
      guard holding.chunks.indices.contains(chunk), holding.chunks[chunk] != nil else { continue }
      guard let link = links[id], link.uploads.count < 2 * ProtocolLimits.outstandingChunks else { return }
      let upload = Link.Upload(map: map, chunk: chunk)
      if !link.uploads.contains(where: { $0.map == map && $0.chunk == chunk }) { links[id]?.uploads.append(upload) }
    }
    flushSoon(id)
  }

  mutating func receiveMapPiece(_ piece: MapPiece, from link: Link, at now: Instant) {
    do {
      let isVerified = try maps.change(piece.map) { (holding) throws(ChunkFailure) in
        try holding.take(piece, from: link.peer, at: now)
      }
      guard isVerified == true else { return }
      progress(piece.map, from: link.peer)
      requestChunks(at: now)
    } catch {
      refuseSource(link.peer, of: piece.map, error)
      requestChunks(at: now)
    }
  }

  private mutating func progress(_ map: MapID, from peer: PeerID) {
    guard let holding = maps[map] else { return }
    let announcement = holding.announcement
    tell(
      .mapProgress(map, from: peer, verifiedBytes: holding.verifiedBytes, totalBytes: announcement.size))
    guard let package = holding.package else { return }
    tell(.mapReceived(map, from: peer, provider: announcement.provider, package))
    guard !announcement.isPrivate else { return }
    for id in memberLinks where links[id]?.peer != peer { announce(announcement, on: id) }
  }

  /// A source whose chunk does not match is not asked for this map again.
  private mutating func refuseSource(_ peer: PeerID, of map: MapID, _ failure: ChunkFailure) {
    _ = maps.change(map) { $0.removeHolder(peer) }
    tell(.mapSourceRefused(map, peer, failure))
  }

  mutating func cancelMap(_ map: MapID) {
    for peer in maps[map]?.holders ?? [] {
      guard let id = controlLinks[peer] else { continue }
      sendControl(.mapCancel, on: id) { $0.write(map.digest) }
    }
    maps.remove(map)
  }

  mutating func receiveMapCancel(_ map: MapID, on id: LinkID) {
    links[id]?.uploads.removeAll { $0.map == map }
  }

  /// Turns away from sources that keep chunks back.
  mutating func checkDownloads(at now: Instant) {
    for holding in maps.holdings {
      for source in holding.stalledSources(at: now) {
        _ = maps.change(holding.announcement.id) { $0.removeHolder(source) }
      }
    }
    requestChunks(at: now)
  }

  private func mayServe(_ map: MapID, on id: LinkID) -> Bool {
    guard let audience = privateAudience[map] else { return true }
    return links[id]?.peer == audience
  }
}

extension Node {
  /// The latest of the session's maps that is here, whole.
  package var currentMap: MapID? { maps.latestComplete?.announcement.id }
}
