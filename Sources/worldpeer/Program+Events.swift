import SharedWorld
import WorldPeerKit

extension Program {
  /// Reports what happens in the session until it ends.
  func followEvents() async -> Ending? {
    for await event in session.events { note(event) }
    guard !hasLeft, !Task.isCancelled else { return nil }
    return .sessionEnded
  }

  private func note(_ event: Session.Event) {
    switch event {
    case .candidateFound, .candidateLost, .discoveryAvailable, .discoveryUnavailable: noteDiscovery(event)
    case .invitationReceived, .invitationEnded, .peerJoined, .peerReconnecting, .peerLeft, .hostChanged, .lockChanged:
      noteMembership(event)
    case .mapProgress, .mapReceived, .mapFailed, .peerMapChanged, .synchronised, .anchorAdded, .anchorUpdated,
      .anchorRemoved:
      noteWorld(event)
    case .anchorRestored, .editSuperseded, .fieldOverwritten, .ownershipChanged: noteEdits(event)
    case .anchorDragged, .dragEnded, .participantMoved, .participantGone: noteLive(event)
    case .message, .sessionMerged: break
    case .problem(let error): say(error)
    case .ended(let reason):
      if !hasLeft { console.say(Failure("ended", "the session is over: \(reason.rawValue)"), during: nil) }
    }
  }

  private func noteDiscovery(_ event: Session.Event) {
    switch event {
    case .candidateFound(let candidate):
      let known = candidates.updateValue(candidate, forKey: candidate.id)
      guard known != candidate else { return }
      // A script wants to know who the service turned out to be; a person has read its name already.
      if options.json || known == nil { console.say(.peerFound(report(candidate))) }
      if options.invite == .all { inviteByItself(candidate.id) }
    case .candidateLost(let candidate):
      candidates[candidate.id] = nil
      console.say(.peerLost(report(candidate)))
    case .discoveryAvailable(let backend): console.say(.discovery(backend: backend, reason: nil))
    case .discoveryUnavailable(let reason): console.say(.discovery(backend: nil, reason: reason))
    default: break
    }
  }

  private func noteMembership(_ event: Session.Event) {
    switch event {
    // The desk has reported it.
    case .invitationReceived(let invitation): names[invitation.peer.id] = invitation.peer.name
    case .invitationEnded(let peer): desk.answer(peer.id, .decline(reason: "too late"))
    case .peerJoined(let peer):
      names[peer.id] = peer.name
      console.say(.peerJoined(person(peer.id)))
    case .peerReconnecting(let peer): console.say(.peerReconnecting(person(peer.id)))
    case .peerLeft(let peer, let reason): console.say(.peerLeft(person(peer.id), reason: reason.rawValue))
    case .hostChanged(_, let host, let epoch, let reason):
      console.say(.hostChanged(host: host.map(person), epoch: epoch, reason: reason))
    case .lockChanged(let isLocked): console.say(.lockChanged(isLocked: isLocked))
    default: break
    }
  }

  private func noteWorld(_ event: Session.Event) {
    switch event {
    case .mapProgress(let progress):
      arrivingMap = progress.verifiedBytes < progress.totalBytes ? progress.mapID : nil
      let transfer = Report.Transfer(
        verified: progress.verifiedBytes, total: progress.totalBytes, requested: progress.requestedBytes,
        received: progress.receivedBytes, perSecond: progress.bytesPerSecond)
      console.say(.mapProgress(from: person(progress.from), transfer))
    case .mapReceived(let receipt):
      console.say(
        .mapReceived(
          from: person(receipt.from), mapID: receipt.mapID.description, points: receipt.points,
          anchors: receipt.anchors, bytes: receipt.bytes))
    case .mapFailed(let error): say(error)
    case .peerMapChanged(let peer, let status):
      console.say(.mapStatus(Report.MapStage(peer, status), mapID: status.mapID?.description))
    case .synchronised(let digest): console.say(.synchronised(digest: digest.description))
    case .anchorAdded(let anchor, let origin): console.say(.anchorAdded(pin(anchor), origin: origin.rawValue))
    case .anchorUpdated(let anchor, let origin): console.say(.anchorUpdated(pin(anchor), origin: origin.rawValue))
    case .anchorRemoved(let anchor, let origin): console.say(.anchorRemoved(pin(anchor), origin: origin.rawValue))
    default: break
    }
  }

  private func noteEdits(_ event: Session.Event) {
    switch event {
    case .anchorRestored(let anchor, let removed):
      console.say(.anchorRestored(pin(anchor), from: removed.description))
    case .editSuperseded(let edit):
      console.say(Failure("edit-superseded", "anchor \(edit.anchor) was removed by another peer"), during: nil)
    case .fieldOverwritten(let edit):
      console.say(
        .fieldOverwritten(
          anchor: edit.anchor.description, field: edit.value.field, by: edit.author.map(person)))
    case .ownershipChanged(let anchor, let owner):
      console.say(.ownershipChanged(anchor: anchor.description, owner: owner.map(person)))
    default: break
    }
  }

  private func noteLive(_ event: Session.Event) {
    switch event {
    case .anchorDragged(let pose): console.say(.anchorDragged(live(pose)))
    case .participantMoved(let pose): console.say(.participantMoved(live(pose)))
    case .dragEnded(let anchor, let peer): console.say(.dragEnded(anchor: anchor.description, by: person(peer)))
    case .participantGone(let peer): console.say(.participantGone(person(peer)))
    default: break
    }
  }

  private func live(_ pose: LivePose) -> Report.Live {
    Report.Live(
      id: pose.anchor.description, peer: person(pose.peer), position: pose.transform.translation,
      sessionTime: pose.sessionTime, sequence: pose.sequence)
  }

  private func say(_ error: SessionError) {
    console.say(Failure(error), during: nil)
  }

  private func report(_ candidate: Candidate) -> Report.Candidate {
    Report.Candidate(
      id: candidate.id, name: candidate.peer?.name ?? candidate.name ?? candidate.id,
      peerID: candidate.peer?.id.description)
  }

  func pin(_ anchor: Anchor) -> Report.Pin {
    Report.Pin(
      id: anchor.id.description, name: anchor.name, position: anchor.transform.translation,
      author: anchor.creator?.description)
  }
}

extension LostEdit.Value {
  /// The word for what was written, in reports.
  fileprivate var field: String {
    switch self {
    case .transform: "position"
    case .name: "name"
    case .payload: "payload"
    case .flags: "flags"
    case .ownership: "owner"
    }
  }
}

extension Acknowledgement {
  /// What the word of a command means.
  init(_ witness: Command.Witness) {
    self =
      switch witness {
      case .local: .local
      case .host: .host
      case .all: .everyPresentMember
      }
  }
}
