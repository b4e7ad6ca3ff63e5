import AnchorReplication
import Basics
import PeerProtocol
import PeerTransport
import WorldModel

extension Session {
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
  public func place(
    _ anchor: Anchor, acknowledgement: Acknowledgement = .local
  ) async throws(SessionError) -> AnchorID {
    try handle(.edit(.place(anchor)), anchor: anchor.id)
    try await confirmEdits(acknowledgement)
    return anchor.id
  }

  /// Places an anchor whose payload holds an object.
  ///
  /// - Throws: The errors of ``place(_:acknowledgement:)`` and ``Anchor/Payload/init(_:with:)``.
  @discardableResult
  public func place(
    _ anchor: Anchor, payload: some Encodable & Sendable, acknowledgement: Acknowledgement = .local
  ) async throws(SessionError) -> AnchorID {
    var anchor = anchor
    anchor.payload = try Anchor.Payload(payload)
    return try await place(anchor, acknowledgement: acknowledgement)
  }

  /// Places an anchor that brings back a removed one, under an id of its own: an id is never used again.
  ///
  /// Readers of ``events`` are told by ``Event/anchorRestored(_:from:)``.
  /// - Throws: The errors of ``place(_:acknowledgement:)``.
  @discardableResult
  public func restore(
    _ anchor: Anchor, from removed: AnchorID, acknowledgement: Acknowledgement = .local
  ) async throws(SessionError) -> AnchorID {
    try handle(.edit(.restore(anchor, from: removed)), anchor: anchor.id)
    try await confirmEdits(acknowledgement)
    return anchor.id
  }

  /// Moves an anchor; of two concurrent moves the later one in session time stands.
  ///
  /// - Throws: ``SessionError`` with the code `unknownAnchor` or `invalidArgument`; and, the anchor being moved,
  ///   `notAcknowledged` or `cancelled`.
  public func move(
    _ id: AnchorID, to transform: Transform, acknowledgement: Acknowledgement = .local
  ) async throws(SessionError) {
    try handle(.edit(.move(id, to: transform)), anchor: id)
    try await confirmEdits(acknowledgement)
  }

  /// Places several anchors in one step of the session, which is far cheaper than one by one.
  ///
  /// - Throws: The errors of ``place(_:acknowledgement:)``; the anchors before the one that is refused stay placed.
  public func place(_ anchors: [Anchor]) throws(SessionError) { try handle(.edits(anchors.map { .place($0) })) }

  /// Moves several anchors in one step of the session, which is far cheaper than one by one.
  ///
  /// - Throws: The errors of ``move(_:to:acknowledgement:)``; the moves before the one that is refused stand.
  public func move(_ moves: [(id: AnchorID, transform: Transform)]) throws(SessionError) {
    try handle(.edits(moves.map { .move($0.id, to: $0.transform) }))
  }

  /// Renames an anchor.
  public func rename(_ id: AnchorID, to name: String) throws(SessionError) {
    try handle(.edit(.rename(id, to: name)), anchor: id)
  }

  /// Replaces an anchor's payload.
  public func setPayload(_ payload: Anchor.Payload?, of id: AnchorID) throws(SessionError) {
    try handle(.edit(.setPayload(payload, of: id)), anchor: id)
  }

  /// Gives an anchor another kind, as when a plane grows: extent, outline and classification are one value.
  ///
  /// Like a move it waits for nobody and binds no owner; of two concurrent ones the later in session time stands, apart from
  /// pose, name and payload. Readers get ``Event/anchorUpdated(_:origin:)``. Each write travels, with its whole outline: a few
  /// a second show a plane grow.
  /// - Throws: ``SessionError`` with the code `unknownAnchor`, `invalidArgument` (sizes and names out of range, a kind to or from
  ///   ``Anchor/Kind/participant(_:)``) or `limitExceeded`.
  public func setKind(_ kind: Anchor.Kind, of id: AnchorID) throws(SessionError) {
    try handle(.edit(.setKind(kind, of: id)), anchor: id)
  }

  /// Removes an anchor, permanently: a removal wins over any concurrent edit.
  ///
  /// - Throws: ``SessionError`` with the code `unknownAnchor`; and, the anchor being removed, `notAcknowledged` or
  ///   `cancelled`.
  public func remove(_ id: AnchorID, acknowledgement: Acknowledgement = .local) async throws(SessionError) {
    try handle(.edit(.remove(id)), anchor: id)
    try await confirmEdits(acknowledgement)
  }

  /// Waits until everything that this peer has edited so far is acknowledged, such as new names and payloads too.
  ///
  /// - Throws: ``SessionError`` with the code `notAcknowledged`, `cancelled` or `ended`; the edits stand.
  public func confirmEdits(_ acknowledgement: Acknowledgement) async throws(SessionError) {
    let level: AcknowledgementLevel
    switch acknowledgement.level {
    case .local: return
    case .host: level = .host
    case .everyPresentMember: level = .everyPresentMember
    }
    switch await acknowledged(level, timeout: acknowledgement.timeout) {
    case .value(.acknowledged): return
    case .cancelled: throw SessionError(.cancelled, "the wait was cancelled; the edit stands")
    case .ended: throw SessionError(.ended, "the session ended before the edit was acknowledged")
    case .value(.timedOut):
      throw SessionError(.notAcknowledged, "not everybody has the edit yet; it stands, and goes on spreading")
    }
  }

  /// Waits until all of a level have what this peer has edited and sent so far.
  func acknowledged(_ level: AcknowledgementLevel, timeout: Duration) async -> Waited<AcknowledgementResult> {
    await wait(in: world.acknowledgements) { number in
      .awaitAcknowledgement(AcknowledgementID(rawValue: number), level, timeout: timeout)
    } givingUp: { number in
      .cancelAcknowledgement(AcknowledgementID(rawValue: number))
    }
  }

  /// The anchors that have a place in this peer's frame, in the order of their ids; the others are ``unalignedAnchors()``.
  ///
  /// It costs what has changed since the last call, and where no frames are used the list is shared, not copied.
  public func anchors() -> [Anchor] { (try? read { node, _ in node.placedAnchors }) ?? [] }

  /// A hash of the replicated state: equal on all peers that hold the same anchors, and 32 zero bytes of none or after the
  /// end.
  public func digest() -> SHA256Digest {
    (try? read { node, _ in node.digest }) ?? SHA256Digest(words: .zero)
  }

  /// Carries out a step of an ``UndoHistory``.
  ///
  /// - Throws: The errors of ``move(_:to:acknowledgement:)``, ``rename(_:to:)``, ``remove(_:acknowledgement:)`` and
  ///   ``restore(_:from:acknowledgement:)``.
  public func perform(_ step: UndoHistory.Step) async throws(SessionError) {
    switch step {
    case .remove(let id): try await remove(id)
    case .restore(let anchor, let removed): try await restore(anchor, from: removed)
    case .move(let id, let transform): try await move(id, to: transform)
    case .rename(let id, let name): try rename(id, to: name)
    }
  }
}

// MARK: - Live poses

extension Session {
  /// Takes an anchor into the hand.
  ///
  /// Others see every ``Drag/update(to:)`` as ``Event/anchorDragged(_:)`` at once, and the place where it ends as an update
  /// of the anchor.
  /// - Throws: ``SessionError`` with the code `unknownAnchor`, or `limitExceeded` when this peer drags 16 anchors already.
  public func beginDrag(_ anchor: AnchorID) throws(SessionError) -> Drag {
    guard case .began(let id) = try handle(.beginDrag(anchor), anchor: anchor) else {
      throw SessionError(DragError.ended)
    }
    return Drag(anchor: anchor, id: id, session: self)
  }

  /// Nobody holds the drag any more.
  nonisolated func abandonDrag(_ id: DragID) {
    loop.execute { [weak self] in self?.assumeIsolated { _ = try? $0.handle(.endDrag(id)) } }
  }

  /// Tells the others where this device is, up to 60 times a second; nil that it tells no more.
  ///
  /// They see it as a participant anchor for as long as this peer can be reached.
  /// - Throws: ``SessionError`` with the code `invalidArgument` for a transform that is not rigid.
  public func updatePose(_ transform: Transform?) throws(SessionError) {
    try handle(.updatePose(transform))
    let (time, frame) = try read { node, now in (node.sessionTime(at: now), node.worldFrames.mine) }
    frames.track.add(transform, at: time, in: frame)
  }

  /// Says which live poses this peer wants: drags of anchors, and devices, that meet the filter where they are.
  ///
  /// The others are told and send it nothing else, unless it has to pass the poses on to peers they cannot reach and that want
  /// them. A pose that leaves the filter has ended for this peer.
  /// - Throws: ``SessionError`` with the code `invalidArgument` for a prefix over ``Limits/anchorName`` bytes or with
  ///   control characters, or a region that is not finite.
  public func setInterest(_ filter: AnchorFilter) throws(SessionError) {
    guard filter.isValid else {
      throw SessionError(
        .invalidArgument, "the filter's prefix is too long or has control characters, or its region is not finite")
    }
    try handleQuietly(.setInterest(filter))
  }

  /// The devices of other peers that tell where they are, as anchors of the kind ``Anchor/Kind/participant(_:)``, in the
  /// order of their ids.
  ///
  /// They are not among ``anchors()``: they are neither saved nor part of the digest.
  public func participants() -> [Anchor] {
    livePoses().filter { $0.subject == .participant }.compactMap(livePose).map { pose in
      var anchor = Anchor(
        id: pose.anchor, name: pose.peer.name, transform: pose.transform, kind: .participant(pose.peer.id))
      anchor.creator = pose.peer.id
      return anchor
    }.inOrder { $0.id < $1.id }
  }

  /// The anchors that other peers drag at this moment, and where.
  public func drags() -> [LivePose] {
    livePoses().filter { $0.subject != .participant }.compactMap(livePose)
  }

  private func livePoses() -> [EphemeralUpdate] {
    (try? read { node, _ in node.livePoses.compactMap(node.worldFrames.update) }) ?? []
  }

  /// A live pose with the name of its peer; nil when the update says that there is no pose any more.
  func livePose(_ update: EphemeralUpdate) -> LivePose? { LivePose(update, of: peer(update.origin.peer)) }

  /// Translates a live pose for the app.
  func take(_ update: EphemeralUpdate, into events: inout [Event]) {
    let peer = peer(update.origin.peer)
    // A pose without a place in this peer's frame is nowhere.
    guard let update = (try? read { node, _ in node.worldFrames.update(update) }) ?? nil else { return }
    switch (update.subject, livePose(update)) {
    case (.anchor, let pose?): events.append(.anchorDragged(pose))
    case (.anchor(let anchor), nil): events.append(.dragEnded(anchor, by: peer))
    case (.participant, let pose?): events.append(.participantMoved(pose))
    case (.participant, nil): events.append(.participantGone(peer))
    }
  }
}

// MARK: - Ownership

extension Session {
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
  public func requestOwnership(
    of anchor: AnchorID, lease: Duration? = nil, timeout: Duration = .seconds(10)
  ) async throws(SessionError) -> Ownership {
    try await settle(.own(lease: lease), of: anchor, timeout: timeout)
  }

  /// Gives an anchor back, so that the next who asks gets it.
  ///
  /// - Throws: ``SessionError`` with the code `unknownAnchor`, `notOwner`, `notAcknowledged`, `cancelled` or `ended`.
  public func releaseOwnership(of anchor: AnchorID, timeout: Duration = .seconds(10)) async throws(SessionError) {
    _ = try await settle(.release, of: anchor, timeout: timeout)
  }

  /// Gives an anchor that this peer owns to another one, without a lease.
  ///
  /// - Throws: The errors of ``releaseOwnership(of:timeout:)``; `unknownPeer` when `peer` is not in the session.
  public func giveOwnership(
    of anchor: AnchorID, to peer: PeerID, timeout: Duration = .seconds(10)
  ) async throws(SessionError) {
    try requireMember(peer)
    _ = try await settle(.give(peer), of: anchor, timeout: timeout)
  }

  /// The owner of an anchor; nil when it has none.
  ///
  /// An owner that has left is still named for a moment, until the host has freed the anchor.
  public func ownership(of anchor: AnchorID) -> Ownership? {
    let lock = (try? read { node, now in node.owner(of: anchor, at: now) }) ?? nil
    return lock.flatMap { lock in lock.owner.map { Ownership(lock, of: anchor, owner: $0) } }
  }

  /// Sets out to fulfil a wish about ownership and waits for what becomes of it.
  private func settle(
    _ wish: OwnershipWish, of anchor: AnchorID, timeout: Duration
  ) async throws(SessionError) -> Ownership {
    let outcome = await wait(in: world.ownership) { number in
      .wish(OwnershipRequestID(rawValue: number), wish, of: anchor, timeout: timeout)
    } givingUp: { number in
      .dropWish(OwnershipRequestID(rawValue: number))
    }
    switch outcome {
    case .value(.met(let lock)): return Ownership(lock, of: anchor, owner: lock.owner ?? identity.peerID)
    case .value(.declined): throw SessionError(.declined, "the owner keeps anchor \(anchor)")
    case .value(.notOwner): throw SessionError(.notOwner, "this peer does not own anchor \(anchor)")
    case .value(.unknownAnchor):
      throw SessionError(.unknownAnchor, "there is no anchor \(anchor) in this session")
    case .cancelled: throw SessionError(.cancelled, "the wait for ownership was cancelled")
    case .ended: throw SessionError(.ended, "the session ended before ownership was settled")
    case .value(.unanswered):
      throw SessionError(.notAcknowledged, "nobody answered the request for anchor \(anchor) in time; try again")
    }
  }

  /// Asks the app, beside the event loop, whether it gives an anchor away.
  func ask(_ id: OwnershipQuestionID, _ request: OwnershipRequest) {
    guard let handler = configuration.ownershipHandler else { return }
    let added = jobs.add { [weak self] in
      let accepts = await handler(request)
      await self?.answer(id, accepts: accepts)
    }
    if !added { answer(id, accepts: false) }
  }

  private func answer(_ id: OwnershipQuestionID, accepts: Bool) {
    input(.answerOwnership(id, accepts: accepts))
  }
}

extension LivePose {
  /// Nil when the update says that there is no pose any more.
  fileprivate init?(_ update: EphemeralUpdate, of peer: Peer) {
    guard let pose = update.pose else { return nil }
    let anchor: AnchorID =
      switch update.subject {
      case .anchor(let id): id
      case .participant: .participant(peer.id)
      }
    self.init(
      anchor: anchor, peer: peer, transform: pose.transform, sessionTime: update.sessionTime,
      sequence: update.sequence)
  }
}

extension Ownership {
  init(_ lock: AnchorLock, of anchor: AnchorID, owner: PeerID) {
    self.init(
      anchor: anchor, owner: owner, until: lock.leaseUntil < AnchorLock.endless ? lock.leaseUntil : nil,
      epoch: lock.epoch, number: lock.number)
  }
}
