import AnchorReplication
import PeerProtocol
import PeerTransport
import WorldModel

extension SessionCore {
  /// Translates what the node says for the app.
  func take(_ events: [NodeEvent]) {
    var translated: [Session.Event] = []
    for event in events { take(event, into: &translated) }
    hub.publish(translated)
  }

  private func take(_ event: NodeEvent, into events: inout [Session.Event]) {
    switch event {
    case .peerIdentified(let id, let name, let instance): identify(Peer(id: id, name: name), instance: instance)
    case .invitationReceived(let id, let from, let name, let context):
      let invitation = Invitation(peer: Peer(id: from, name: name), context: context)
      events.append(.invitationReceived(invitation))
      ask(id, invitation)
    case .invitationWithdrawn(let peer): events.append(.invitationEnded(self.peer(peer)))
    case .invitationEnded(let id, let result): finishInvitation(id, result)
    case .peerJoined(let id, let name):
      names[id] = name
      events.append(.peerJoined(Peer(id: id, name: name)))
    case .peerReconnecting(let id): events.append(.peerReconnecting(peer(id)))
    case .peerLeft(let id, let name, let reason):
      events.append(.peerLeft(Peer(id: id, name: name), reason: Session.LeaveReason(reason)))
    case .hostChanged(let from, let to, let epoch, let reason):
      events.append(.hostChanged(from: from?.peer, to: to?.peer, epoch: epoch, reason: "\(reason)"))
      // A side that lost hears of the new host and then of its new epoch: one merge.
      if reason == .merged, let to, from?.peer != to.peer || to.peer == identity.peerID {
        let others = driver?.node.memberSnapshots.count { $0.status == .connected } ?? 0
        events.append(.sessionMerged(size: others + 1, host: to.peer))
      }
    case .anchors(let changes): for change in changes { take(change, into: &events) }
    case .ephemeral(let update): take(update, into: &events)
    case .acknowledged(let id, let result): finishWait(id.rawValue, .acknowledgement(result))
    case .ownershipSettled(let id, let result): finishWait(id.rawValue, .ownership(result))
    case .ownershipRequested(let id, let anchor, let from):
      ask(id, OwnershipRequest(anchor: anchor, peer: peer(from)))
    case .divergence(let id):
      let message = "the anchors of \(peer(id).name) differ under the same history; all of them are being merged"
      events.append(.problem(SessionError(.divergence, message)))
    case .mapProgress(let map, let from, let verified, let total):
      events.append(
        .mapProgress(.init(from: from, mapID: map, verifiedBytes: verified, totalBytes: total)))
    case .mapReceived(let map, _, let provider, let package): open(package, id: map, from: provider)
    case .mapSourceRefused(let map, let from, let failure):
      let message = "\(peer(from).name) sent a wrong part of map \(map): \(failure)"
      events.append(.problem(SessionError(.corruptData, message, cause: failure)))
    case .message(let bytes, let from): events.append(.message(bytes, from: from))
    case .ended(let reason): noteEnd(reason)
    }
  }

  private func take(_ change: AnchorChange, into events: inout [Session.Event]) {
    let origin = Session.Origin(change.origin)
    switch change.kind {
    case .removed(let anchor): events.append(.anchorRemoved(anchor, origin: origin))
    case .added:
      guard let anchor = anchor(change.id) else { break }
      events.append(.anchorAdded(anchor, origin: origin))
      if let removed = driver?.node.anchors.restoredFrom(change.id) {
        events.append(.anchorRestored(anchor, from: removed))
      }
    case .updated(let fields):
      if fields.contains(.lock) { events.append(.ownershipChanged(change.id, owner: owner(of: change.id))) }
      if fields != .lock, let anchor = anchor(change.id) { events.append(.anchorUpdated(anchor, origin: origin)) }
    case .editSupersededByRemoval(let value): events.append(.editSuperseded(lost(value, to: change)))
    case .fieldOverwritten(let value): events.append(.fieldOverwritten(lost(value, to: change)))
    }
  }

  private func lost(_ value: AnchorFieldValue, to change: AnchorChange) -> LostEdit {
    LostEdit(anchor: change.id, value: LostEdit.Value(value), author: change.author.flatMap(author))
  }

  /// The peer whose run an actor is; nil when nobody in the roster is known to be it, as for the anchors of a map.
  func author(_ actor: ActorID) -> PeerID? {
    if actor.peerPrefix == identity.peerID.prefix { return identity.peerID }
    return driver?.node.roster.entries.first { $0.peerID.prefix == actor.peerPrefix }?.peerID
  }

  private func owner(of anchor: AnchorID) -> PeerID? {
    if case .lock(let lock) = driver?.node.anchors.value(of: .lock, of: anchor) { lock.owner } else { nil }
  }

  private func anchor(_ id: AnchorID) -> Anchor? {
    driver?.node.anchors[id]
  }

  /// A peer by its id, with the name it last gave.
  func peer(_ id: PeerID) -> Peer { Peer(id: id, name: names[id] ?? id.short) }
}

extension LostEdit.Value {
  init(_ value: AnchorFieldValue) {
    switch value {
    case .pose(let pose): self = .transform(pose.transform)
    case .name(let name): self = .name(name)
    case .payload(let payload): self = .payload(payload)
    case .flags(let flags): self = .flags(flags)
    case .lock: self = .ownership
    }
  }
}

extension Session.Origin {
  init(_ origin: AnchorOrigin) {
    switch origin {
    case .local: self = .local
    case .remote: self = .remote
    case .map: self = .map
    case .merge: self = .merge
    }
  }
}
