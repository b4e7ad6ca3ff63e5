import SharedWorld
import PeerCLI

extension Program {
  /// Reports what happens in the session until it ends.
  func followEvents(_ terminal: Terminal?) async -> Ending? {
    for await event in session.events {
      report(event)
      terminal?.noteNews()
    }
    guard !hasLeft, !Task.isCancelled else { return nil }
    return .sessionEnded
  }

  private func report(_ event: Session.Event) {
    // It may be about one of them.
    if !event.comesWithAnchors { tellArrivals() }
    switch event {
    case .candidateFound(let candidate): recordFound(candidate)
    case .candidateLost(let candidate):
      candidates[candidate.id] = nil
      console.say(.peerLost(describe(candidate)))
    case .discoveryAvailable(let backend): console.say(.discovery(backend: backend, reason: nil))
    case .discoveryUnavailable(let reason): console.say(.discovery(backend: nil, reason: reason))
    case .nobodyFound(let diagnosis): console.say(.nobodyFound(diagnosis))
    case .invitationReceived(let invitation):
      names[invitation.peer.id] = invitation.peer.name
      inviters.insert(invitation.peer.id)
      // Else the desk has reported it.
      if options.peer.accept != .ask { console.say(.invitation(invitation, isAsked: false)) }
    case .invitationFailed(let target, let error, let isRetried):
      report(error, inviting: target, isRetried: isRetried)
    case .invitationEnded(_, let id): desk.withdraw(id)
    // The desk has reported it.
    case .codeShown(let comparison): names[comparison.peer.id] = comparison.peer.name
    case .codeEnded(let peer, _, let isConfirmed): console.say(.codeEnded(person(peer), isConfirmed: isConfirmed))
    case .peerJoined(let peer):
      names[peer.id] = peer.name
      console.say(.peerJoined(person(peer), hasInvited: inviters.contains(peer.id)))
    case .peerReconnecting(let peer): console.say(.peerReconnecting(person(peer)))
    case .peerReconnected(let peer): console.say(.peerReconnected(person(peer)))
    case .peerLeft(let peer, let reason): console.say(.peerLeft(person(peer), reason: reason.rawValue))
    case .newDevice(let peer, let known): reportNewDevice(peer, known)
    case .hostChanged(let former, let host, let epoch, let reason): report(host, instead: former, epoch, reason)
    case .lockChanged(let isLocked): console.say(.lockChanged(isLocked: isLocked))
    case .roleChanged(let peer, let role): console.say(.roleChanged(person(peer), role: role?.rawValue))
    case .mapProgress(let progress): report(progress)
    case .mapReceived(let receipt): report(receipt)
    case .peerMapChanged(let peer, let status):
      reportMap(of: peer, status)
    case .alignmentChanged(let peer, let alignment):
      console.say(.alignmentChanged(Report.Alignment(person(peer), alignment)))
    case .synchronized(let digest): console.say(.synchronized(digest: digest.description))
    case .anchorAdded(let anchor, let origin): report(anchor, from: origin)
    case .anchorUpdated(let anchor, let origin): console.say(.anchorUpdated(noted(anchor), origin: origin))
    case .anchorRemoved(let anchor, let origin): console.say(.anchorRemoved(forgotten(anchor), origin: origin))
    case .anchorRestored(let anchor, let removed): console.say(.anchorRestored(pin(anchor), from: removed.description))
    case .editSuperseded(let edit): reportSuperseded(edit.anchor)
    case .fieldOverwritten(let edit): report(edit)
    case .ownershipChanged(let anchor, let owner):
      console.say(.ownershipChanged(anchor: anchor.description, owner: owner.map(person)))
    case .anchorDragged(let pose): console.say(.anchorDragged(live(pose)))
    case .participantMoved(let pose): reportDevice(of: pose.peer, at: pose)
    case .dragEnded(let anchor, let peer): reportDragEnd(of: anchor, by: peer)
    case .participantGone(let peer): reportDevice(of: peer, at: nil)
    case .mapFailed(let error), .problem(let error): report(error)
    case .ended(let reason):
      let message = "the session is over: \(reason.rawValue)"
      if !hasLeft { console.say(.error(code: "ended", message: message, command: nil)) }
    case .message(let bytes, let sender): console.say(.message(from: person(sender), bytes))
    case .unreliableMessage(let bytes, let key, let sender):
      console.say(.message(from: person(sender), bytes, key: key))
    case .groupsChanged(let peer, let groups): console.say(.groupsChanged(person(peer), groups))
    case .messagesFailed(let failure): report(failure)
    // This program sends no objects that could come back.
    case .messageReturned, .sessionMerged: break
    case .resourceOffered(let offer): report(offer)
    case .resourceProgress(let progress): report(progress)
    case .attachmentChanged(let attachment): report(attachment)
    case .resourceReceived(let receipt): report(receipt)
    case .resourceFailed(let offer, let failure): report(failure, of: offer)
    case .resourceSettled(let progress, let failure): report(failure, of: progress.id, at: progress.peer)
    }
  }

  private func reportNewDevice(_ peer: Peer, _ known: Peer) {
    // Its invitation has told people so.
    console.say(.newDevice(person(peer), known: known.id.description, isTold: inviters.contains(peer.id)))
  }

  private func report(_ host: Peer?, instead former: Peer?, _ epoch: UInt64, _ reason: HostChangeReason) {
    let cause = words(for: reason, from: former, to: host)
    console.say(.hostChanged(host: host.map(person), epoch: epoch, reason: "\(reason)", cause: cause))
  }

  private func report(_ error: SessionError) {
    guard error.code == .passcodeLocked else { return console.say(ProgramFailure(error), during: nil) }
    // The library's words name its function, and here there is a command.
    let message = "20 passcodes were wrong; nobody new is admitted until you type unlock-passcode"
    console.say(.error(code: "\(error.code)", message: message, command: nil))
  }

  private func report(_ added: Anchor, from origin: AnchorOrigin) {
    let pin = noted(added)
    guard console.format == .text, origin == .remote || origin == .merge else {
      return console.say(.anchorAdded(pin, origin: origin))
    }
    guard anchorNews.add(.init(pin: pin, author: added.creator.map(person), origin: origin)) else { return }
    errands.add {
      try? await Task.sleep(for: AnchorNews.moment)
      await self.tellArrivals()
    }
  }

  /// Tells people of the anchors that have come.
  func tellArrivals() {
    let reports = anchorNews.take()
    guard !reports.isEmpty else { return }
    for report in reports { console.say(report) }
    terminal?.noteNews()
  }

  private func noted(_ anchor: Anchor) -> Report.Pin {
    anchorNews.names[anchor.id] = anchor.name
    return pin(anchor)
  }

  private func forgotten(_ anchor: Anchor) -> Report.Pin {
    anchorNews.names[anchor.id] = nil
    return pin(anchor)
  }

  private func reportDragEnd(of anchor: AnchorID, by peer: Peer) {
    console.say(.dragEnded(anchor: anchor.description, named: anchorNews.names[anchor], by: person(peer)))
  }

  /// Why another peer hosts, for people: nothing at a join, or when this peer is alone.
  private func words(for reason: HostChangeReason, from former: Peer?, to host: Peer?) -> String? {
    guard host != nil else {
      // A newcomer that was its own host asks for another: nobody is lost.
      guard former != session.localPeer else { return nil }
      hostLoss = former.map { "\($0.name) \(reason == .expired ? "does not answer" : "left")" }
      return nil
    }
    defer { hostLoss = nil }
    switch reason {
    case .merged where former != host: return "two sessions have become one"
    case .handover, .steppedDown: return former.map { "\($0.name) handed over" }
    case .merged, .elected, .joined, .informed, .expired, .resigned, .left: return hostLoss
    }
  }

  private func reportMap(of peer: Peer, _ status: MapStatus) {
    let isOurs = status.mapID != nil && status.mapID == maps.sent
    console.say(.mapStatus(Report.MapStage(peer, status), mapID: status.mapID?.description, isOurs: isOurs))
  }

  private func reportDevice(of peer: Peer, at pose: LivePose?) {
    devices[peer.id] = pose?.transform.translation
    console.say(pose.map { .participantMoved(live($0)) } ?? .participantGone(person(peer)))
  }

  private func report(_ edit: LostEdit) {
    let author = edit.author.map(person)
    console.say(.fieldOverwritten(anchor: edit.anchor.description, field: edit.value.field, by: author))
  }

  private func reportSuperseded(_ anchor: AnchorID) {
    let message = "anchor \(anchor) was removed by another peer"
    console.say(.error(code: "edit-superseded", message: message, command: nil))
  }

  private func report(_ failure: MessageFailure) {
    console.say(
      .messagesFailed(to: person(failure.receiver), failure.messages.map(\.number), reason: failure.reason.rawValue))
  }

  private func recordFound(_ candidate: Candidate) {
    let known = candidates.updateValue(candidate, forKey: candidate.id)
    guard known != candidate else { return }
    // A script wants to know which peer the service turned out to be; a person has read its name already.
    if console.format == .events || known == nil { console.say(.peerFound(describe(candidate))) }
  }

  private func report(_ progress: Session.MapProgress) {
    maps.arriving = progress.verifiedBytes < progress.totalBytes ? progress.mapID : nil
    let transfer = Report.Transfer(
      verified: progress.verifiedBytes, total: progress.totalBytes, requested: progress.requestedBytes,
      received: progress.receivedBytes, perSecond: progress.bytesPerSecond)
    console.say(.mapProgress(from: person(progress.from), transfer))
  }

  private func report(_ receipt: Session.MapReceipt) {
    console.say(
      .mapReceived(
        from: person(receipt.from), mapID: receipt.mapID.description, points: receipt.points,
        anchors: receipt.anchors, bytes: receipt.bytes))
  }

  private func live(_ pose: LivePose) -> Report.Live {
    Report.Live(
      id: pose.anchor.description, name: anchorNews.names[pose.anchor], peer: person(pose.peer),
      position: pose.transform.translation,
      sessionTime: pose.sessionTime.milliseconds, sequence: pose.sequence)
  }

  func describe(_ candidate: Candidate) -> Report.Candidate {
    Report.Candidate(
      id: candidate.id, name: (candidate.peer ?? candidate.seenBefore)?.name ?? candidate.name ?? candidate.id,
      peerID: candidate.peer?.id.description, seenBefore: candidate.seenBefore?.id.description,
      standing: candidate.standing.rawValue,
      asksForPasscode: candidate.asksForPasscode, ways: candidate.ways.map(\.rawValue).inOrder())
  }

  func pin(_ anchor: Anchor) -> Report.Pin {
    Report.Pin(
      id: anchor.id.description, name: anchor.name, position: anchor.transform.translation,
      author: anchor.creator?.description, extent: anchor.kind.planeExtent)
  }
}

extension Anchor.Kind {
  /// Width and depth of a plane (metres); nil for other kinds.
  fileprivate var planeExtent: SIMD2<Float>? { if case .plane(let plane) = self { plane.extent } else { nil } }
}

extension Session.Event {
  /// Whether it comes amid the anchors of a map.
  fileprivate var comesWithAnchors: Bool {
    if case .anchorAdded = self { return true }
    if case .mapProgress = self { return true }
    return false
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
    case .kind: "kind"
    }
  }
}

extension Acknowledgement {
  /// The object that the word of a command names.
  init(_ witness: Command.Witness) {
    self =
      switch witness {
      case .local: .local
      case .host: .host
      case .all: .everyPresentMember
      }
  }
}
