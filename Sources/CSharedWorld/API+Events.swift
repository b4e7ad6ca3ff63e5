public import CSharedWorldHeaders
import SharedWorld

/// A descriptor that is readable while events wait.
@c @implementation
public func sw_session_events_fd(_ session: OpaquePointer?) -> Int32 {
  (try? object(session, as: RunningSession.self).events.descriptor) ?? -1
}

/// Takes the next event.
@c @implementation
public func sw_session_next_event(
  _ session: OpaquePointer?, _ event: UnsafeMutablePointer<UnsafeMutablePointer<sw_event>?>?
) -> sw_status {
  attempt {
    let place = try output(event, "event")
    switch try object(session, as: RunningSession.self).events.next() {
    case .nothing: place.pointee = nil
    case .ended: throw SessionError(.ended, "the session has ended and all of its events were taken")
    case .event(let next):
      let record = UnsafeMutablePointer<sw_event>.allocate(capacity: 1)
      record.initialize(to: sw_event(next))
      place.pointee = record
    }
  }
}

/// Gives an event back.
@c @implementation
public func sw_event_destroy(_ event: UnsafeMutablePointer<sw_event>?) {
  guard let event else { return }
  freeConstant(event.pointee.name)
  freeConstant(event.pointee.text)
  freeConstant(event.pointee.data)
  freeConstant(event.pointee.anchor.name)
  event.deallocate()
}

extension sw_event {
  /// An event as C sees it; what it points to must be freed.
  init(_ event: Session.Event) {
    self.init()
    switch event {
    case .candidateFound, .candidateLost, .discoveryAvailable, .discoveryUnavailable: setDiscovery(event)
    case .invitationReceived, .invitationEnded, .peerJoined, .peerReconnecting, .peerLeft, .hostChanged,
      .sessionMerged:
      setMembership(event)
    case .mapProgress, .mapReceived, .mapFailed, .peerMapChanged, .synchronised: setMap(event)
    case .anchorAdded(let anchor, let origin): set(SW_EVENT_ANCHOR_ADDED, anchor, origin)
    case .anchorUpdated(let anchor, let origin): set(SW_EVENT_ANCHOR_UPDATED, anchor, origin)
    case .anchorRemoved(let anchor, let origin): set(SW_EVENT_ANCHOR_REMOVED, anchor, origin)
    case .editSuperseded(let edit):
      set(SW_EVENT_EDIT_SUPERSEDED)
      anchor.id = sw_anchor_id(copying: edit.anchor.bytes)
    case .anchorRestored, .fieldOverwritten, .ownershipChanged, .anchorDragged, .dragEnded, .participantMoved,
      .participantGone:
      set(SW_EVENT_OTHER, text: "\(event)")
    case .message(let bytes, let from):
      set(SW_EVENT_MESSAGE)
      peer = sw_peer_id(copying: from.bytes)
      setData(bytes)
    case .problem(let error): set(SW_EVENT_PROBLEM, error)
    case .ended(let reason): set(SW_EVENT_ENDED, text: reason.rawValue)
    }
  }

  private mutating func setDiscovery(_ event: Session.Event) {
    switch event {
    case .candidateFound(let candidate): set(SW_EVENT_CANDIDATE_FOUND, candidate)
    case .candidateLost(let candidate): set(SW_EVENT_CANDIDATE_LOST, candidate)
    case .discoveryAvailable(let backend): set(SW_EVENT_DISCOVERY_AVAILABLE, text: backend)
    case .discoveryUnavailable(let reason): set(SW_EVENT_DISCOVERY_UNAVAILABLE, text: reason)
    default: set(SW_EVENT_OTHER, text: "\(event)")
    }
  }

  private mutating func setMembership(_ event: Session.Event) {
    switch event {
    case .invitationReceived(let invitation):
      set(SW_EVENT_INVITATION, invitation.peer)
      setData(invitation.context)
    case .invitationEnded(let peer): set(SW_EVENT_INVITATION_ENDED, peer)
    case .peerJoined(let peer): set(SW_EVENT_PEER_JOINED, peer)
    case .peerReconnecting(let peer): set(SW_EVENT_PEER_RECONNECTING, peer)
    case .peerLeft(let peer, let reason): set(SW_EVENT_PEER_LEFT, peer, text: reason.rawValue)
    case .hostChanged(_, let host, let number, let reason):
      set(SW_EVENT_HOST_CHANGED, text: reason)
      peer = sw_peer_id(copying: host?.bytes ?? [])
      epoch = number
    default: set(SW_EVENT_OTHER, text: "\(event)")
    }
  }

  private mutating func setMap(_ event: Session.Event) {
    switch event {
    case .mapProgress(let progress):
      set(SW_EVENT_MAP_PROGRESS, progress.mapID, from: progress.from, progress.verifiedBytes, of: progress.totalBytes)
    case .mapReceived(let receipt):
      set(SW_EVENT_MAP_RECEIVED, receipt.mapID, from: receipt.from, receipt.bytes, of: receipt.bytes)
    case .mapFailed(let error): set(SW_EVENT_MAP_FAILED, error)
    default: set(SW_EVENT_OTHER, text: "\(event)")
    }
  }

  private mutating func set(_ kind: Int, text: String? = nil) {
    type = UInt32(kind)
    self.text = text.map { UnsafePointer(copyText($0)) }
  }

  private mutating func set(_ kind: Int, _ candidate: Candidate) {
    set(kind, text: candidate.id)
    name = (candidate.peer?.name ?? candidate.name).map { UnsafePointer(copyText($0)) }
  }

  private mutating func set(_ kind: Int, _ peer: Peer, text: String? = nil) {
    set(kind, text: text)
    self.peer = sw_peer_id(copying: peer.id.bytes)
    name = UnsafePointer(copyText(peer.name))
  }

  private mutating func set(_ kind: Int, _ anchor: Anchor, _ origin: Session.Origin) {
    set(kind, text: origin.rawValue)
    self.anchor = sw_anchor(anchor)
  }

  private mutating func set(_ kind: Int, _ error: SessionError) {
    set(kind, text: error.message)
    status = Status.of(error.code)
  }

  private mutating func set(_ kind: Int, _ map: MapID, from sender: PeerID, _ done: Int, of total: Int) {
    set(kind)
    peer = sw_peer_id(copying: sender.bytes)
    self.map = sw_map_id(copying: map.digest.bytes)
    self.done = UInt64(done)
    self.total = UInt64(total)
  }

  private mutating func setData(_ bytes: [UInt8]) {
    data_size = bytes.count
    data = UnsafePointer(copyBytes(bytes))
  }
}
