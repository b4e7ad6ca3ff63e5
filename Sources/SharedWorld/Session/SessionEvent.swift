import Basics
public import PeerProtocol

extension Session {
  /// An event of a session; events come in order.
  ///
  /// Messages, groups and poses of a peer, and how far it has come with the map, are told between its ``peerJoined(_:)`` and its
  /// ``peerLeft(_:reason:)``; the end of its poses may follow the latter.
  ///
  /// A later version may add cases: outside this package a `switch` needs `@unknown default`.
  @nonexhaustive
  public enum Event: Sendable {
    // MARK: Discovery

    // Candidates are rare and would make every event as large as they are. Besides, Swift 6.3.1 without optimisation mistakes
    // one case for another in an enum with a payload of that size.
    /// A service of the same type appeared on the network, or told more of itself.
    indirect case candidateFound(Candidate)
    /// It disappeared.
    indirect case candidateLost(Candidate)
    /// Discovery works, through the named back-end.
    case discoveryAvailable(backend: String)
    /// Discovery does not work now; connections live on.
    case discoveryUnavailable(reason: String)
    /// Nobody was found for 10 s after the start: what may be the cause. It comes once.
    case nobodyFound(NetworkDiagnosis)

    // MARK: Invitations

    /// A peer invites this one; the handler in the configuration is being asked.
    case invitationReceived(Invitation)
    /// An invitation by this peer was withdrawn, timed out or settled otherwise; the task of its handler is cancelled.
    case invitationEnded(Peer, id: Invitation.ID)
    /// An invitation by ``Session/Configuration/Invitations/outgoing`` or ``Session/Peers/keepInviting(_:)`` failed; whether it is repeated.
    case invitationFailed(InvitationTarget, SessionError, isRetried: Bool)
    /// Two people are to compare a code; the handler in the configuration is being asked.
    case codeShown(CodeComparison)
    /// A comparison with this peer has ended: both users have confirmed, or one refused, the time is over or the connection broke.
    case codeEnded(Peer, id: CodeComparison.ID, isConfirmed: Bool)
    /// A peer has the name of a known one and a key that was never admitted: a new device, or somebody who took the name.
    /// `known` is the one with the recorded key. It comes once for each key, when the peer invites this one or joins.
    case newDevice(Peer, known: Peer)

    // MARK: Members and host

    /// A peer is in the session and can be reached.
    case peerJoined(Peer)
    /// A peer's connection broke and is being made again.
    case peerReconnecting(Peer)
    /// A peer that was reconnecting can be reached again.
    case peerReconnected(Peer)
    /// A peer is gone.
    case peerLeft(Peer, reason: LeaveReason)
    /// Another peer hosts; nil while there is none.
    case hostChanged(from: Peer?, to: Peer?, epoch: UInt64, reason: HostChangeReason)
    /// The host, or in a creator's session the creator or a moderator, locked the session for newcomers, or opened it again.
    case lockChanged(isLocked: Bool)
    /// A peer, perhaps this one, has another part in a creator's session; nil when it is not admitted any more.
    case roleChanged(Peer, role: PeerRole?)
    /// This session and another one, or the other half of it, became one; `size` counts all peers, this one included.
    case sessionMerged(size: Int, host: Peer)

    // MARK: Anchors

    /// An anchor was placed.
    case anchorAdded(Anchor, origin: Origin)
    /// An anchor was moved, renamed or changed otherwise.
    case anchorUpdated(Anchor, origin: Origin)
    /// An anchor was removed; this is its last state.
    case anchorRemoved(Anchor, origin: Origin)
    /// The anchor that was added last brings back a removed one, under an id of its own.
    case anchorRestored(Anchor, from: AnchorID)
    /// An edit of this peer was lost because another peer removed the anchor without having seen it.
    case editSuperseded(LostEdit)
    /// An edit of this peer was lost to a later one of the same field, whose author had not seen it.
    case fieldOverwritten(LostEdit)
    /// An anchor has another owner, or none.
    case ownershipChanged(AnchorID, owner: Peer?)
    /// All is here that the connected peers had when they were connected: the anchors, giving this digest, and the map.
    ///
    /// It comes when a peer has joined and caught up, and again after a separation that made it miss something or a new map.
    case synchronized(SHA256Digest)

    // MARK: Live poses

    /// Another peer drags an anchor; it is somewhere else for as long as the drag lasts.
    case anchorDragged(LivePose)
    /// A drag of another peer has ended; the anchor is where ``Session/World/anchors`` says.
    case dragEnded(AnchorID, by: Peer)
    /// Another peer's device is here now.
    case participantMoved(LivePose)
    /// Another peer tells no longer where its device is, or cannot be reached.
    case participantGone(Peer)

    // MARK: Maps and frames

    /// More of a map has been verified.
    case mapProgress(MapProgress)
    /// A map has arrived, is verified and can be read with ``Session/Maps/latest()``.
    case mapReceived(MapReceipt)
    /// A map could not be used, or a source sent something wrong.
    case mapFailed(SessionError)
    /// A peer has come further with the session's map, or has another one.
    case peerMapChanged(Peer, MapStatus)
    /// A peer's frame lies elsewhere in this peer's than before, or is not aligned any more: what that peer placed has moved, come
    /// or gone. Read ``Session/World/anchors`` again.
    case alignmentChanged(Peer, PeerAlignment)

    // MARK: Messages

    /// A message of the app from another peer.
    case message([UInt8], from: Peer)
    /// An unreliable message of the app from another peer (``MessageMode/unreliable(key:)``), newer than all of that key that
    /// came before. While it is not read, a newer one replaces it.
    case unreliableMessage([UInt8], key: String, from: Peer)
    /// Messages of this peer are not known to have reached a receiver, and are not sent to it any more.
    ///
    /// Answers to requests and words about messages of other peers, which the session itself sends, have numbers too.
    case messagesFailed(MessageFailure)
    /// An object that this peer sent arrived, and the app of a receiver did not get it.
    case messageReturned(MessageReturn)
    /// A peer is in these groups now, ascending by name; one that is gone is in none.
    case groupsChanged(Peer, groups: [String])

    // MARK: Files

    /// A peer offers a resource; answer with ``Session/Files/accept(_:)`` or ``Session/Files/decline(_:)`` within ten minutes.
    indirect case resourceOffered(ResourceOffer)
    /// More of a resource is here, or at a receiver.
    indirect case resourceProgress(ResourceProgress)
    /// A resource is here: move its file away before the session ends.
    indirect case resourceReceived(ResourceReceipt)
    /// A resource that was offered to this peer does not come.
    indirect case resourceFailed(ResourceOffer, ResourceFailure)
    /// A receiver of a resource of this peer has all of it, or has come this far and does not get the rest for this reason.
    indirect case resourceSettled(ResourceProgress, ResourceFailure?)
    /// An attachment was added, is here, did not come or was removed; of several unread ones of an attachment only the last is told.
    case attachmentChanged(SessionAttachment)

    // MARK: Problems and the end

    /// Something went wrong that ends neither the session nor the data.
    case problem(SessionError)
    /// The session is over.
    case ended(LeaveReason)
  }

  /// Where a change of an anchor came from.
  public typealias Origin = AnchorOrigin

  /// Why a peer's part in a session ended.
  @nonexhaustive
  public enum LeaveReason: String, Hashable, Sendable {
    /// It left.
    case left
    /// It was removed.
    case kicked
    /// It could not be reached any more.
    case lost
    /// It speaks another version of the protocol.
    case versionMismatch = "version-mismatch"
    /// It is not who it said it was.
    case identityMismatch = "identity-mismatch"
    /// A limit was exceeded.
    case limit
    /// It refused.
    case refused
    /// The session takes no newcomers.
    case locked
  }

  /// How far a map has come.
  public typealias MapProgress = SharedWorld.MapProgress

  /// A map that has arrived.
  public struct MapReceipt: Hashable, Sendable {
    /// The peer that shared it first.
    public let from: Peer
    /// Which map.
    public let mapID: MapID
    /// Its feature points.
    public let points: Int
    /// Its anchors.
    public let anchors: Int
    /// Bytes of its encoded form.
    public let bytes: Int
  }
}

extension Session.LeaveReason {
  init(_ reason: EndReason) {
    switch reason {
    case .left, .replaced: self = .left
    case .kicked: self = .kicked
    case .versionMismatch: self = .versionMismatch
    case .identityMismatch, .ownIdentity: self = .identityMismatch
    case .limitExceeded: self = .limit
    case .locked: self = .locked
    case .refused, .otherService, .protocolError, .passcodeRequired, .passcodeRefused, .passcodeLocked, .passcodeWait,
      .codeRequired, .codeRefused, .codeBusy, .driverRequired, .authenticationFailed:
      self = .refused
    case .connectionLost, .timedOut, .duplicate: self = .lost
    }
  }
}
