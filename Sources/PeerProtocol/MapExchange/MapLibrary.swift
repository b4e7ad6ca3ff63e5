package import Basics
package import WorldModel

/// The maps a node holds or fetches: the session's current one and those sent to it alone.
package struct MapLibrary: Sendable {
  /// Maps held at once, whole or in part; the oldest that is not current goes first.
  package static let capacity = 4

  /// Cancelled maps remembered, so that nobody's announcement starts them again.
  private static let cancellations = 64

  /// The holdings, the newest last.
  package private(set) var holdings: [MapHolding] = []
  /// The numbers of the latest map of the session that was ever known here, or of one that this node sent to a single peer.
  private var latest: (epoch: UInt64, revision: UInt64) = (0, 0)
  /// Maps that the app does not want, the latest last.
  private var cancelled: [MapID] = []
  /// Bytes of a map of another peer above which it is not fetched.
  private let memoryLimit: Int

  package init(memoryLimit: Int = ProtocolLimits.map) {
    self.memoryLimit = memoryLimit
  }

  /// The session's current map, complete or not.
  package var current: MapHolding? {
    holdings.filter { !$0.announcement.isPrivate }.max { $1.announcement.supersedes($0.announcement) }
  }

  /// Whether the session's current map is not here yet, and somebody has it or a part of it.
  var isFetching: Bool { current.map { !$0.isComplete && !$0.holders.isEmpty } ?? false }

  /// The latest of the session's maps that is here, whole.
  var latestComplete: MapHolding? {
    holdings.filter { !$0.announcement.isPrivate && $0.isComplete }
      .max { $1.announcement.supersedes($0.announcement) }
  }

  /// The numbers that the next shared map takes in a session at `epoch`: later than those of every map that was here, also when a
  /// lie has used the revisions of an epoch up.
  package func nextNumbers(at epoch: UInt64) -> (epoch: UInt64, revision: UInt64) {
    let present = max(epoch, latest.epoch)
    guard latest.revision == ProtocolLimits.counter else { return (present, latest.revision + 1) }
    return (present > latest.epoch ? present : min(present + 1, ProtocolLimits.counter), 1)
  }

  /// The holding of `map`.
  package subscript(map: MapID) -> MapHolding? { holdings.first { $0.announcement.id == map } }

  /// Adds a map that is held whole.
  package mutating func insert(_ holding: MapHolding) {
    holdings.removeAll { $0.announcement.id == holding.announcement.id }
    note(holding.announcement)
    append(holding)
  }

  /// Records a map's numbers, so that the next one's are later.
  private mutating func note(_ map: MapAnnouncement) {
    if (map.epoch, map.revision) > latest { latest = (map.epoch, map.revision) }
  }

  /// Notes that `peer` holds a map, or a part of it.
  ///
  /// Returns whether something of it is still wanted.
  ///
  /// - Parameter start: The chunk at which fetching begins, as a number of any size.
  package mutating func announce(
    _ announcement: MapAnnouncement, by peer: PeerID, start: Int = 0, at now: Instant
  ) -> Bool {
    guard !cancelled.contains(announcement.id) else { return false }
    if self[announcement.id] == nil {
      // A later map that nobody here has whole must not keep out one that can be had.
      let isNews = announcement.isPrivate || latestComplete.map { announcement.supersedes($0.announcement) } ?? true
      guard isNews else { return false }
      if !announcement.isPrivate { note(announcement) }
      var plain = announcement
      plain.isPartial = false
      append(MapHolding(fetching: plain, from: start))
    }
    return change(announcement.id) { holding in
      let have = announcement.isPartial ? ChunkSet(capacity: announcement.chunks) : nil
      holding.content.addHolder(peer, have: have, at: now)
      return !holding.isComplete
    } ?? false
  }

  /// Plans what to ask of whom for every map that is not complete, but for those that a later one takes the place of.
  package mutating func nextRequests(at now: Instant) -> [(map: MapID, source: PeerID, chunks: [Int])] {
    var plan: [(map: MapID, source: PeerID, chunks: [Int])] = []
    for index in holdings.indices where !isSetAside(holdings[index]) {
      let map = holdings[index].announcement.id
      for (source, chunks) in holdings[index].content.nextRequests(at: now) { plan.append((map, source, chunks)) }
    }
    return plan
  }

  /// Asks nobody any more for maps that a later one takes the place of; what is verified of them stays, for it may be had again.
  ///
  /// Returns which maps, and who still owes chunks of them.
  package mutating func setAside() -> [(map: MapID, sources: [PeerID])] {
    var aside: [(map: MapID, sources: [PeerID])] = []
    for index in holdings.indices where isSetAside(holdings[index]) {
      let sources = holdings[index].sources.filter { $0.outstanding > 0 }.map(\.peer)
      for source in sources { holdings[index].content.release(requestsOf: source) }
      if !sources.isEmpty { aside.append((holdings[index].announcement.id, sources)) }
    }
    return aside
  }

  /// Whether a map of the session is not worth fetching, because a later one is on its way from somebody who has all of it.
  private func isSetAside(_ holding: MapHolding) -> Bool {
    guard !holding.announcement.isPrivate, !holding.isComplete else { return false }
    return holdings.contains { later in
      !later.announcement.isPrivate && later.announcement.supersedes(holding.announcement) && later.manifest != nil
        && (later.isComplete || later.sources.contains { $0.have == nil })
    }
  }

  /// Gives up maps of the session in whose place a later one is here.
  package mutating func dropSuperseded() {
    guard let latest = latestComplete?.announcement else { return }
    holdings.removeAll { !$0.announcement.isPrivate && !$0.isComplete && latest.supersedes($0.announcement) }
  }

  /// Frees what is owed by sources that have sent nothing for too long.
  package mutating func passOverSlowSources(at now: Instant) {
    for index in holdings.indices { holdings[index].content.passOverSlowSources(at: now) }
  }

  /// Grants every source the time in which this node stood still.
  mutating func excuse(_ gap: Duration) {
    for index in holdings.indices { holdings[index].content.excuse(gap) }
  }

  /// Gives up a map that is not complete, permanently.
  ///
  /// Returns the holders it was being fetched from; none when there was nothing to give up.
  package mutating func cancel(_ map: MapID) -> [PeerID] {
    guard let holding = self[map], !holding.isComplete else { return [] }
    remove(map)
    cancelled.append(map)
    if cancelled.count > Self.cancellations { cancelled.removeFirst() }
    return holding.holders
  }

  /// Changes the holding of `map`, if there is one.
  package mutating func change<R, E: Error>(
    _ map: MapID, _ body: (inout MapHolding) throws(E) -> R
  ) throws(E) -> R? {
    guard let index = holdings.firstIndex(where: { $0.announcement.id == map }) else { return nil }
    return try body(&holdings[index])
  }

  /// Forgets `peer` as a source of anything.
  package mutating func removeHolder(_ peer: PeerID) {
    for index in holdings.indices { holdings[index].content.removeHolder(peer) }
  }

  /// Asks again, of anybody, for what was asked of `peer` and has not arrived.
  mutating func askAgain(_ peer: PeerID) {
    for index in holdings.indices { holdings[index].content.release(requestsOf: peer) }
  }

  /// Takes over the chunks of `map` that other holdings already have.
  package mutating func reuseChunks(for map: MapID) {
    let others = holdings.filter { $0.announcement.id != map }.flatMap(\.content.known)
    let known = Dictionary(others) { first, _ in first }
    _ = change(map) { $0.content.reuse(known) }
  }

  /// Gives up `map`.
  package mutating func remove(_ map: MapID) {
    holdings.removeAll { $0.announcement.id == map }
  }

  private mutating func append(_ holding: MapHolding) {
    holdings.append(holding)
    trim()
  }

  /// Gives up the oldest maps while there are too many, or while those that are announced by others are too large together.
  private mutating func trim() {
    let kept = [current, latestComplete, holdings.last].compactMap { $0?.announcement.id }
    while holdings.count > Self.capacity || holdings.reduce(0, { $0 + $1.announcement.size }) > 2 * memoryLimit,
      let index = holdings.firstIndex(where: { !kept.contains($0.announcement.id) })
    {
      holdings.remove(at: index)
    }
  }
}
