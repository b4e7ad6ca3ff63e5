import PeerProtocol
import WorldModel

/// How a backlog keeps the events that nobody has read: the one table of it, a row for each event.
extension Session.Event {
  /// A kind of events that are dropped together when too many of them are unread.
  enum Bound: Int, Sendable {
    /// Changes of anchors and live poses.
    case anchors
    /// Problems and returned messages.
    case problems
    /// Unreliable messages.
    case unreliable
    /// All else.
    case status

    /// How many of them may be unread.
    var capacity: Int {
      switch self {
      case .anchors, .status: Session.Events.capacity
      case .problems: Session.Events.problemCapacity
      case .unreliable: Session.Events.unreliableCapacity
      }
    }

    /// The words for a reader that has lost them.
    var advice: String {
      switch self {
      case .anchors: "changes of anchors were dropped because they were not read; read session.world.anchors again"
      case .problems: "problems were dropped because they were not read; read events faster"
      case .unreliable:
        "unreliable messages were dropped because they were not read; read events faster, or use fewer keys"
      case .status: "events were dropped because they were not read; read session.state again"
      }
    }
  }

  /// The subject of an event that a later one may replace while nobody has read it.
  enum Subject: Hashable, Sendable {
    /// An anchor.
    case anchor(AnchorID)
    /// An anchor in a peer's hand.
    case drag(AnchorID, PeerID)
    /// A peer's device.
    case participant(PeerID)
    /// A map on its way.
    case map(MapID)
    /// A resource on its way to or from a peer.
    case resource(ResourceID, PeerID)
    /// An attachment of the session.
    case attachment(ResourceID)
    /// How far a peer has come with the session's map.
    case peerMap(PeerID)
    /// The groups that a peer is in.
    case groups(PeerID)
    /// A peer's part in a creator's session.
    case role(PeerID)
    /// How a peer's frame lies.
    case alignment(PeerID)
    /// The unreliable messages of a peer under a key.
    case unreliable(PeerID, String)
    /// A service on the network.
    case candidate(Candidate.ID)

    /// The subjects that it belongs to; nil for what ends by itself alone.
    var group: Group? {
      switch self {
      case .drag(_, let peer), .participant(let peer), .resource(_, let peer), .peerMap(let peer), .groups(let peer),
        .role(let peer), .alignment(let peer), .unreliable(let peer, _):
        .peer(peer)
      case .map: .maps
      case .anchor, .attachment, .candidate: nil
      }
    }
  }

  /// Subjects that one event ends together.
  enum Group: Hashable, Sendable {
    /// All that is said of a peer: its coming and going must not stand after news of a later time.
    case peer(PeerID)
    /// All maps on their way: the failure of one does not say of which.
    case maps
  }

  /// The relation of an event to the unread ones before it.
  enum Relation: Sendable {
    /// It stands after them.
    case follows
    /// It takes the place of an unread one about the same subject.
    case replaces(Subject)
    /// It stands after them, and nothing that is said of the subject later takes a place before it.
    case ends(Subject)
    /// The same, for all subjects of a group.
    case endsAll(Group)
  }

  /// The bound that it counts for, and its relation to the unread events before it.
  ///
  /// The bound is nil for messages, of which senders hold back what is too much, and for the end, which nothing follows.
  var unreadRule: (bound: Bound?, relation: Relation) {
    switch self {
    case .candidateFound(let candidate): (.status, .replaces(.candidate(candidate.id)))
    case .candidateLost(let candidate): (.status, .ends(.candidate(candidate.id)))
    case .discoveryAvailable, .discoveryUnavailable, .nobodyFound: (.status, .follows)
    case .invitationReceived, .invitationEnded, .invitationFailed: (.status, .follows)
    case .codeShown, .codeEnded, .newDevice: (.status, .follows)

    case .peerJoined(let peer), .peerLeft(let peer, _): (.status, .endsAll(.peer(peer.id)))
    case .peerReconnecting, .peerReconnected, .hostChanged, .lockChanged, .sessionMerged: (.status, .follows)
    case .roleChanged(let peer, _): (.status, .replaces(.role(peer.id)))

    case .anchorAdded(let anchor, _), .anchorRemoved(let anchor, _), .anchorRestored(let anchor, _):
      (.anchors, .ends(.anchor(anchor.id)))
    case .anchorUpdated(let anchor, _): (.anchors, .replaces(.anchor(anchor.id)))
    case .editSuperseded(let edit), .fieldOverwritten(let edit): (.anchors, .ends(.anchor(edit.anchor)))
    case .ownershipChanged(let anchor, _): (.anchors, .ends(.anchor(anchor)))
    case .anchorDragged(let pose): (.anchors, .replaces(.drag(pose.anchor, pose.peer.id)))
    case .dragEnded(let anchor, let peer): (.anchors, .ends(.drag(anchor, peer.id)))
    case .participantMoved(let pose): (.anchors, .replaces(.participant(pose.peer.id)))
    case .participantGone(let peer): (.anchors, .ends(.participant(peer.id)))

    case .mapProgress(let progress): (.status, .replaces(.map(progress.mapID)))
    case .mapReceived(let receipt): (.status, .ends(.map(receipt.mapID)))
    case .mapFailed: (.status, .endsAll(.maps))
    case .peerMapChanged(let peer, _): (.status, .replaces(.peerMap(peer.id)))
    case .alignmentChanged(let peer, _): (.status, .replaces(.alignment(peer.id)))
    case .synchronized: (.status, .follows)

    case .message: (nil, .follows)
    case .unreliableMessage(_, let key, let peer): (.unreliable, .replaces(.unreliable(peer.id, key)))
    case .groupsChanged(let peer, _): (.status, .replaces(.groups(peer.id)))
    case .messagesFailed: (.status, .follows)

    case .resourceOffered: (.status, .follows)
    case .resourceProgress(let progress): (.status, .replaces(.resource(progress.id, progress.peer.id)))
    case .resourceReceived(let receipt): (.status, .ends(.resource(receipt.offer.id, receipt.offer.from.id)))
    case .resourceFailed(let offer, _): (.status, .ends(.resource(offer.id, offer.from.id)))
    case .resourceSettled(let progress, _): (.status, .ends(.resource(progress.id, progress.peer.id)))
    case .attachmentChanged(let attachment): (.status, .replaces(.attachment(attachment.id)))

    case .problem, .messageReturned: (.problems, .follows)
    case .ended: (nil, .follows)
    }
  }
}
