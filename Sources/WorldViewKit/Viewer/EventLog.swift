import SharedWorld

/// The latest events of a session as lines for people, oldest first.
struct EventLog {
  /// Lines that are kept.
  private static let limit = 40

  private(set) var lines: [String] = []

  /// Adds the line of an event, if it has one: what moves many times a second has none.
  mutating func record(_ event: Session.Event, _ name: (PeerID) -> String) {
    guard let line = Self.line(event, name) else { return }
    // A hundred moves of one anchor are one line.
    if lines.last == line { return }
    lines.append(line)
    if lines.count > Self.limit { lines.removeFirst() }
  }

  private static func line(_ event: Session.Event, _ name: (PeerID) -> String) -> String? {
    switch event {
    case .peerJoined(let peer): "\(peer.name) joined"
    case .peerReconnecting(let peer): "\(peer.name) is being connected again"
    case .peerReconnected(let peer): "\(peer.name) can be reached again"
    case .peerLeft(let peer, let reason): "\(peer.name) is gone: \(reason.rawValue)"
    case .hostChanged(_, let host, _, _): host.map { "\(name($0)) hosts" } ?? "no host: an election runs"
    case .lockChanged(let isLocked): isLocked ? "the session is locked" : "the session is open"
    case .roleChanged(let peer, let role):
      role.map { "\(peer.name) is \($0.rawValue)" } ?? "\(peer.name) is not admitted any more"
    case .sessionMerged(let size, _): "two sessions became one of \(size)"
    case .mapReceived(let receipt): "map from \(name(receipt.from)) received"
    case .mapFailed(let error), .problem(let error): error.message
    case .anchorAdded(let anchor, let origin): "\(anchor.name) placed\(from(origin))"
    case .anchorUpdated(let anchor, let origin): "\(anchor.name) changed\(from(origin))"
    case .anchorRemoved(let anchor, let origin): "\(anchor.name) removed\(from(origin))"
    case .editSuperseded: "an edit of this peer is lost: the anchor was removed"
    case .fieldOverwritten: "an edit of this peer is lost to a later one"
    case .ended(let reason): "the session is over: \(reason.rawValue)"
    case .candidateFound, .candidateLost, .discoveryAvailable, .discoveryUnavailable, .nobodyFound, .invitationReceived,
      .invitationEnded, .invitationFailed, .codeShown, .codeEnded, .newDevice, .mapProgress, .peerMapChanged,
      .alignmentChanged, .synchronised, .anchorRestored, .ownershipChanged, .anchorDragged, .dragEnded,
      .participantMoved, .participantGone, .message, .unreliableMessage, .groupsChanged, .messagesFailed,
      .messageReturned, .resourceOffered, .resourceProgress, .resourceReceived, .resourceFailed, .resourceSettled,
      .attachmentChanged:
      nil
    }
  }

  /// Where a change came from, unless this peer made it.
  private static func from(_ origin: Session.Origin) -> String {
    switch origin {
    case .local: ""
    case .remote: " by another peer"
    case .map: " with a map"
    case .merge: " after a separation"
    }
  }
}
