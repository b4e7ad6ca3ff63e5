import AnchorReplication
import Basics
import PeerProtocol
import PeerTransport
import WorldModel

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
  public func updatePose(_ transform: Transform?) throws(SessionError) { try handle(.updatePose(transform)) }

  /// Says which live poses this peer wants: drags of anchors, and devices, that meet the filter where they are.
  ///
  /// The others are told and send it nothing else, unless it has to pass the poses on to peers they cannot reach and that want
  /// them. What leaves the filter has ended for this peer.
  /// - Throws: ``SessionError`` with the code `invalidArgument` for a prefix over ``Limits/anchorName`` bytes or a region that
  ///   is not finite.
  public func setInterest(_ filter: AnchorFilter) throws(SessionError) {
    guard filter.isValid else {
      throw SessionError(.invalidArgument, "the filter's prefix is too long, or its region is not finite")
    }
    try handle(.setInterest(filter))
  }

  /// The devices of other peers that tell where they are, as anchors of the kind ``Anchor/Kind/participant(_:)``, in the
  /// order of their ids.
  ///
  /// They are not among ``anchors()``: they are neither saved nor part of the digest.
  public func participants() -> [Anchor] {
    livePoses().filter { $0.subject == .participant }.compactMap(LivePose.init).map { pose in
      var anchor = Anchor(
        id: pose.anchor, name: discovery.peer(pose.peer).name, transform: pose.transform, kind: .participant(pose.peer))
      anchor.creator = pose.peer
      return anchor
    }.sorted { $0.id < $1.id }
  }

  /// The anchors that other peers drag at this moment, and where.
  public func drags() -> [LivePose] {
    livePoses().filter { $0.subject != .participant }.compactMap(LivePose.init)
  }

  private func livePoses() -> [EphemeralUpdate] {
    (try? read { node, _ in node.livePoses }) ?? []
  }

  /// Translates a live pose for the app.
  func take(_ update: EphemeralUpdate, into events: inout [Event]) {
    let peer = update.origin.peer
    switch (update.subject, LivePose(update)) {
    case (.anchor, let pose?): events.append(.anchorDragged(pose))
    case (.anchor(let anchor), nil): events.append(.dragEnded(anchor, by: peer))
    case (.participant, let pose?): events.append(.participantMoved(pose))
    case (.participant, nil): events.append(.participantGone(peer))
    }
  }
}

extension LivePose {
  /// Nil when the update says that there is no pose any more.
  init?(_ update: EphemeralUpdate) {
    guard let pose = update.pose else { return nil }
    let peer = update.origin.peer
    let anchor: AnchorID =
      switch update.subject {
      case .anchor(let id): id
      case .participant: .participant(peer)
      }
    self.init(
      anchor: anchor, peer: peer, transform: pose.transform, sessionTime: update.sessionTime,
      sequence: update.sequence)
  }
}

extension SessionError {
  /// Why a drag could not begin or go on.
  init(_ failure: DragError) {
    switch failure {
    case .ended: self.init(.dragEnded, "this drag has ended; begin another one", cause: failure)
    case .tooMany(let limit):
      self.init(.limitExceeded, "this peer drags \(limit) anchors already; end one of these drags", cause: failure)
    case .refused(let error): self.init(error, anchor: nil)
    }
  }
}
