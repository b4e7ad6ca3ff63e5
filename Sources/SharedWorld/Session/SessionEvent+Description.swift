import PeerProtocol
import WorldModel

extension Session.Event: CustomStringConvertible {
  /// The event in a line for people, as for a log or a status line.
  ///
  /// It is no format, and a later version may say it otherwise.
  public var description: String {
    switch self {
    case .candidateFound(let candidate): "found \(candidate)"
    case .candidateLost(let candidate): "\(candidate) is out of sight"
    case .discoveryAvailable(let backend): "looking for peers with \(backend)"
    case .discoveryUnavailable(let reason): "peers cannot be found now: \(reason)"
    case .nobodyFound(let diagnosis): "nobody was found yet: \(diagnosis.summary)"
    case .invitationReceived(let invitation): "\(invitation.peer) wants to join"
    case .invitationEnded(let peer, _): "the invitation of \(peer) is over"
    case .invitationFailed(let target, let error, true): "\(target) is invited again: \(error.message)"
    case .invitationFailed(let target, let error, false): "\(target) is not invited any more: \(error.message)"
    case .codeShown(let comparison): "a code is to be compared with \(comparison.peer): \(comparison.code)"
    case .codeEnded(let peer, _, true): "the code of \(peer) was confirmed"
    case .codeEnded(let peer, _, false): "the code of \(peer) was not confirmed"
    case .peerJoined(let peer): "\(peer) joined"
    case .peerReconnecting(let peer): "\(peer) is being connected again"
    case .peerReconnected(let peer): "\(peer) can be reached again"
    case .peerLeft(let peer, let reason): "\(peer) is gone: \(reason.rawValue)"
    case .hostChanged(_, let host?, _, _): "\(host) hosts"
    case .hostChanged(_, nil, _, _): "no host: an election runs"
    case .newDevice(let peer, _): "\(peer) has a key that is new here"
    case .lockChanged(let isLocked): isLocked ? "the session is locked" : "the session is open"
    case .roleChanged(let peer, let role?): "\(peer) is \(role.rawValue)"
    case .roleChanged(let peer, nil): "\(peer) is not admitted any more"
    case .sessionMerged(let size, _): "two sessions became one of \(size)"
    case .mapProgress(let progress): "\(progress)"
    case .mapReceived(let receipt): "\(receipt)"
    case .peerMapChanged(let peer, let status): "\(peer) \(status)"
    case .alignmentChanged(let peer, let alignment): "the frame of \(peer) is \(alignment.state.rawValue)"
    case .synchronized: "in step with everybody"
    case .anchorAdded(let anchor, let origin): "\(anchor.name) placed\(origin.words)"
    case .anchorUpdated(let anchor, let origin): "\(anchor.name) changed\(origin.words)"
    case .anchorRemoved(let anchor, let origin): "\(anchor.name) removed\(origin.words)"
    case .anchorRestored(let anchor, _): "\(anchor.name) is back"
    case .editSuperseded: "an edit of this peer is lost: the anchor was removed"
    case .fieldOverwritten: "an edit of this peer is lost to a later one"
    case .ownershipChanged(let anchor, let owner): "\(owner?.name ?? "nobody") owns \(anchor)"
    case .anchorDragged(let pose): "\(pose.peer) drags \(pose.anchor)"
    case .dragEnded(let anchor, let peer): "\(peer) let go of \(anchor)"
    case .participantMoved(let pose): "\(pose.peer) moved"
    case .participantGone(let peer): "\(peer) shows its place no more"
    case .attachmentChanged(let attachment): "\(attachment)"
    case .message(let bytes, let sender): "\(sender) sent \(bytes.count) bytes"
    case .unreliableMessage(let bytes, let key, let sender): "\(sender) sent \(bytes.count) bytes under '\(key)'"
    case .groupsChanged(let peer, []): "\(peer) is in no group"
    case .groupsChanged(let peer, let groups): "\(peer) is in \(groups.joined(separator: ", "))"
    case .messagesFailed(let failure): "\(failure)"
    case .messageReturned(let message): "\(message)"
    case .resourceOffered(let offer): "\(offer.from) offers \(offer)"
    case .resourceProgress(let progress): "\(progress)"
    case .resourceReceived(let receipt): "\(receipt)"
    case .resourceFailed(let offer, let failure): "\(offer) does not come: \(failure)"
    case .resourceSettled(let progress, let failure?): "\(progress), and no more: \(failure)"
    case .resourceSettled(let progress, nil): "\(progress.peer) has all of a resource"
    case .mapFailed(let error), .problem(let error): error.message
    case .ended(let reason): "the session is over: \(reason.rawValue)"
    }
  }
}

extension AnchorOrigin {
  /// Where a change came from, behind what changed; nothing where this peer made it.
  fileprivate var words: String {
    switch self {
    case .local: ""
    case .remote: " by another peer"
    case .map: " with a map"
    case .merge: " after a separation"
    }
  }
}

// MARK: - Parts of events

extension Peer: CustomStringConvertible {
  /// The name.
  public var description: String { name }
}

extension PeerStatus: CustomStringConvertible {
  /// The name and how well it can be reached.
  public var description: String { "\(peer), \(state.rawValue)" }
}

extension Candidate: CustomStringConvertible {
  /// The name of the peer, as far as it is known, else the one it shows, else that of the service.
  public var description: String { (peer ?? seenBefore)?.name ?? name ?? id }
}

extension LivePose: CustomStringConvertible {
  /// The peer and its anchor.
  public var description: String { "\(peer) holds \(anchor)" }
}

extension Session.MapReceipt: CustomStringConvertible {
  /// The peer that shared it, and how large it is.
  public var description: String { "map from \(from) received: \(anchors) anchors, \(points) points, \(bytes) bytes" }
}

extension SessionAttachment: CustomStringConvertible {
  /// Its name and how far it has come.
  public var description: String {
    switch state {
    case .listed: "attachment '\(name)' is listed"
    case .fetching: "attachment '\(name)' is fetched"
    case .here: "attachment '\(name)' is here"
    case .failed(let failure): "attachment '\(name)' did not come: \(failure)"
    case .removed: "attachment '\(name)' was removed"
    }
  }
}

extension MessageReturn: CustomStringConvertible {
  /// The peer that returned it, and why.
  public var description: String { "\(receiver) returned message \(message.number), \(reason.rawValue): \(text)" }
}

extension MessageFailure: CustomStringConvertible {
  /// How many messages may not have reached whom, and why.
  public var description: String {
    "\(messages.count) messages may not have reached \(receiver): \(reason.rawValue)"
  }
}

extension MapProgress: CustomStringConvertible {
  /// How much of the map is here.
  public var description: String { "\(verifiedBytes) of \(totalBytes) bytes of a map are here" }
}

extension ResourceOffer: CustomStringConvertible {
  /// The name and the size.
  public var description: String { "'\(name)' (\(size) bytes)" }
}

extension ResourceProgress: CustomStringConvertible {
  /// How much of it is there, and where.
  public var description: String {
    "\(bytes) of \(totalBytes) bytes of a resource \(direction == .sending ? "are at \(peer)" : "are here")"
  }
}

extension ResourceReceipt: CustomStringConvertible {
  /// The offer and where it is.
  public var description: String { "\(offer) is at \(path)" }
}
