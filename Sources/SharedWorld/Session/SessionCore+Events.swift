import AnchorReplication
import PeerProtocol
import PeerTransport
import WorldModel

extension SessionCore {
  /// Translates what the node says for the app.
  func take(_ events: [NodeEvent]) {
    var translated: [Session.Event] = []
    var anchorsChanged = false
    for event in events {
      take(event, into: &translated)
      if case .anchors = event { anchorsChanged = true }
    }
    hub.publish(translated)
    if anchorsChanged { writeJournal() }
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
    case .anchors(let changes): take(changes, into: &events)
    case .divergence(let id):
      let message = "the anchors of \(peer(id).name) differ under the same history; all of them are being merged"
      events.append(.problem(SessionError(.divergence, message)))
    case .mapProgress(let progress): events.append(.mapProgress(Session.MapProgress(progress)))
    case .mapReceived(let map, _, let provider, let package): open(package, id: map, from: provider)
    case .mapSourceRefused(let map, let from, let failure):
      let message = "\(peer(from).name) sent a wrong part of map \(map): \(failure)"
      events.append(.problem(SessionError(.corruptData, message, cause: failure)))
    case .mapRefused(let map, let provider):
      let message = "\(peer(provider).name) may not share a map; \(map) was not taken"
      events.append(.problem(SessionError(.notPermitted, message)))
    case .synchronised(let digest):
      // What has arrived is told first.
      if mapsOpening > 0 { digestToTell = digest } else { events.append(.synchronised(digest)) }
    case .mapStatusChanged(let id, let status): events.append(.peerMapChanged(peer(id), MapStatus(status)))
    case .message(let bytes, let from): events.append(.message(bytes, from: from))
    case .ended(let reason): noteEnd(reason)
    }
  }

  private func take(_ changes: [AnchorChange], into events: inout [Session.Event]) {
    // One copy for all: reading the set through the driver copies it.
    guard let anchors = driver?.node.anchors else { return }
    events.reserveCapacity(events.count + changes.count)
    for change in changes {
      let origin = Session.Origin(change.origin)
      switch change.kind {
      case .removed(let anchor): events.append(.anchorRemoved(anchor, origin: origin))
      case .added:
        if let anchor = anchors[change.id] { events.append(.anchorAdded(anchor, origin: origin)) }
      case .updated:
        if let anchor = anchors[change.id] { events.append(.anchorUpdated(anchor, origin: origin)) }
      case .editSupersededByRemoval: events.append(.editSuperseded(change.id))
      case .fieldOverwritten: break
      }
    }
  }

  /// A peer by its id, with the name it last gave.
  func peer(_ id: PeerID) -> Peer { Peer(id: id, name: names[id] ?? id.short) }
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
