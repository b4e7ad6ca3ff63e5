import Basics

extension Session {
  /// Places an anchor.
  ///
  /// It is in the local set at once and on its way to everybody.
  ///
  /// - Parameters:
  ///   - anchor: What to place.
  ///   - acknowledgement: Who must hold it before this returns.
  /// - Throws: ``SessionError`` with the code `invalidArgument` (a name too long, a transform that is not rigid, an id
  ///   that is in use) or `limitExceeded`; and, the anchor being placed, `notAcknowledged` or `cancelled`.
  @discardableResult
  public func place(
    _ anchor: Anchor, acknowledgement: Acknowledgement = .local
  ) async throws(SessionError) -> AnchorID {
    let id = try await core.place(anchor)
    try await settle(acknowledgement)
    return id
  }

  /// Places an anchor that brings back a removed one, under an id of its own: an id is never used again.
  ///
  /// Readers of ``events`` are told by ``Event/anchorRestored(_:from:)``.
  /// - Throws: What ``place(_:acknowledgement:)`` throws.
  @discardableResult
  public func restore(
    _ anchor: Anchor, from removed: AnchorID, acknowledgement: Acknowledgement = .local
  ) async throws(SessionError) -> AnchorID {
    try await core.restore(anchor, from: removed)
    try await settle(acknowledgement)
    return anchor.id
  }

  /// Moves an anchor; of two concurrent moves the later one in session time stands.
  ///
  /// - Throws: ``SessionError`` with the code `unknownAnchor` or `invalidArgument`; and, the anchor being moved,
  ///   `notAcknowledged` or `cancelled`.
  public func move(
    _ id: AnchorID, to transform: Transform, acknowledgement: Acknowledgement = .local
  ) async throws(SessionError) {
    try await core.move(id, to: transform)
    try await settle(acknowledgement)
  }

  /// Places several anchors in one step of the session, which is far cheaper than one by one.
  ///
  /// - Throws: What ``place(_:acknowledgement:)`` throws; the anchors before the one that is refused stay placed.
  public func place(_ anchors: [Anchor]) async throws(SessionError) { try await core.place(anchors) }

  /// Moves several anchors in one step of the session, which is far cheaper than one by one.
  ///
  /// - Throws: What ``move(_:to:acknowledgement:)`` throws; the moves before the one that is refused stand.
  public func move(_ moves: [(id: AnchorID, transform: Transform)]) async throws(SessionError) {
    try await core.move(moves)
  }

  /// Renames an anchor.
  public func rename(_ id: AnchorID, to name: String) async throws(SessionError) {
    try await core.rename(id, to: name)
  }

  /// Replaces an anchor's payload.
  public func setPayload(_ payload: Anchor.Payload?, of id: AnchorID) async throws(SessionError) {
    try await core.setPayload(payload, of: id)
  }

  /// Removes an anchor, for ever: a removal wins over any concurrent edit.
  ///
  /// - Throws: ``SessionError`` with the code `unknownAnchor`; and, the anchor being removed, `notAcknowledged` or
  ///   `cancelled`.
  public func remove(_ id: AnchorID, acknowledgement: Acknowledgement = .local) async throws(SessionError) {
    try await core.remove(id)
    try await settle(acknowledgement)
  }

  private func settle(_ acknowledgement: Acknowledgement) async throws(SessionError) {
    guard acknowledgement.level != .local else { return }
    try await core.settle(acknowledgement)
  }

  /// The anchors, in the order of their ids.
  ///
  /// It costs what has changed since the last call: the list is shared, not copied.
  public func anchors() async -> [Anchor] { await core.anchors() }

  /// A hash of the replicated state: equal on all peers that hold the same anchors.
  public func digest() async -> SHA256Digest { await core.digest() }

  /// Shares a map with one peer, or with all and every later joiner.
  ///
  /// Its anchors join the session, once, under their own ids. Of two maps shared with all, that of the later epoch is
  /// the session's, and within an epoch that of the higher revision.
  ///
  /// - Returns: the id of this revision of the map.
  /// - Throws: ``SessionError`` with the code `not-permitted` when the session's rule for providers does not allow it,
  ///   `unknown-peer`, `invalid-argument` or `limit-exceeded`.
  @discardableResult
  public func share(_ map: WorldMap, with peer: PeerID? = nil) async throws(SessionError) -> MapID {
    try await core.share(map, with: peer)
  }

  /// Stops fetching a map, for good; nothing happens if it is here already.
  public func cancelMap(_ id: MapID) async { await core.cancelMap(id) }

  /// Tells everybody that this peer's app has found where it is in the session's map, or has lost it.
  public func setRelocalised(_ isRelocalised: Bool) async { await core.setRelocalised(isRelocalised) }

  /// The session's map, or the latest one sent to this peer alone; nil until one is complete.
  public func map() async -> WorldMap? { await core.currentMap() }
}
