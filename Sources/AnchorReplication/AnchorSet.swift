package import Basics
package import WorldModel

/// A set of anchors that every peer edits at once and that ends the same everywhere: a delta-state CRDT.
///
/// Each actor numbers its operations; a version vector counts how many of each actor's a peer has applied. An anchor is
/// known by the dot of the operation that added it. Its registers keep the write with the latest stamp; a removal beats
/// every edit, permanently, without leaving a trace: a key that is absent and covered by the vector was removed. See
/// Almeida, Shoker, Baquero, "Delta State Replicated Data Types" (2018).
package struct AnchorSet: Sendable {
  /// This run of this peer.
  package let actor: ActorID
  /// Whose run it is, written into the anchors it places.
  package let peer: PeerID?
  /// The limits of its growth.
  package let limits: ReplicationLimits
  let rules: ProtocolRules
  var actors: ActorTable
  var table = EntryTable()
  var log: OperationLog
  var held = HeldOperations()
  var clock = HybridClock()
  var feed = ChangeFeed()
  var creators = CreatorTable()
  var sorted = SortedAnchors()
  /// The ends of the operations of removed peers and guests: later ones are ignored from now on; those that were applied before
  /// stay, and other members are told of them by a raised cut.
  package var cuts = ActorCuts()

  /// An empty set in which `actor` writes.
  ///
  /// - Parameters:
  ///   - actor: This run of this peer; never one that wrote before.
  ///   - peer: Whose run it is; nil leaves the creator of its anchors open.
  ///   - limits: The limits of its growth.
  ///   - rules: All of them, but in a test that shows that one is needed.
  package init(
    actor: ActorID, peer: PeerID? = nil, limits: ReplicationLimits = .default, rules: ProtocolRules = .all
  ) {
    precondition(peer.map { $0.prefix == actor.peerPrefix } ?? true, "an actor is a run of its peer")
    self.actor = actor
    self.peer = peer
    self.limits = limits
    self.rules = rules
    actors = ActorTable(local: actor)
    log = OperationLog(limit: limits.logBytes)
  }

  /// The operations applied so far, by actor.
  package var vector: VersionVector { actors.vector }

  /// Whether the operation `dot` has been applied.
  package func covers(_ dot: Dot) -> Bool { dot.sequence <= actors.seen(of: dot.actor) }

  /// How many operations of `actor` have been applied.
  package func appliedCount(of actor: ActorID) -> UInt64 { actors.seen(of: actor) }

  /// The number of anchors.
  package var count: Int { table.visibleCount }

  /// The bytes that count towards the limit on the set.
  var stateBytes: Int { table.stateBytes }

  /// The actors of the operations that wait for an anchor that has not arrived.
  package var heldActors: [ActorID] { held.actors }

  /// Σ mod 2²⁵⁶ of the SHA-256 of every anchor in canonical form: equal vectors imply equal digests.
  ///
  /// Reading it hashes the changes since it was last read.
  package var digest: SHA256Digest {
    mutating get {
      let (actors, creators) = (actors, creators)
      return table.foldedDigest { $0.encodeCanonically(into: &$1, actors: actors, creators: creators) }
    }
  }

  /// The anchor with `id`.
  package subscript(id: AnchorID) -> Anchor? {
    guard let slot = table.slot(showing: id) else { return nil }
    return anchor(at: slot)
  }

  /// Where the anchor with `id` stands until the set changes.
  package func slot(showing id: AnchorID) -> Int? { table.slot(showing: id) }

  /// The same for one of many anchors, faster where they follow each other; `next` begins anywhere.
  package func slot(showing id: AnchorID, next: inout Int) -> Int? { table.slot(showing: id, next: &next) }

  /// The operation that added the anchor with `id`.
  package func key(of id: AnchorID) -> Dot? {
    table.slot(showing: id).map { actors.dot(table.entries[$0].key) }
  }

  /// The stamp of a register of the anchor with `id`.
  package func stamp(of field: AnchorField, of id: AnchorID) -> Stamp? {
    table.slot(showing: id).map { stamp(of: field, at: $0) }
  }

  /// The value of a register of the anchor with `id`; the only way to read flags.
  package func value(of field: AnchorField, of id: AnchorID) -> AnchorFieldValue? {
    table.slot(showing: id).map { table.entries[$0].value(of: field) }
  }

  /// The owner of the anchor with `id`, and its grant.
  package func lock(of id: AnchorID) -> AnchorLock? {
    table.slot(showing: id).map { table.entries[$0].lock }
  }

  /// The locks that name an owner, of the anchors that show, in the order of their ids; at the cost of those alone.
  package var ownedAnchors: [(id: AnchorID, lock: AnchorLock)] {
    table.owned.compactMap(table.slot(of:)).filter(table.isVisible)
      .map { (table.entries[$0].id, table.entries[$0].lock) }
      .sorted { $0.id < $1.id }
  }

  /// Whether ``ownedAnchors`` may have any.
  package var hasOwnedAnchors: Bool { !table.owned.isEmpty }

  /// The removed anchor that the anchor with `id` brings back, if it does.
  package func restoredFrom(_ id: AnchorID) -> AnchorID? {
    table.slot(showing: id).flatMap { table.entries[$0].restoredFrom }
  }

  /// The anchors in the order of their ids; the cost is proportional to the changes since the last call.
  package var anchors: [Anchor] {
    mutating get {
      let changed = sorted.takeChanged()
      for id in changed { table.unmark(id, .listed) }
      if sorted.isInUse {
        sorted.update(changed.map { id in (id, self[id]) })
      } else {
        table.unmarkAll(.listed)
        sorted.begin(with: table.visibleSlotsInOrder().map(anchor(at:)))
      }
      return sorted.anchors
    }
  }

  /// The changes since the last call, in the order in which they applied.
  package mutating func takeChanges() -> [SetChange] { feed.takeChanges() }

  /// Drops operations from the log that every peer has; `minimum` is the meet of their vectors.
  package mutating func prune(acknowledgedBy minimum: VersionVector) {
    let covered = actors.ids.map { minimum[$0] }
    log.prune { actor, sequence in sequence <= covered[Int(actor)] }
  }

  /// The anchor at `slot`, as an app sees it.
  package func anchor(at slot: Int) -> Anchor {
    // Through the span, since the subscript of an array copies the whole entry.
    let entries = table.entries.span
    let extras = entries[slot].extras
    let clock = entries[slot].createdClock
    return Anchor(
      id: entries[slot].id, name: entries[slot].name, transform: entries[slot].pose.transform,
      kind: extras?.kind ?? .plain, payload: extras?.payload, creator: creators[entries[slot].creator],
      createdAt: clock == 0 ? nil : SessionTime(milliseconds: clock >> 16))
  }

  /// The stamp of the pose of the anchor at `slot`.
  package func poseStamp(at slot: Int) -> Stamp {
    let entries = table.entries.span
    return Stamp(clock: entries[slot].clocks[.pose], actor: actors.ids[Int(entries[slot].writer(of: .pose))])
  }

  func stamp(of field: AnchorField, at slot: Int) -> Stamp {
    let entry = table.entries[slot]
    return Stamp(clock: entry.clocks[field], actor: actors.ids[Int(entry.writer(of: field))])
  }
}

/// The peers that placed anchors, each stored once.
struct CreatorTable: Sendable {
  private var peers: [PeerID] = []
  private var indices: [PeerID: UInt16] = [:]

  /// The peer with this number; nil for 0.
  subscript(index: UInt16) -> PeerID? { index == 0 ? nil : peers[Int(index) - 1] }

  /// The number of `peer`, from 1; 0 for nil, and when there are too many.
  mutating func intern(_ peer: PeerID?) -> UInt16 {
    guard let peer else { return 0 }
    if let index = indices[peer] { return index }
    guard peers.count < Int(UInt16.max) else { return 0 }
    peers.append(peer)
    indices[peer] = UInt16(peers.count)
    return UInt16(peers.count)
  }
}
