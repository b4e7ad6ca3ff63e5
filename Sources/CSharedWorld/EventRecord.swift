internal import CSharedWorldHeaders
import SharedWorld

extension sw_event {
  /// An event as C sees it; what it points to must be freed.
  init(_ event: Session.Event) {
    self.init()
    switch event {
    case .candidateFound(let candidate): set(SW_EVENT_CANDIDATE_FOUND, candidate)
    case .candidateLost(let candidate): set(SW_EVENT_CANDIDATE_LOST, candidate)
    case .discoveryAvailable(let backend): set(SW_EVENT_DISCOVERY_AVAILABLE, text: backend)
    case .discoveryUnavailable(let reason): set(SW_EVENT_DISCOVERY_UNAVAILABLE, text: reason)
    case .nobodyFound(let diagnosis): set(SW_EVENT_NOBODY_FOUND, text: diagnosis.summary)
    case .invitationReceived(let invitation):
      setQuestion(SW_EVENT_INVITATION, invitation.id, of: invitation.peer)
      setData(invitation.context)
      recognition = invitation.recognition.number
    case .invitationEnded(let peer, let id): setQuestion(SW_EVENT_INVITATION_ENDED, id, of: peer)
    case .invitationFailed(let target, let error, let isRetried): setFailed(target, error, isRetried)
    case .codeShown(let comparison):
      setQuestion(SW_EVENT_CODE, comparison.id, of: comparison.peer, text: comparison.code)
      recognition = comparison.recognition.number
    case .codeEnded(let peer, let id, let isConfirmed):
      setQuestion(SW_EVENT_CODE_ENDED, id, of: peer)
      flags = isConfirmed ? 1 : 0
    case .peerJoined(let peer): set(SW_EVENT_PEER_JOINED, peer)
    case .newDevice(let peer, let known):
      set(SW_EVENT_NEW_DEVICE, peer)
      setData(known.id.bytes)
    case .peerReconnecting(let peer): set(SW_EVENT_PEER_RECONNECTING, peer)
    case .peerReconnected(let peer): set(SW_EVENT_PEER_RECONNECTED, peer)
    case .peerLeft(let peer, let reason): set(SW_EVENT_PEER_LEFT, peer, text: reason.rawValue)
    case .hostChanged(_, let host, let number, let reason): setHost(host, number, "\(reason)")
    case .sessionMerged(let size, let host): set(SW_EVENT_SESSION_MERGED, host, size: size)
    case .lockChanged(let isLocked): set(isLocked ? SW_EVENT_LOCKED : SW_EVENT_UNLOCKED)
    case .roleChanged(let peer, let role): set(SW_EVENT_ROLE_CHANGED, peer, text: role?.rawValue ?? "")
    case .mapProgress(let progress):
      set(SW_EVENT_MAP_PROGRESS, progress.mapID, from: progress.from, progress.verifiedBytes, of: progress.totalBytes)
    case .mapReceived(let receipt):
      set(SW_EVENT_MAP_RECEIVED, receipt.mapID, from: receipt.from, receipt.bytes, of: receipt.bytes)
    case .mapFailed(let error): set(SW_EVENT_MAP_FAILED, error)
    case .peerMapChanged(let peer, let status):
      set(SW_EVENT_PEER_MAP_CHANGED, peer)
      set(status)
    case .alignmentChanged(let peer, let alignment): set(peer, alignment)
    case .synchronized(let hash): set(SW_EVENT_SYNCHRONIZED, hash)
    case .anchorAdded(let anchor, let origin): set(SW_EVENT_ANCHOR_ADDED, anchor, origin)
    case .anchorUpdated(let anchor, let origin): set(SW_EVENT_ANCHOR_UPDATED, anchor, origin)
    case .anchorRemoved(let anchor, let origin): set(SW_EVENT_ANCHOR_REMOVED, anchor, origin)
    case .editSuperseded(let edit): set(SW_EVENT_EDIT_SUPERSEDED, edit)
    case .fieldOverwritten(let edit): set(SW_EVENT_FIELD_OVERWRITTEN, edit)
    case .anchorRestored(let anchor, let removed): setRestored(anchor, removed)
    case .ownershipChanged(let anchor, let owner): set(SW_EVENT_OWNERSHIP_CHANGED, anchor, owner)
    case .anchorDragged(let pose): set(SW_EVENT_ANCHOR_DRAGGED, pose)
    case .dragEnded(let anchor, let peer): set(SW_EVENT_DRAG_ENDED, anchor, peer)
    case .participantMoved(let pose): set(SW_EVENT_PARTICIPANT_MOVED, pose)
    case .participantGone(let peer): set(SW_EVENT_PARTICIPANT_GONE, peer)
    case .message(let bytes, let from): setMessage(bytes, from)
    case .unreliableMessage(let bytes, let key, let from): setMessage(bytes, from, key: key)
    case .groupsChanged(let peer, let groups): set(SW_EVENT_GROUPS_CHANGED, peer, text: groups.joined(separator: "\n"))
    case .messagesFailed(let failure): set(failure)
    case .messageReturned(let returned): setReturned(returned)
    case .resourceOffered(let offer): set(SW_EVENT_RESOURCE_OFFERED, offer, text: offer.name)
    case .resourceProgress(let progress): set(progress)
    case .resourceReceived(let receipt): set(SW_EVENT_RESOURCE_RECEIVED, receipt.offer, text: receipt.path)
    case .resourceFailed(let offer, let failure): set(SW_EVENT_RESOURCE_FAILED, offer, text: failure.word)
    case .resourceSettled(let progress, let failure): setSettled(progress, failure)
    case .attachmentChanged(let attachment): set(attachment)
    case .problem(let error): set(SW_EVENT_PROBLEM, error)
    case .ended(let reason): set(SW_EVENT_ENDED, text: reason.rawValue)
    }
  }

  private mutating func setQuestion(_ kind: Int, _ id: UInt64, of peer: Peer, text: String? = nil) {
    set(kind, peer, text: text)
    operation = id
  }

  private mutating func setFailed(_ target: InvitationTarget, _ error: SessionError, _ isRetried: Bool) {
    set(SW_EVENT_INVITATION_FAILED, error)
    name = UnsafePointer(copyText("\(target)"))
    flags = isRetried ? 1 : 0
  }

  private mutating func set(_ peer: Peer, _ alignment: PeerAlignment) {
    set(SW_EVENT_ALIGNMENT_CHANGED, peer, text: alignment.state.rawValue)
    set(alignment)
  }

  private mutating func setMessage(_ bytes: [UInt8], _ sender: Peer, key: String? = nil) {
    set(SW_EVENT_MESSAGE, sender, text: key)
    setData(bytes)
  }

  private mutating func set(_ kind: Int, _ hash: SHA256Digest) {
    set(kind)
    digest = sw_digest(copying: hash.bytes)
  }

  private mutating func set(_ progress: ResourceProgress) {
    set(SW_EVENT_RESOURCE_PROGRESS, progress.id, with: progress.peer, progress.bytes, of: progress.totalBytes)
    flags = progress.direction == .sending ? 1 : 0
    rate = UInt64(clamping: progress.bytesPerSecond)
  }

  private mutating func setRestored(_ restored: Anchor, _ removed: AnchorID) {
    set(SW_EVENT_ANCHOR_RESTORED)
    set(restored)
    other = sw_anchor_id(copying: removed.bytes)
  }

  private mutating func set(_ attachment: SessionAttachment) {
    set(SW_EVENT_ATTACHMENT_CHANGED, attachment.id, with: attachment.author, 0, of: attachment.size)
    name = UnsafePointer(copyText(attachment.name))
    flags = attachment.state.number
    text = (attachment.state.failure?.word ?? attachment.path).map { UnsafePointer(copyText($0)) }
  }

  private mutating func setSettled(_ progress: ResourceProgress, _ failure: ResourceFailure?) {
    set(SW_EVENT_RESOURCE_SETTLED, progress.id, with: progress.peer, progress.bytes, of: progress.totalBytes)
    flags = 1
    text = failure.map { UnsafePointer(copyText($0.word)) }
  }

  private mutating func set(_ kind: Int, _ offer: ResourceOffer, text: String) {
    set(kind, offer.id, with: offer.from, 0, of: offer.size)
    name = UnsafePointer(copyText(offer.name))
    self.text = UnsafePointer(copyText(text))
  }

  private mutating func set(_ kind: Int, _ resource: ResourceID, with peer: Peer, _ bytes: Int, of whole: Int) {
    set(kind)
    self.peer = sw_peer_id(copying: peer.id.bytes)
    peer_name = UnsafePointer(copyText(peer.name))
    digest = sw_digest(copying: resource.digest.bytes)
    done = UInt64(bytes)
    total = UInt64(whole)
  }

  private mutating func setReturned(_ returned: MessageReturn) {
    set(SW_EVENT_MESSAGE_RETURNED, returned.receiver, text: returned.reason.rawValue)
    sequence = returned.message.number
  }

  private mutating func set(_ failure: MessageFailure) {
    set(SW_EVENT_MESSAGES_FAILED, failure.receiver, text: failure.reason.rawValue)
    total = UInt64(failure.messages.count)
    setData(failure.messages.flatMap { message in withUnsafeBytes(of: message.number) { Array($0) } })
  }

  private mutating func setHost(_ host: Peer?, _ number: UInt64, _ reason: String) {
    set(SW_EVENT_HOST_CHANGED, text: reason)
    setPeer(host)
    epoch = number
  }

  private mutating func set(_ kind: Int, _ host: Peer, size: Int) {
    set(kind, host)
    total = UInt64(size)
  }

  private mutating func set(_ kind: Int, text: String? = nil) {
    type = UInt32(kind)
    self.text = text.map { UnsafePointer(copyText($0)) }
  }

  private mutating func set(_ kind: Int, _ candidate: Candidate) {
    set(kind, text: candidate.id)
    name = (candidate.peer?.name ?? candidate.name).map { UnsafePointer(copyText($0)) }
    guard let known = candidate.seenBefore else { return }
    peer = sw_peer_id(copying: known.id.bytes)
    recognition = UInt32(SW_RECOGNITION_KNOWN)
  }

  private mutating func set(_ kind: Int, _ peer: Peer, text: String? = nil) {
    set(kind, text: text)
    setPeer(peer)
  }

  private mutating func setPeer(_ peer: Peer?) {
    self.peer = sw_peer_id(copying: peer?.id.bytes ?? [])
    name = (peer?.name).map { UnsafePointer(copyText($0)) }
  }

  private mutating func set(_ kind: Int, _ anchor: Anchor, _ origin: Session.Origin) {
    set(kind, text: origin.rawValue)
    set(anchor)
  }

  private mutating func set(_ anchor: Anchor) {
    self.anchor = sw_anchor(anchor)
    let record = UnsafeMutablePointer<sw_anchor_content>.allocate(capacity: 1)
    record.initialize(to: sw_anchor_content(anchor))
    content = UnsafePointer(record)
    guard let payload = anchor.payload else { return }
    content_type = UnsafePointer(copyText(payload.contentType))
    setData(payload.bytes)
  }

  private mutating func set(_ kind: Int, _ error: SessionError) {
    set(kind, text: Failure(error).message)
    status = Status.of(error.code)
  }

  private mutating func set(_ kind: Int, _ map: MapID, from sender: Peer, _ done: Int, of total: Int) {
    set(kind, sender)
    self.map = sw_map_id(copying: map.digest.bytes)
    self.done = UInt64(done)
    self.total = UInt64(total)
  }

  private mutating func set(_ kind: Int, _ id: AnchorID, _ peer: Peer?) {
    set(kind)
    anchor.id = sw_anchor_id(copying: id.bytes)
    setPeer(peer)
  }

  private mutating func set(_ kind: Int, _ pose: LivePose) {
    set(kind, pose.anchor, pose.peer)
    anchor.set(pose.transform)
    time = pose.sessionTime.milliseconds
    sequence = pose.sequence
  }

  private mutating func set(_ kind: Int, _ edit: LostEdit) {
    set(kind, edit.anchor, edit.author)
    switch edit.value {
    case .transform(let transform):
      field = UInt32(SW_FIELD_TRANSFORM)
      anchor.set(transform)
    case .name(let name):
      field = UInt32(SW_FIELD_NAME)
      text = UnsafePointer(copyText(name))
    case .payload(let payload):
      field = UInt32(SW_FIELD_PAYLOAD)
      text = payload.map { UnsafePointer(copyText($0.contentType)) }
      setData(payload?.bytes ?? [])
    case .flags(let bits):
      field = UInt32(SW_FIELD_FLAGS)
      flags = bits
    case .ownership: field = UInt32(SW_FIELD_OWNERSHIP)
    case .kind: field = UInt32(SW_FIELD_KIND)
    }
  }

  private mutating func set(_ status: MapStatus) {
    map = sw_map_id(copying: status.mapID?.digest.bytes ?? [])
    (stage, percent) = status.numbers
  }

  private mutating func setData(_ bytes: [UInt8]) {
    data_size = bytes.count
    data = UnsafePointer(copyBytes(bytes))
  }
}

extension MapStatus {
  /// The stage in C, and how much of the map is here (0–100) while it comes.
  var numbers: (stage: UInt32, percent: UInt32) {
    switch stage {
    case .none: (UInt32(SW_MAP_NONE), 0)
    case .transferring(let share): (UInt32(SW_MAP_TRANSFERRING), UInt32(share))
    case .received: (UInt32(SW_MAP_RECEIVED), 0)
    case .relocalized: (UInt32(SW_MAP_RELOCALIZED), 0)
    case .claimed: (UInt32(SW_MAP_CLAIMED), 0)
    }
  }
}
