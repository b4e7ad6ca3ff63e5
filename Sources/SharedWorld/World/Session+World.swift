import AnchorReplication
import Basics
import PeerProtocol
import PeerTransport
import WorldModel

extension Session {
  /// Places an anchor, as ``World/place(_:acknowledgement:)`` of ``Session/world``.
  @discardableResult
  public func place(
    _ anchor: Anchor, acknowledgement: Acknowledgement = .local
  ) async throws(SessionError) -> AnchorID {
    try handle(.edit(.place(anchor)), anchor: anchor.id)
    try await confirmEdits(acknowledgement)
    return anchor.id
  }

  /// Places an anchor that brings back a removed one, under an id of its own: an id is never used again.
  @discardableResult
  func restore(
    _ anchor: Anchor, from removed: AnchorID, acknowledgement: Acknowledgement = .local
  ) async throws(SessionError) -> AnchorID {
    try handle(.edit(.restore(anchor, from: removed)), anchor: anchor.id)
    try await confirmEdits(acknowledgement)
    return anchor.id
  }

  /// Moves an anchor, as ``World/move(_:to:acknowledgement:)`` of ``Session/world``.
  public func move(
    _ id: AnchorID, to transform: Transform, acknowledgement: Acknowledgement = .local
  ) async throws(SessionError) {
    try handle(.edit(.move(id, to: transform)), anchor: id)
    try await confirmEdits(acknowledgement)
  }

  /// Removes an anchor, permanently, as ``World/remove(_:acknowledgement:)`` of ``Session/world``.
  public func remove(_ id: AnchorID, acknowledgement: Acknowledgement = .local) async throws(SessionError) {
    try handle(.edit(.remove(id)), anchor: id)
    try await confirmEdits(acknowledgement)
  }

  /// Waits until everything that this peer has edited so far is acknowledged, such as new names and payloads too.
  func confirmEdits(_ acknowledgement: Acknowledgement) async throws(SessionError) {
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
    await wait(in: worldDesk.acknowledgements) { number in
      .awaitAcknowledgement(AcknowledgementID(rawValue: number), level, timeout: timeout)
    } givingUp: { number in
      .cancelAcknowledgement(AcknowledgementID(rawValue: number))
    }
  }

  /// The anchors that have a place in this peer's frame, in the order of their ids; the others are ``Session/World/unalignedAnchors``.
  func anchors() -> [Anchor] { (try? read { node, _ in node.placedAnchors }) ?? [] }

  /// A hash of the replicated state: equal on all peers that hold the same anchors, and 32 zero bytes of none or after the
  /// end.
  func digest() -> SHA256Digest {
    (try? read { node, _ in node.digest }) ?? SHA256Digest(words: .zero)
  }

  /// Carries out a step of an ``UndoHistory``.
  func perform(_ step: UndoHistory.Step) async throws(SessionError) {
    switch step {
    case .remove(let id): try await remove(id)
    case .restore(let anchor, let removed): try await restore(anchor, from: removed)
    case .move(let id, let transform): try await move(id, to: transform)
    case .rename(let id, let name): try handle(.edit(.rename(id, to: name)), anchor: id)
    }
  }
}

// MARK: - Live poses

extension Session {
  /// Takes an anchor into the hand.
  func beginDrag(_ anchor: AnchorID) throws(SessionError) -> Drag {
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
  func updatePose(_ transform: Transform?) throws(SessionError) {
    try handle(.updatePose(transform))
    let (time, frame) = try read { node, now in (node.sessionTime(at: now), node.worldFrames.mine) }
    frameDesk.track.add(transform, at: time, in: frame)
  }

  /// Says which live poses this peer wants: drags of anchors, and devices, that meet the filter where they are.
  func setInterest(_ filter: AnchorFilter) throws(SessionError) {
    guard filter.isValid else {
      throw SessionError(
        .invalidArgument, "the filter's prefix is too long or has control characters, or its region is not finite")
    }
    try handleQuietly(.setInterest(filter))
  }

  /// The devices of other peers that tell where they are, as anchors of the kind ``Anchor/Kind/participant(_:)``, in the
  /// order of their ids.
  func participants() -> [Anchor] {
    livePoses().filter { $0.subject == .participant }.compactMap(livePose).map { pose in
      var anchor = Anchor(
        id: pose.anchor, name: pose.peer.name, transform: pose.transform, kind: .participant(pose.peer.id))
      anchor.creator = pose.peer.id
      return anchor
    }.inOrder { $0.id < $1.id }
  }

  /// The anchors that other peers drag at this moment, and where.
  func drags() -> [LivePose] {
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
  func requestOwnership(
    of anchor: AnchorID, lease: Duration?, timeout: Duration
  ) async throws(SessionError) -> Ownership {
    try await settle(.own(lease: lease), of: anchor, timeout: timeout)
  }

  /// Gives an anchor back, so that the next who asks gets it.
  func releaseOwnership(of anchor: AnchorID, timeout: Duration) async throws(SessionError) {
    _ = try await settle(.release, of: anchor, timeout: timeout)
  }

  /// Gives an anchor that this peer owns to another one, without a lease.
  func giveOwnership(
    of anchor: AnchorID, to peer: PeerID, timeout: Duration
  ) async throws(SessionError) {
    try requireMember(peer)
    _ = try await settle(.give(peer), of: anchor, timeout: timeout)
  }

  /// The owner of an anchor; nil when it has none.
  func ownership(of anchor: AnchorID) -> Ownership? {
    let lock = (try? read { node, now in node.owner(of: anchor, at: now) }) ?? nil
    return lock.flatMap { lock in lock.owner.map { Ownership(lock, of: anchor, owner: peer($0)) } }
  }

  /// Sets out to fulfil a wish about ownership and waits for what becomes of it.
  private func settle(
    _ wish: OwnershipWish, of anchor: AnchorID, timeout: Duration
  ) async throws(SessionError) -> Ownership {
    let outcome = await wait(in: worldDesk.ownership) { number in
      .wish(OwnershipRequestID(rawValue: number), wish, of: anchor, timeout: timeout)
    } givingUp: { number in
      .dropWish(OwnershipRequestID(rawValue: number))
    }
    switch outcome {
    case .value(.met(let lock)): return Ownership(lock, of: anchor, owner: peer(lock.owner ?? identity.peerID))
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
      anchor: anchor, peer: peer, transform: pose.transform, sessionTime: SessionTime(milliseconds: update.sessionTime),
      sequence: update.sequence)
  }
}

extension Ownership {
  init(_ lock: AnchorLock, of anchor: AnchorID, owner: Peer) {
    self.init(
      anchor: anchor, owner: owner,
      until: lock.leaseUntil < AnchorLock.endless ? SessionTime(milliseconds: lock.leaseUntil) : nil, epoch: lock.epoch,
      number: lock.number)
  }
}
