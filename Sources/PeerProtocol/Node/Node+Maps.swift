import Basics
package import WorldModel

extension Node {
  /// Shares a whole map: with one peer, or with everybody and every later joiner.
  mutating func share(_ package: MapPackage, with peer: PeerID?, at now: Instant) {
    guard peer != nil || mayShareMap else { return }
    let numbers = maps.nextNumbers(at: epoch)
    let manifest = MapManifest(epoch: numbers.epoch, revision: numbers.revision, names: package.names)
    let announcement = MapAnnouncement(manifest, provider: me.peer, isPrivate: peer != nil)
    maps.insert(MapHolding(package, manifest: manifest, announcement: announcement))
    latestSharedMap = manifest.id
    if let peer {
      privateAudience[manifest.id] = peer
      if let id = controlLinks[peer] { announce(announcement, on: id) }
    } else {
      for id in memberLinks { announce(announcement, on: id) }
      tellMapStatus(at: now)
    }
  }

  /// Whether this node may share a map with the whole session now.
  package var mayShareMap: Bool {
    configuration.mapPolicy.permits(me.peer, host: host?.peer) && (host != nil || configuration.mapPolicy != .host)
  }

  /// The latest of the session's maps that is here, whole.
  package var currentMap: MapID? { maps.latestComplete?.announcement.id }

  /// What was fetched of a map; nil for one that is not held.
  package func traffic(of map: MapID) -> MapTraffic? { maps[map]?.traffic }

  /// The chunks of a map that are here; nil for one that is not held.
  package func verifiedChunks(of map: MapID) -> ChunkSet? { maps[map]?.verified }

  /// Tells a newly linked member of the maps it should have, and of what there is of one that is not complete.
  mutating func announceMaps(on id: LinkID) {
    guard let peer = links[id]?.peer else { return }
    if let held = maps.latestComplete { announce(held.announcement, on: id) }
    if let current = maps.current, !current.isComplete, current.manifest != nil {
      var announcement = current.announcement
      announcement.isPartial = true
      announce(announcement, on: id)
      tellHave(current, on: id)
    }
    for holding in maps.holdings where privateAudience[holding.announcement.id] == peer {
      announce(holding.announcement, on: id)
    }
  }

  mutating func announce(_ announcement: MapAnnouncement, on id: LinkID) {
    guard links[id]?.phase == .member else { return }
    sendControl(.mapAnnounce, on: id) { announcement.write(to: &$0) }
  }

  /// Tells all members which chunks of a map are here so far, so that they may fetch them from here.
  mutating func tellHave(_ map: MapID) {
    guard let holding = maps[map], !holding.announcement.isPrivate, holding.manifest != nil else { return }
    for id in memberLinks { tellHave(holding, on: id) }
    _ = maps.change(map) { $0.untold = 0 }
  }

  private mutating func tellHave(_ holding: MapHolding, on id: LinkID) {
    let verified = holding.verified
    sendControl(.mapHave, on: id) { body in
      body.write(holding.announcement.id.digest)
      verified.write(to: &body)
    }
  }

  // MARK: Serving

  mutating func receiveManifestRequest(_ reader: inout ByteReader, on id: LinkID) throws(DecodingFailure) {
    let map = MapID(try reader.readDigest())
    let first = Int(try reader.read(UInt32.self))
    guard let manifest = maps[map]?.manifest, first < manifest.names.count, mayServe(map, on: id) else { return }
    let part = manifest.names[first..<min(first + ProtocolLimits.manifestNames, manifest.names.count)]
    sendControl(.mapManifest, on: id) { body in
      body.write(map.digest)
      body.write(UInt32(first))
      for name in part { name.write(to: &body) }
    }
  }

  /// Queues the chunks a peer asks for, within what one peer may ask; one that it asks for again begins anew.
  mutating func receiveMapRequest(_ reader: inout ByteReader, on id: LinkID) throws(DecodingFailure) {
    let map = MapID(try reader.readDigest())
    guard let holding = maps[map], mayServe(map, on: id), var uploads = links[id]?.uploads else { return }
    while !reader.isAtEnd {
      let chunk = Int(try reader.read(UInt32.self))
      guard holding.chunks.indices.contains(chunk), holding.chunks[chunk] != nil else { continue }
      uploads.add(map, chunk)
    }
    links[id]?.uploads = uploads
    flushPieces(id)
  }

  mutating func receiveMapCancel(_ map: MapID, on id: LinkID) {
    links[id]?.uploads.remove(map)
  }

  private func mayServe(_ map: MapID, on id: LinkID) -> Bool {
    guard let audience = privateAudience[map] else { return true }
    return links[id]?.peer == audience
  }

  /// Appends pieces of requested chunks while the window has room.
  ///
  /// On a control link they come last, and only while there is no second one.
  mutating func writePieces(for id: LinkID) {
    guard let peer = links[id]?.peer, let control = controlLinks[peer] else { return }
    let takesNew = id != control || bulk.link(to: peer) == nil
    while scratch.count + ProtocolLimits.bulkPiece <= ProtocolLimits.transmitWindow,
      let upload = links[control]?.uploads.next(on: id, takesNew: takesNew)
    {
      guard let chunk = maps[upload.map]?.chunks[upload.chunk] else {
        links[control]?.uploads.advance(upload, to: nil, on: id)
        continue
      }
      let end = min(upload.offset + ProtocolLimits.bulkPiece, chunk.bytes.count)
      let piece = MapPiece(
        map: upload.map, chunk: upload.chunk, codec: chunk.codec, storedSize: chunk.bytes.count, offset: upload.offset)
      scratch.writeFrame(.mapPiece) { body in
        piece.write(to: &body)
        unsafe body.write(span: chunk.bytes.span.bytes.extracting(upload.offset..<end))
      }
      links[control]?.uploads.advance(upload, to: end == chunk.bytes.count ? nil : end, on: id)
    }
  }
}
