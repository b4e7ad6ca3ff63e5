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
        let others = driver?.read { node, _ in node.memberSnapshots.count { $0.status == .connected } } ?? 0
        events.append(.sessionMerged(size: others + 1, host: to.peer))
      }
    case .rulesChanged(let rules):
      if rules.isLocked != isLocked { events.append(.lockChanged(isLocked: rules.isLocked)) }
      isLocked = rules.isLocked
    case .anchors(let changes):
      // Readers see all news in one order.
      hub.publish(exchange(&events, with: []))
      publish(changes)
    case .ephemeral(let update): take(update, into: &events)
    case .acknowledged(let id, let result): finishWait(id.rawValue, .acknowledgement(result))
    case .ownershipSettled(let id, let result): finishWait(id.rawValue, .ownership(result))
    case .ownershipRequested(let id, let anchor, let from):
      ask(id, OwnershipRequest(anchor: anchor, peer: peer(from)))
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

  /// A peer by its id, with the name it last gave.
  func peer(_ id: PeerID) -> Peer { Peer(id: id, name: names[id] ?? id.short) }
}
