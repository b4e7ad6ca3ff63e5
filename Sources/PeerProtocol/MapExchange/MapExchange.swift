import Basics
import WorldModel

/// The organ of maps: which are here, whole or in part, from whom the rest comes, and who gets them from here.
///
/// A map travels in chunks that are proven one by one (``ContentHolding``). A peer that has a part of it serves that
/// part, and what is verified counts whatever becomes of the link it came on. This organ decides what the chunks cannot
/// know.
///
/// *Which map is the session's?* Two members may share one at once, in two halves of a split too. The highest pair of
/// epoch and revision wins, so all end with the same one, and a later map is fetched beside the earlier, which stays
/// until the later one is whole: its holders may all go. Epochs can be forged. One that the session cannot have reached
/// is believed of the host alone, while there is one (``isPlausible(_:from:in:)``), or one lie would use up all
/// numbers.
///
/// *May its provider share?* The rule of the session may name the host, and the host at that time is known only on the
/// provider's own link. Others have judged the maps that they hand on, so that all take the same maps in the end.
///
/// *What may an announcement cost?* It is a few bytes, and the app and all members are told of each new map. So a
/// member has a budget of unknown maps; the last one beyond it waits, since it may be the one that matters.
///
/// A map must not delay anchors: pieces leave last on a link, and large maps have a connection of their own
/// (Documentation/maps.md).
struct MapExchange: Organ {
  /// The maps that are here or on their way.
  private var library: MapLibrary
  /// The uploads from here.
  private var server = MapServer()
  /// How far all members have come with the session's map.
  private var board = MapStatusBoard()
  /// By the link that carries a member's traffic, how many maps it may still announce.
  private var budgets = PerLink<AnnouncementBudget>()

  init(memoryLimit: Int) {
    library = MapLibrary(memoryLimit: memoryLimit)
  }

  /// When the others are told how far the map has come; all else is at the pace of anti-entropy: see ``check(in:)``.
  func deadline(in turn: inout Turn) -> Instant? { board.due }

  /// Tells the others what came too soon after the last word.
  mutating func tick(in turn: inout Turn) { tellStatus(in: &turn) }

  // MARK: Commands

  /// Shares a whole map: with one peer, or with everybody and every later joiner.
  mutating func share(_ package: MapPackage, with peer: PeerID?, in turn: inout Turn) -> MapID {
    let numbers = library.nextNumbers(at: turn.mesh.reign.epoch)
    let manifest = ContentManifest(.map, epoch: numbers.epoch, revision: numbers.revision, names: package.names)
    let announcement = MapAnnouncement(manifest, provider: turn.me.peer, isPrivate: peer != nil)
    library.insert(MapHolding(package, manifest: manifest, announcement: announcement))
    if let peer {
      server.keep(announcement.id, for: peer)
      if let link = turn.mesh.links.carrier(of: peer) { announce(announcement, on: link, in: &turn) }
    } else {
      for member in turn.mesh.links.members { announce(announcement, on: member.link, in: &turn) }
      tellStatus(in: &turn)
    }
    publish(in: &turn)
    return announcement.id
  }

  /// Stops fetching a map, permanently; nothing happens if it is here already or was never wanted.
  mutating func cancel(_ map: MapID, in turn: inout Turn) {
    // Members that asked for chunks of it here need not wait for them.
    if let given = library[map], !given.isComplete {
      tell(have: ChunkSet(capacity: given.announcement.chunks), of: given, in: &turn)
    }
    cancel(map, at: library.cancel(map), in: &turn)
    tellStatus(in: &turn)
    publish(in: &turn)
  }

  /// This peer has found where it is in the session's map, or has lost it (nil).
  mutating func setPlace(_ evidence: PlaceEvidence?, in turn: inout Turn) {
    if let evidence, let currentMap { board.know(placeIn: currentMap, by: evidence) } else { board.losePlace() }
    tellStatus(in: &turn)
  }

  /// Takes chunks from the cache.
  mutating func found(_ chunks: [FoundChunk], of map: MapID, isLast: Bool, in turn: inout Turn) {
    guard let provider = library[map]?.announcement.provider else { return }
    _ = library.change(map) { holding in
      for found in chunks { holding.content.keep(found.chunk, at: found.index) }
      if isLast { holding.content.searchEnds = nil }
    }
    if !chunks.isEmpty { progress(map, from: provider, in: &turn) }
    requestChunks(in: &turn)
    publish(in: &turn)
  }

  /// Keeps a chunk that is proven, or marks its source down.
  mutating func settle(_ verdict: ChunkVerdict, in turn: inout Turn) {
    defer { publish(in: &turn) }
    let map = MapID(verdict.check.content)
    do {
      let isNews = try library.change(map) { (holding) throws(ChunkFailure) in
        try holding.content.settle(verdict, at: turn.now)
      }
      guard isNews == true else { return }
      if turn.configuration.cachesChunks { turn.emit(.keep(verdict.check.name.hash, verdict.check.chunk)) }
      progress(map, from: verdict.check.source, in: &turn)
    } catch {
      refuse(verdict.check.source, of: map, error, in: &turn)
    }
    requestChunks(in: &turn)
  }

  // MARK: Queries

  /// How far this node has come with the session's map.
  var status: MapStatus { board.status(of: library) }

  /// How far a member has come with the session's map, as it last said.
  func status(of peer: PeerID, in turn: borrowing Turn) -> MapStatus { board.status(of: peer, in: turn) }

  /// The latest of the session's maps that is here, whole.
  var currentMap: MapID? { library.latestComplete?.announcement.id }

  /// The fetched part of a map; nil for one that is not held.
  func traffic(of map: MapID) -> ContentTraffic? { library[map]?.traffic }

  /// The chunks of a map that are here; nil for one that is not held.
  func verifiedChunks(of map: MapID) -> ChunkSet? { library[map]?.verified }

  // MARK: Notices

  /// Tells a newly linked member of the maps it should have, and of what there is of one that is not complete.
  mutating func linked(_ link: LinkRef, in turn: inout Turn) {
    server.chunks.open(link)
    budgets.begin(link, with: AnnouncementBudget(at: turn.now))
    guard let peer = turn.mesh.links.member(link)?.peer else { return }
    if let held = library.latestComplete { announce(held.announcement, on: link, in: &turn) }
    if let current = library.current, !current.isComplete, current.manifest != nil {
      var announcement = current.announcement
      announcement.isPartial = true
      announce(announcement, on: link, in: &turn)
      tell(have: current.verified, of: current, on: link, in: &turn)
    }
    for holding in library.holdings where server.isKept(holding.announcement.id, for: peer) {
      announce(holding.announcement, on: link, in: &turn)
    }
  }

  /// The link that carried a peer's traffic is gone; what it owed is asked of others at ``resume(in:)``.
  mutating func unlinked(_ link: LinkRef, of peer: PeerID, in turn: inout Turn) {
    server.chunks.close(link)
    budgets.end(link)
    library.removeHolder(peer)
    publish(in: &turn)
  }

  /// Asks others for what a lost member owed.
  mutating func resume(in turn: inout Turn) {
    requestManifests(in: &turn)
    requestChunks(in: &turn)
  }

  /// A bulk link is gone: what was on it starts over on the control link.
  mutating func bulkClosed(_ second: LinkRef, of peer: PeerID, in turn: inout Turn) {
    guard let control = turn.mesh.links.carrier(of: peer) else { return }
    server.chunks.restart(from: second, on: control)
    turn.flush(control)
    library.askAgain(peer)
    requestChunks(in: &turn)
    publish(in: &turn)
  }

  /// Other members can be reached, or one was away for too long: when it comes back the app is told again how far it is.
  mutating func membersChanged(in turn: inout Turn) { board.show(in: &turn) }

  /// Grants every source the time in which this node stood still.
  mutating func excuse(_ gap: Duration, in turn: inout Turn) { library.excuse(gap) }

  /// Turns away from sources that keep chunks back, and tells again what may have been missed; at the pace of anti-entropy.
  mutating func check(in turn: inout Turn) {
    library.passOverSlowSources(at: turn.now)
    for member in turn.mesh.links.members {
      guard let late = budgets.update(member.link, { $0.late.take() }) ?? nil else { continue }
      receiveAnnouncement(late, from: member, in: &turn)
    }
    for holding in library.holdings where !holding.isComplete {
      let map = holding.announcement.id
      if holding.untold > 0 { tellHave(map, in: &turn) }
      // A disk that does not answer must not hold up what the network has.
      if let end = holding.searchEnds, end <= turn.now { _ = library.change(map) { $0.content.searchEnds = nil } }
    }
    requestManifests(isLate: true, in: &turn)
    requestChunks(in: &turn)
  }

  // MARK: Frames

  /// The frames of this organ but for those about chunks.
  enum Frame {
    case announce, cancel
  }

  /// Takes a frame about maps.
  mutating func receive(
    _ frame: Frame, _ body: RawSpan, from sender: MemberLink, in turn: inout Turn
  ) throws(DecodingFailure) {
    // A peer that cannot do maps is not asked for any, whatever it announces.
    guard turn.mesh.links.offers(.maps, on: sender.link) else { return }
    switch frame {
    case .announce: receiveAnnouncement(try MapAnnouncement(body: body), from: sender, in: &turn)
    case .cancel: server.chunks.cancel(try MapCancel(body: body).map.content, on: sender.link)
    }
  }

  /// Takes a frame about chunks of maps.
  mutating func receive(
    _ frame: ChunkFrame, _ body: RawSpan, from sender: MemberLink, in turn: inout Turn
  ) throws(DecodingFailure) {
    guard turn.mesh.links.offers(.maps, on: sender.link) else { return }
    switch frame {
    case .manifestRequest: server.receive(try ManifestRequest(body: body), from: sender, of: library, in: &turn)
    case .manifest: receiveManifest(try ManifestPart(body: body), from: sender, in: &turn)
    case .request: server.receive(try ContentRequest(body: body), from: sender, of: library, in: &turn)
    case .have: try receiveHave(ContentHave(body: body), from: sender, in: &turn)
    }
  }

  /// Takes what a member says of a map that it has, or has a part of.
  private mutating func receiveAnnouncement(
    _ announcement: MapAnnouncement, from sender: MemberLink, in turn: inout Turn
  ) {
    let now = turn.now
    // A known map costs nothing; new ones are told to the app and, by this node's status, to all members.
    guard library[announcement.id] != nil || budgets.update(sender.link, { $0.admits(announcement, at: now) }) == true
    else { return }
    guard isPlausible(announcement, from: sender.peer, in: turn) else { return }
    if let refusal = refusal(of: announcement, from: sender.peer, in: turn) {
      return turn.report(.mapRefused(announcement.id, provider: announcement.provider, refusal))
    }
    // Another beginning for each peer and map, so that joiners that come together soon have something to give.
    let mixed = (turn.me.peer.prefix ^ announcement.id.digest.words.x) &* 0x9e37_79b9_7f4a_7c15
    let start = Int(truncatingIfNeeded: mixed >> 32)
    guard library.announce(announcement, by: sender.peer, start: start, at: turn.now) else { return }
    publish(in: &turn)
    turn.tell(.mapAnnounced)
    tellStatus(in: &turn)
    if library[announcement.id]?.manifest == nil { requestManifests(in: &turn) } else { requestChunks(in: &turn) }
  }

  /// Why a map is not fetched; nil if it may be.
  private func refusal(
    of announcement: MapAnnouncement, from peer: PeerID, in turn: borrowing Turn
  ) -> MapRefusal? {
    guard mayProvide(announcement, linked: peer, in: turn) else { return .notPermitted }
    return announcement.size > turn.configuration.mapMemoryLimit && library[announcement.id] == nil
      ? .tooLarge(bytes: announcement.size) : nil
  }

  /// Whether there can be a map of this epoch: a forged one must not use up the epochs, so that nobody else can share one.
  ///
  /// It is one that the session may have come to, or that follows the map which is known. For any other the host's word
  /// counts: who was not there when a lie made the epochs high has no other.
  private func isPlausible(_ announcement: MapAnnouncement, from peer: PeerID, in turn: borrowing Turn) -> Bool {
    let known = library.current.map { $0.announcement.epoch + 1 } ?? 0
    return announcement.isPrivate || library[announcement.id] != nil || announcement.epoch <= known
      || turn.mesh.reign.isPlausible(announcement.epoch) || turn.mesh.host == nil || turn.mesh.host?.peer == peer
  }

  /// Whether the rule of the session lets the provider share it.
  ///
  /// The host at the time of sharing is known only while its provider tells of the map itself; what others hand on was
  /// judged by them, so that all take the same maps in the end.
  private func mayProvide(_ announcement: MapAnnouncement, linked peer: PeerID, in turn: borrowing Turn) -> Bool {
    guard library[announcement.id] == nil else { return true }
    guard !announcement.isPrivate else { return turn.heeds(announcement.provider) }
    guard turn.heedsMaps(of: announcement.provider) else { return false }
    let policy = turn.configuration.mapPolicy
    if policy == .host, announcement.provider != peer { return true }
    return policy.permits(announcement.provider, host: turn.mesh.host?.peer)
  }

  /// Records which chunks a member has that is still fetching.
  private mutating func receiveHave(
    _ told: ContentHave, from sender: MemberLink, in turn: inout Turn
  ) throws(DecodingFailure) {
    let map = MapID(told.content)
    guard let holding = library[map] else { return }
    let have = try told.chunks(of: holding.announcement.chunks)
    guard !holding.isComplete else { return }
    _ = library.change(map) { $0.content.take(have, of: sender.peer, at: turn.now) }
    publish(in: &turn)
    if holding.manifest == nil { requestManifests(in: &turn) } else { requestChunks(in: &turn) }
  }

  /// Takes a part of a manifest, and asks for the next one or for chunks.
  private mutating func receiveManifest(_ part: ManifestPart, from sender: MemberLink, in turn: inout Turn) {
    let map = MapID(part.content)
    defer { publish(in: &turn) }
    do {
      let received = try library.change(map) { (holding) throws(ChunkFailure) in
        try holding.content.takeNames(part.names, first: part.first, from: sender.peer)
      }
      guard let received = received ?? nil else { return }
      guard library[map]?.manifest != nil else {
        return requestManifest(map, from: sender.peer, first: received, in: &turn)
      }
      library.reuseChunks(for: map)
      for (old, sources) in library.setAside() { cancel(old, at: sources, in: &turn) }
      searchCache(for: map, in: &turn)
      progress(map, from: sender.peer, in: &turn)
      requestChunks(in: &turn)
    } catch {
      refuse(sender.peer, of: map, error, in: &turn)
    }
  }

  /// Takes a piece of a chunk, on a control or a bulk link of its source.
  mutating func receivePiece(_ body: RawSpan, from peer: PeerID, in turn: inout Turn) throws(DecodingFailure) {
    var reader = ByteReader(body)
    let piece = try ChunkPiece(reading: &reader)
    let bytes = try reader.readSpan(reader.remaining)
    do {
      let check = try library.change(MapID(piece.content)) { (holding) throws(ChunkFailure) in
        try holding.content.take(piece, bytes, from: peer, at: turn.now)
      }
      guard let check, let check else { return }
      turn.emit(.check(check))
      // The source need not wait until it is proven.
      requestChunks(in: &turn)
    } catch {
      refuse(peer, of: MapID(piece.content), error, in: &turn)
      requestChunks(in: &turn)
      publish(in: &turn)
    }
  }

  /// A member has come further with the session's map.
  mutating func changed(_ word: SpreadWord, in turn: inout Turn) { board.changed(word, in: &turn) }

  /// Appends pieces of requested chunks while the window has room.
  mutating func write(on link: LinkRef, in turn: inout Turn) { server.write(on: link, of: library, in: &turn) }

  // MARK: Fetching

  /// Asks a source for the manifest of every map that has none, unless one is asked that has sent something lately.
  private mutating func requestManifests(isLate: Bool = false, in turn: inout Turn) {
    for map in library.holdings.map(\.announcement.id) {
      guard let source = library.change(map, { $0.content.askForManifest(isLate: isLate) }) ?? nil else { continue }
      requestManifest(map, from: source, first: 0, in: &turn)
    }
  }

  private func requestManifest(_ map: MapID, from source: PeerID, first: Int, in turn: inout Turn) {
    guard let link = turn.mesh.links.carrier(of: source) else { return }
    turn.send(.manifestRequest, on: link) {
      ManifestRequest(content: map.content, first: first).write(to: &$0)
    }
  }

  /// Asks every holder of every unfinished map for as much as it may owe at once.
  private mutating func requestChunks(in turn: inout Turn) {
    for (map, source, chunks) in library.nextRequests(at: turn.now) {
      guard let link = turn.mesh.links.carrier(of: source) else { continue }
      turn.send(.chunkRequest, on: link) {
        ContentRequest(content: map.content, chunks: chunks).write(to: &$0)
      }
      let worth = turn.configuration.bulkWorth
      if library[map].map({ $0.announcement.size - $0.verifiedBytes >= worth }) == true {
        turn.tell(.wantsBulk(source))
      }
    }
  }

  /// Looks in the cache for what a map still lacks; nothing is asked for before it has answered.
  private mutating func searchCache(for map: MapID, in turn: inout Turn) {
    guard turn.configuration.cachesChunks, let search = library[map]?.search else { return }
    _ = library.change(map) { $0.content.searchEnds = turn.now + ProtocolTimes.chunkTimeout }
    turn.emit(.find(search))
  }

  /// Tells the app, and the others, of what is verified by now.
  private mutating func progress(_ map: MapID, from peer: PeerID, in turn: inout Turn) {
    guard let holding = library[map] else { return }
    turn.report(.mapProgress(MapAdvance(holding, from: peer, at: turn.now)))
    tellStatus(in: &turn)
    guard let package = holding.package else {
      let untold = holding.untold + 1
      _ = library.change(map) { $0.content.untold = untold }
      if untold >= holding.chunksBetweenTells { tellHave(map, in: &turn) }
      return
    }
    let announcement = holding.announcement
    turn.report(.mapReceived(map, from: peer, provider: announcement.provider, package))
    guard !announcement.isPrivate else { return }
    library.dropSuperseded()
    for member in turn.mesh.links.members { announce(announcement, on: member.link, in: &turn) }
  }

  /// A source whose chunk does not match is not asked for this map again.
  private mutating func refuse(_ peer: PeerID, of map: MapID, _ failure: ChunkFailure, in turn: inout Turn) {
    _ = library.change(map) { $0.content.refuseHolder(peer) }
    requestManifests(in: &turn)
    turn.report(.mapSourceRefused(map, peer, failure))
  }

  /// Tells those that owe chunks of a map that they are not wanted any more.
  private func cancel(_ map: MapID, at sources: [PeerID], in turn: inout Turn) {
    for source in sources {
      guard let link = turn.mesh.links.carrier(of: source) else { continue }
      turn.send(.mapCancel, on: link) { MapCancel(map).write(to: &$0) }
    }
  }

  // MARK: Telling the others

  private func announce(_ announcement: MapAnnouncement, on link: LinkRef, in turn: inout Turn) {
    guard turn.mesh.links.member(link) != nil, turn.mesh.links.offers(.maps, on: link) else { return }
    turn.send(.mapAnnounce, on: link) { announcement.write(to: &$0) }
  }

  /// Tells all members which chunks of a map are here so far, so that they may fetch them from here.
  private mutating func tellHave(_ map: MapID, in turn: inout Turn) {
    guard let holding = library[map] else { return }
    tell(have: holding.verified, of: holding, in: &turn)
    _ = library.change(map) { $0.content.untold = 0 }
  }

  /// The same of any chunks, if it is a map that the others may know to be fetched here.
  private func tell(have chunks: ChunkSet, of holding: MapHolding, in turn: inout Turn) {
    guard !holding.announcement.isPrivate, holding.manifest != nil else { return }
    for member in turn.mesh.links.members { tell(have: chunks, of: holding, on: member.link, in: &turn) }
  }

  private func tell(have chunks: ChunkSet, of holding: MapHolding, on link: LinkRef, in turn: inout Turn) {
    guard turn.mesh.links.offers(.maps, on: link) else { return }
    let have = ContentHave(content: holding.announcement.id.content, chunks: chunks)
    turn.send(.chunkHave, on: link) { have.write(to: &$0) }
  }

  private mutating func tellStatus(in turn: inout Turn) { board.tell(status, in: &turn) }

  /// Lets all organs see whether a map is on its way.
  private func publish(in turn: inout Turn) { turn.mesh.publish(isFetchingMap: library.isFetching) }
}

extension Turn {
  /// Whether this node may share a map with the whole session now.
  var mayShareMap: Bool {
    let (policy, host) = (configuration.mapPolicy, mesh.host?.peer)
    return policy.permits(me.peer, host: host) && (host != nil || policy != .host) && heedsMaps(of: me.peer)
  }
}
