public import WorldModel

extension Session.World {
  /// Anchors, drags and poses that change: those of ``Session/events`` that are about this part, with the same bounds.
  public var events: Session.Events { Session.Events(hub: session.hub, part: .world) }

  /// Places an anchor.
  ///
  /// It is in the local set at once and on its way to everybody.
  ///
  /// - Parameters:
  ///   - anchor: The anchor to place.
  ///   - acknowledgement: The peers that must hold it before this returns.
  /// - Throws: ``SessionError`` with the code `invalidArgument` (a name too long, a transform that is not rigid, an id
  ///   that is in use) or `limitExceeded`; and, the anchor being placed, `notAcknowledged` or `cancelled`.
  @discardableResult
  public nonisolated(nonsending) func place(
    _ anchor: Anchor, acknowledgement: Acknowledgement = .local
  ) async throws(SessionError) -> AnchorID {
    try await session.place(anchor, acknowledgement: acknowledgement)
  }

  /// Places an anchor whose payload holds an object.
  ///
  /// - Throws: The errors of ``place(_:acknowledgement:)`` and ``Anchor/Payload/init(_:with:)``.
  @discardableResult
  public nonisolated(nonsending) func place(
    _ anchor: Anchor, payload: some Encodable & Sendable, acknowledgement: Acknowledgement = .local
  ) async throws(SessionError) -> AnchorID {
    var anchor = anchor
    anchor.payload = try Anchor.Payload(payload)
    return try await session.place(anchor, acknowledgement: acknowledgement)
  }

  /// Places several anchors in one step of the session, which is far cheaper than one by one.
  ///
  /// - Throws: The errors of ``place(_:acknowledgement:)``; the anchors before the one that is refused stay placed.
  public nonisolated(nonsending) func place(_ anchors: [Anchor]) async throws(SessionError) {
    try await session.handle(.edits(anchors.map { .place($0) }))
  }

  /// Moves an anchor; of two concurrent moves the later one in session time stands.
  ///
  /// - Throws: ``SessionError`` with the code `unknownAnchor` or `invalidArgument`; and, the anchor being moved,
  ///   `notAcknowledged` or `cancelled`.
  public nonisolated(nonsending) func move(
    _ id: AnchorID, to transform: Transform, acknowledgement: Acknowledgement = .local
  ) async throws(SessionError) {
    try await session.move(id, to: transform, acknowledgement: acknowledgement)
  }

  /// Moves several anchors in one step of the session, which is far cheaper than one by one.
  ///
  /// - Throws: The errors of ``move(_:to:acknowledgement:)``; the moves before the one that is refused stand.
  public nonisolated(nonsending) func move(_ moves: [(id: AnchorID, transform: Transform)]) async throws(SessionError) {
    try await session.handle(.edits(moves.map { .move($0.id, to: $0.transform) }))
  }

  /// Renames an anchor.
  public nonisolated(nonsending) func rename(_ id: AnchorID, to name: String) async throws(SessionError) {
    try await session.handle(.edit(.rename(id, to: name)), anchor: id)
  }

  /// Gives an anchor another kind, as when a plane grows: extent, outline and classification are one value.
  ///
  /// Like a move it waits for nobody and binds no owner; of two concurrent ones the later in session time stands, apart from
  /// pose, name and payload. Readers get ``Event/anchorUpdated(_:origin:)``. Each write travels, with its whole outline: a few
  /// a second show a plane grow.
  /// - Throws: ``SessionError`` with the code `unknownAnchor`, `invalidArgument` (sizes and names out of range, a kind to or from
  ///   ``Anchor/Kind/participant(_:)``) or `limitExceeded`.
  public nonisolated(nonsending) func setKind(_ kind: Anchor.Kind, of id: AnchorID) async throws(SessionError) {
    try await session.handle(.edit(.setKind(kind, of: id)), anchor: id)
  }

  /// Replaces an anchor's payload.
  public nonisolated(nonsending) func setPayload(
    _ payload: Anchor.Payload?, of id: AnchorID
  ) async throws(SessionError) {
    try await session.handle(.edit(.setPayload(payload, of: id)), anchor: id)
  }

  /// Removes an anchor, permanently: a removal wins over any concurrent edit.
  ///
  /// - Throws: ``SessionError`` with the code `unknownAnchor`; and, the anchor being removed, `notAcknowledged` or
  ///   `cancelled`.
  public nonisolated(nonsending) func remove(
    _ id: AnchorID, acknowledgement: Acknowledgement = .local
  ) async throws(SessionError) {
    try await session.remove(id, acknowledgement: acknowledgement)
  }

  /// Places an anchor that brings back a removed one, under an id of its own: an id is never used again.
  ///
  /// Readers of ``events`` are told by ``Event/anchorRestored(_:from:)``.
  /// - Throws: The errors of ``place(_:acknowledgement:)``.
  @discardableResult
  public nonisolated(nonsending) func restore(
    _ anchor: Anchor, from removed: AnchorID, acknowledgement: Acknowledgement = .local
  ) async throws(SessionError) -> AnchorID {
    try await session.restore(anchor, from: removed, acknowledgement: acknowledgement)
  }

  /// Waits until everything that this peer has edited so far is acknowledged, such as new names and payloads too.
  ///
  /// - Throws: ``SessionError`` with the code `notAcknowledged`, `cancelled` or `ended`; the edits stand.
  public nonisolated(nonsending) func confirmEdits(_ acknowledgement: Acknowledgement) async throws(SessionError) {
    try await session.confirmEdits(acknowledgement)
  }

  /// Carries out a step of an ``UndoHistory``.
  ///
  /// - Throws: The errors of ``move(_:to:acknowledgement:)``, ``Session/World/rename(_:to:)``, ``remove(_:acknowledgement:)`` and
  ///   ``Session/World/restore(_:from:acknowledgement:)``.
  public nonisolated(nonsending) func perform(_ step: UndoHistory.Step) async throws(SessionError) {
    try await session.perform(step)
  }

  /// The anchors that have a place in this peer's frame, in the order of their ids; the others are ``Session/World/unalignedAnchors``.
  ///
  /// It costs what has changed since the last call, and where no frames are used the list is shared, not copied.
  public nonisolated(nonsending) var anchors: [Anchor] { get async { await session.anchors() } }

  /// The anchors that have no place in this peer's frame, because nothing aligns the frames of their authors, in the order of their
  /// ids; their transforms are in those frames.
  public nonisolated(nonsending) var unalignedAnchors: [Anchor] { get async { await session.unalignedAnchors() } }

  /// The changes of anchors for one reader: first each anchor that is there, then each change once.
  ///
  /// An edit never comes before the placing of its anchor, nor before what its author did earlier; those of several peers come in
  /// the order in which they arrived, and one that a later edit of the same field has overtaken on the way does not come at all.
  /// Edits of one peer that arrive together, or wait together to be read, may be one change. A reader that leaves more than ``Events/capacity`` changes unread
  /// gets none of them: it is told by ``AnchorChanges/Element/restarted`` and sees each anchor that is there again.
  /// - Parameter filter: Which anchors; one that comes to meet it is ``AnchorChange/Kind/added`` and one that does not meet it
  ///   any more ``AnchorChange/Kind/removed``.
  public func changes(matching filter: AnchorFilter = .all) -> AnchorChanges {
    AnchorChanges(session: session, filter: filter)
  }

  /// A hash of the replicated state: equal on all peers that hold the same anchors, and 32 zero bytes of none or after the
  /// end.
  public nonisolated(nonsending) var digest: SHA256Digest { get async { await session.digest() } }

  /// Takes an anchor into the hand.
  ///
  /// Others see every ``Drag/update(to:)`` as ``Event/anchorDragged(_:)`` at once, and the place where it ends as an update
  /// of the anchor.
  /// - Throws: ``SessionError`` with the code `unknownAnchor`, or `limitExceeded` when this peer drags 16 anchors already.
  public nonisolated(nonsending) func beginDrag(_ anchor: AnchorID) async throws(SessionError) -> Drag {
    try await session.beginDrag(anchor)
  }

  /// Tells the others where this device is, up to 60 times a second; nil that it tells no more.
  ///
  /// They see it as a participant anchor for as long as this peer can be reached.
  /// - Throws: ``SessionError`` with the code `invalidArgument` for a transform that is not rigid.
  public nonisolated(nonsending) func updatePose(_ transform: Transform?) async throws(SessionError) {
    try await session.updatePose(transform)
  }

  /// Says which live poses this peer wants: drags of anchors, and devices, that meet the filter where they are.
  ///
  /// The others are told and send it nothing else, unless it has to pass the poses on to peers they cannot reach and that want
  /// them. A pose that leaves the filter has ended for this peer.
  /// - Throws: ``SessionError`` with the code `invalidArgument` for a prefix over ``Limits/anchorName`` bytes or with
  ///   control characters, or a region that is not finite.
  public nonisolated(nonsending) func setInterest(_ filter: AnchorFilter) async throws(SessionError) {
    try await session.setInterest(filter)
  }

  /// The devices of other peers that tell where they are, as anchors of the kind ``Anchor/Kind/participant(_:)``, in the
  /// order of their ids.
  ///
  /// They are not among ``Session/World/anchors``: they are neither saved nor part of the digest.
  public nonisolated(nonsending) var participants: [Anchor] { get async { await session.participants() } }

  /// The anchors that other peers drag at this moment, and where.
  public nonisolated(nonsending) var drags: [LivePose] { get async { await session.drags() } }

  /// Asks to own an anchor and waits for the grant.
  ///
  /// The host asks the present owner, if there is one in the session; without one it grants at once. Asking for what this
  /// peer owns already extends it.
  /// - Parameters:
  ///   - anchor: Which one.
  ///   - lease: How long to own it, at most 49 days; nil until it is released.
  ///   - timeout: How long the owner may think, at most 60 s.
  /// - Throws: ``SessionError`` with the code `unknownAnchor`, `declined` (the owner keeps it), `notAcknowledged` (no answer
  ///   in time, or no host), `cancelled` or `ended`.
  public nonisolated(nonsending) func requestOwnership(
    of anchor: AnchorID, lease: Duration? = nil, timeout: Duration = .seconds(10)
  ) async throws(SessionError) -> Ownership {
    try await session.requestOwnership(of: anchor, lease: lease, timeout: timeout)
  }

  /// Gives an anchor back, so that the next who asks gets it.
  ///
  /// - Throws: ``SessionError`` with the code `unknownAnchor`, `notOwner`, `notAcknowledged`, `cancelled` or `ended`.
  public nonisolated(nonsending) func releaseOwnership(
    of anchor: AnchorID, timeout: Duration = .seconds(10)
  ) async throws(SessionError) {
    try await session.releaseOwnership(of: anchor, timeout: timeout)
  }

  /// Gives an anchor that this peer owns to another one, without a lease.
  ///
  /// - Throws: The errors of ``Session/World/releaseOwnership(of:timeout:)``; `unknownPeer` when `peer` is not in the session.
  public nonisolated(nonsending) func giveOwnership(
    of anchor: AnchorID, to peer: PeerID, timeout: Duration = .seconds(10)
  ) async throws(SessionError) {
    try await session.giveOwnership(of: anchor, to: peer, timeout: timeout)
  }

  /// The owner of an anchor; nil when it has none.
  ///
  /// An owner that has left is still named for a moment, until the host has freed the anchor.
  public nonisolated(nonsending) func ownership(of anchor: AnchorID) async -> Ownership? {
    await session.ownership(of: anchor)
  }
}
