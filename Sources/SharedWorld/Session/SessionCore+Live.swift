import AnchorReplication
import Basics
import PeerProtocol
import PeerTransport
import WorldModel

extension SessionCore {
  /// Begins a drag and returns its id.
  func beginDrag(_ anchor: AnchorID) throws(SessionError) -> DragID {
    guard case .began(let drag) = try handle(.beginDrag(anchor), anchor: anchor) else {
      throw SessionError(DragError.ended)
    }
    return drag
  }

  func drag(_ id: DragID, to transform: Transform) throws(SessionError) {
    try handle(.drag(id, to: transform))
  }

  func endDrag(_ id: DragID) throws(SessionError) {
    try handle(.endDrag(id))
  }

  /// Nobody holds the drag any more.
  nonisolated func abandonDrag(_ id: DragID) {
    loop.execute { [weak self] in self?.assumeIsolated { core in try? core.endDrag(id) } }
  }

  func setInterest(_ filter: AnchorFilter) throws(SessionError) {
    guard filter.isValid else {
      throw SessionError(.invalidArgument, "the filter's prefix is too long, or its region is not finite")
    }
    try handle(.setInterest(filter))
  }

  func updatePose(_ transform: Transform?) throws(SessionError) {
    try handle(.updatePose(transform))
  }

  func participants() -> [Anchor] {
    livePoses().filter { $0.subject == .participant }.compactMap(LivePose.init).map { pose in
      var anchor = Anchor(
        id: pose.anchor, name: peer(pose.peer).name, transform: pose.transform, kind: .participant(pose.peer))
      anchor.creator = pose.peer
      return anchor
    }.sorted { $0.id < $1.id }
  }

  func drags() -> [LivePose] {
    livePoses().filter { $0.subject != .participant }.compactMap(LivePose.init)
  }

  private func livePoses() -> [EphemeralUpdate] {
    (try? read { node, _ in node.livePoses }) ?? []
  }

  /// Translates a live pose for the app.
  func take(_ update: EphemeralUpdate, into events: inout [Session.Event]) {
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
