import Basics
import WorldModel

extension Node {
  mutating func receiveMapAnnouncement(_ announcement: MapAnnouncement, from link: Link, at now: Instant) {
    guard isPlausible(announcement, from: link.peer) else { return }
    guard mayProvide(announcement, linked: link.peer) else {
      tell(.mapRefused(announcement.id, provider: announcement.provider))
      return
    }
    // Another beginning for each peer and map, so that joiners that come together soon have something to give.
    let mixed = (me.peer.prefix ^ announcement.id.digest.words.x) &* 0x9e37_79b9_7f4a_7c15
    let start = Int(truncatingIfNeeded: mixed >> 32)
    guard maps.announce(announcement, by: link.peer, start: start, at: now) else { return }
    if maps.isFetching { synchronisation.isReached = false }
    tellMapStatus(at: now)
    if maps[announcement.id]?.manifest == nil { requestManifests() } else { requestChunks(at: now) }
  }

  /// Whether there can be a map of this epoch: nobody uses up the epochs, and so keeps all others from sharing a map, by a lie.
  ///
  /// It is one that the session may have come to, or that follows the map which is known. For any other the host's word
  /// counts: who was not there when a lie made the epochs high has no other.
  private func isPlausible(_ announcement: MapAnnouncement, from peer: PeerID) -> Bool {
    let known = maps.current.map { $0.announcement.epoch + 1 } ?? 0
    return announcement.isPrivate || maps[announcement.id] != nil || announcement.epoch <= known
      || election.isPlausible(announcement.epoch) || host == nil || host?.peer == peer
  }

  /// Whether the rule of the session lets the provider share it.
  ///
  /// Who hosted when a map was shared is known only while its provider tells of it itself; what others hand on was
  /// judged by them, so that all take the same maps in the end.
  private func mayProvide(_ announcement: MapAnnouncement, linked peer: PeerID) -> Bool {
    guard !announcement.isPrivate, maps[announcement.id] == nil else { return true }
    if configuration.mapPolicy == .host, announcement.provider != peer { return true }
    return configuration.mapPolicy.permits(announcement.provider, host: host?.peer)
  }

  /// Notes which chunks a member has that is still fetching.
  mutating func receiveMapHave(_ reader: inout ByteReader, from link: Link, at now: Instant) throws(DecodingFailure) {
    let map = MapID(try reader.readDigest())
    guard let holding = maps[map] else { return }
    let have = try ChunkSet(reading: &reader, capacity: holding.chunks.count)
    try reader.finish()
    guard !holding.isComplete else { return }
    _ = maps.change(map) { $0.addHolder(link.peer, have: have, at: now) }
    if holding.manifest == nil { requestManifests() } else { requestChunks(at: now) }
  }

  /// Asks a source for the manifest of every map that has none, unless one is asked that has sent something lately.
  mutating func requestManifests(isLate: Bool = false) {
    for map in maps.holdings.map(\.announcement.id) {
      guard let source = maps.change(map, { $0.askForManifest(isLate: isLate) }) ?? nil else { continue }
      requestManifest(map, from: source, first: 0)
    }
  }

  private mutating func requestManifest(_ map: MapID, from source: PeerID, first: Int) {
    guard let id = controlLinks[source] else { return }
    sendControl(.mapManifestRequest, on: id) {
      $0.write(map.digest)
      $0.write(UInt32(first))
    }
  }

  mutating func receiveManifest(_ reader: inout ByteReader, from link: Link, at now: Instant) throws(DecodingFailure) {
    let map = MapID(try reader.readDigest())
    let first = Int(try reader.read(UInt32.self))
    var names: [ChunkName] = []
    while !reader.isAtEnd { names.append(try ChunkName(reading: &reader)) }
    do {
      let received = try maps.change(map) { (holding) throws(ChunkFailure) in
        try holding.takeNames(names, first: first, from: link.peer)
      }
      guard let received = received ?? nil else { return }
      guard maps[map]?.manifest != nil else { return requestManifest(map, from: link.peer, first: received) }
      maps.reuseChunks(for: map)
      for (old, sources) in maps.setAside() { cancel(old, at: sources) }
      searchCache(for: map, at: now)
      progress(map, from: link.peer, at: now)
      requestChunks(at: now)
    } catch {
      refuseSource(link.peer, of: map, error)
    }
  }

  /// Looks in the cache for what a map still lacks; nothing is asked for before it has answered.
  private mutating func searchCache(for map: MapID, at now: Instant) {
    guard configuration.cachesChunks, let search = maps[map]?.search else { return }
    _ = maps.change(map) { $0.searchEnds = now + ProtocolTimes.chunkTimeout }
    emit(.find(search))
  }

  /// Takes chunks from the cache.
  mutating func takeFound(_ chunks: [FoundChunk], of map: MapID, isLast: Bool, at now: Instant) {
    guard let provider = maps[map]?.announcement.provider else { return }
    _ = maps.change(map) { holding in
      for found in chunks { holding.keep(found.chunk, at: found.index) }
      if isLast { holding.searchEnds = nil }
    }
    if !chunks.isEmpty { progress(map, from: provider, at: now) }
    requestChunks(at: now)
  }

  /// Asks every holder of every unfinished map for as much as it may owe at once.
  mutating func requestChunks(at now: Instant) {
    for (map, source, chunks) in maps.nextRequests(at: now) {
      guard let id = controlLinks[source] else { continue }
      sendControl(.mapRequest, on: id) { body in
        body.write(map.digest)
        for chunk in chunks { body.write(UInt32(chunk)) }
      }
      if maps[map].map({ $0.announcement.size - $0.verifiedBytes >= configuration.bulkWorth }) == true {
        wantBulk(with: source, at: now)
      }
    }
  }

  mutating func receiveMapPiece(_ reader: inout ByteReader, on id: LinkID, at now: Instant) throws(DecodingFailure) {
    guard let peer = links[id]?.peer else { return }
    let piece = try MapPiece(reading: &reader)
    let bytes = try reader.readSpan(reader.remaining)
    do {
      let check = try maps.change(piece.map) { (holding) throws(ChunkFailure) in
        try holding.take(piece, bytes, from: peer, at: now)
      }
      guard let check, let check else { return }
      emit(.check(check))
      // The source need not wait until it is proven.
      requestChunks(at: now)
    } catch {
      refuseSource(peer, of: piece.map, error)
      requestChunks(at: now)
    }
  }

  /// Keeps a chunk that is proven, or marks its source down.
  mutating func settle(_ verdict: ChunkVerdict, at now: Instant) {
    let map = verdict.check.map
    do {
      let isNews = try maps.change(map) { (holding) throws(ChunkFailure) in try holding.settle(verdict, at: now) }
      guard isNews == true else { return }
      if configuration.cachesChunks { emit(.keep(verdict.check.name.hash, verdict.check.chunk)) }
      progress(map, from: verdict.check.source, at: now)
    } catch {
      refuseSource(verdict.check.source, of: map, error)
    }
    requestChunks(at: now)
  }

  /// Tells the app, and the others, of what is verified by now.
  private mutating func progress(_ map: MapID, from peer: PeerID, at now: Instant) {
    guard let holding = maps[map] else { return }
    tell(.mapProgress(MapProgress(holding, from: peer, at: now)))
    tellMapStatus(at: now)
    guard let package = holding.package else {
      let untold = holding.untold + 1
      _ = maps.change(map) { $0.untold = untold }
      if untold >= ProtocolLimits.chunksBetweenTells { tellHave(map) }
      return
    }
    let announcement = holding.announcement
    tell(.mapReceived(map, from: peer, provider: announcement.provider, package))
    guard !announcement.isPrivate else { return }
    maps.dropSuperseded()
    for id in memberLinks { announce(announcement, on: id) }
  }

  /// A source whose chunk does not match is not asked for this map again.
  private mutating func refuseSource(_ peer: PeerID, of map: MapID, _ failure: ChunkFailure) {
    _ = maps.change(map) { $0.refuseHolder(peer) }
    requestManifests()
    tell(.mapSourceRefused(map, peer, failure))
  }

  /// Stops fetching a map, for good; nothing happens if it is here already or was never wanted.
  mutating func cancelMap(_ map: MapID, at now: Instant) {
    cancel(map, at: maps.cancel(map))
    tellMapStatus(at: now)
  }

  /// Tells those that owe chunks of a map that they are not wanted any more.
  private mutating func cancel(_ map: MapID, at sources: [PeerID]) {
    for source in sources {
      guard let id = controlLinks[source] else { continue }
      sendControl(.mapCancel, on: id) { $0.write(map.digest) }
    }
  }

  /// Turns away from sources that keep chunks back, and tells again what may have been missed.
  mutating func checkDownloads(at now: Instant) {
    maps.passOverSlowSources(at: now)
    for holding in maps.holdings where !holding.isComplete {
      let map = holding.announcement.id
      if holding.untold > 0 { tellHave(map) }
      // A disk that does not answer must not hold up what the network has.
      if let end = holding.searchEnds, end <= now { _ = maps.change(map) { $0.searchEnds = nil } }
    }
    requestManifests(isLate: true)
    requestChunks(at: now)
  }
}
