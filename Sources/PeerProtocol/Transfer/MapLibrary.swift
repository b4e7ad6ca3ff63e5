package import WorldModel

/// The maps a node holds or fetches: the session's current one and those sent to it alone.
package struct MapLibrary: Sendable {
  /// Maps held at once, whole or in part; the oldest that is not current goes first.
  package static let capacity = 4

  /// The holdings, the newest last.
  package private(set) var holdings: [MapHolding] = []

  package init() {}

  /// The session's current map, complete or not.
  package var current: MapHolding? {
    holdings.filter { !$0.announcement.isPrivate }.max { $1.announcement.supersedes($0.announcement) }
  }

  /// The latest of the session's maps that is here, whole.
  package var latestComplete: MapHolding? {
    holdings.filter { !$0.announcement.isPrivate && $0.isComplete }
      .max { $1.announcement.supersedes($0.announcement) }
  }

  /// The revision the next shared map takes.
  package var nextRevision: UInt64 { (holdings.map(\.announcement.revision).max() ?? 0) + 1 }

  /// The holding of `map`.
  package subscript(map: MapID) -> MapHolding? { holdings.first { $0.announcement.id == map } }

  /// Adds a map that is held whole.
  package mutating func insert(_ holding: MapHolding) {
    holdings.removeAll { $0.announcement.id == holding.announcement.id }
    holdings.append(holding)
    trim()
  }

  /// Notes that `peer` holds a map.
  ///
  /// Returns whether something of it is still wanted.
  package mutating func announce(_ announcement: MapAnnouncement, by peer: PeerID) -> Bool {
    if self[announcement.id] == nil {
      // A later map that nobody here has whole must not keep out one that can be had.
      let isNews = announcement.isPrivate || latestComplete.map { announcement.supersedes($0.announcement) } ?? true
      guard isNews else { return false }
      holdings.append(MapHolding(fetching: announcement))
      trim()
    }
    return change(announcement.id) { holding in
      holding.addHolder(peer)
      return !holding.isComplete
    } ?? false
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
    for index in holdings.indices { holdings[index].removeHolder(peer) }
  }

  /// Takes over the chunks of `map` that other holdings already have.
  package mutating func reuseChunks(for map: MapID) {
    let others = holdings.filter { $0.announcement.id != map }
    _ = change(map) { holding in
      holding.reuse { hash in others.lazy.compactMap { $0.chunk(with: hash) }.first }
    }
  }

  /// Gives up `map`.
  package mutating func remove(_ map: MapID) {
    holdings.removeAll { $0.announcement.id == map }
  }

  private mutating func trim() {
    let kept = [current, latestComplete].compactMap { $0?.announcement.id }
    while holdings.count > Self.capacity,
      let index = holdings.firstIndex(where: { !kept.contains($0.announcement.id) })
    {
      holdings.remove(at: index)
    }
  }
}
