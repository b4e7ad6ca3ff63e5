package import AnchorReplication
package import Authentication
package import Basics
package import WorldModel

/// An input: an event outside the node, or a command of the app.
///
/// Received bytes come through ``Node/receive(_:on:at:)``, because they are borrowed.
package enum Input: Sendable {
  /// A TLS connection is up; `peer` is read from its certificate. `dial` is nil when the other side dialled.
  /// `secrets` belong to the connection; a node with a passcode or a driver, or one that shows codes, needs them.
  /// `isInProcess` says that the process at the other end is this one.
  case linkOpened(
    LinkID, peer: PeerID, dial: DialID?, remote: SocketAddress, secrets: LinkSecrets = LinkSecrets(),
    isInProcess: Bool = false)
  /// A connection is gone.
  case linkClosed(LinkID)
  /// A dial ended without a connection; `refused` when the address refused it: no process listens there.
  case dialFailed(DialID, refused: Bool)
  /// A dial has a TCP connection and goes on with TLS: somebody is there.
  case dialConnected(DialID)
  /// A link can take more bytes.
  case writable(LinkID)
  /// A link accepted all transmitted bytes at once, within the driver's round: no time has passed.
  case taken(LinkID)
  /// A deadline may have passed.
  case tick
  /// The clock that counts suspended time ran ahead of the monotonic one.
  case clockJumped(by: Duration)
  /// Chunks found in the cache, each checked against its hash, and those of a resource written to their places; there may be
  /// several answers to one search.
  case chunksFound(ContentID, [FoundChunk], isLast: Bool)
  /// The result of a ``ChunkCheck``; of a chunk of a resource, once its bytes are written.
  case chunkChecked(ChunkVerdict)
  /// Where this peer listens has changed.
  case addresses([SocketAddress])

  /// Invite the peer that answers at these addresses; with `expecting`, only the peer with that key.
  case invite(InvitationID, [SocketAddress], expecting: PeerID? = nil, context: [UInt8], timeout: Duration)
  /// Withdraw an invitation.
  case cancelInvitation(InvitationID)
  /// The app's one answer to a received invitation.
  case answer(InvitationID, InvitationDecision)
  /// Share a map with one peer, or with all and every later joiner, and import its anchors under their own ids; answers
  /// with the map's id.
  case share(MapPackage, anchors: [Anchor], with: PeerID?)
  /// Stop fetching a map, permanently.
  case cancelMap(MapID)
  /// Offer a resource to these members; answered with its id, or refused while too many are open.
  case offerResource(ResourcePackage, to: [PeerID])
  /// The app's answer to ``ResourceNews/offered(_:)``, or its wish to have an attachment; the driver has a place for the bytes before it accepts.
  case answerResource(ResourceID, accepts: Bool)
  /// End a resource that is offered or fetched, in either direction, for this reason.
  case endResource(ResourceID, ResourceFailure)
  /// Attach a resource to the session; answered with its id, or refused while too many of this node stand.
  case attach(ResourcePackage)
  /// Remove an attachment everywhere; refused unless it is this peer's or ``Node/mayRule``.
  case detach(ResourceID)
  /// A chunk that was read; nil when it cannot be read as it was offered.
  case chunkLoaded(ChunkLoad, StoredChunk?)
  /// This peer knows where it is in the session's map, on this ground, or does so no more (nil).
  case relocalized(PlaceEvidence?)
  /// Send an app's message to these members, or to all; answered with its number, or refused while too many wait.
  case send([UInt8], as: MessageKind = .bytes, mode: MessageMode = .reliable, to: [PeerID]?)
  /// Join a group of members, or leave it; refused while this node is in as many as it may be in.
  case setGroup(String, isIn: Bool)
  /// The app has so many bytes of a member's messages left to read, each counted with ``ProtocolLimits/messageCost``.
  case messagesUnread(Int, from: PeerID)
  /// Hand the host's role over.
  case handover(PeerID)
  /// Ask to be host.
  case requestHost
  /// The app's answer as host to ``NodeEvent/hostRequested(by:)``.
  case answerHostRequest(PeerID, accepts: Bool)
  /// Wait until this peer hosts; it ends with ``NodeEvent/hostAwaited(_:_:)``, perhaps at once.
  case awaitHost(HostWaitID, PeerID, timeout: Duration)
  /// Wait no longer; nothing is told.
  case cancelHostWait(HostWaitID)
  /// Remove a member for the life of the session; refused unless ``Node/mayRule``.
  case kick(PeerID)
  /// Give a peer a role in an owned session, also one that was removed; refused if this node may not.
  ///
  /// After a time that is not nil its admission ends.
  case setRole(SessionRole, of: PeerID, for: Duration? = nil)
  /// Lock the session for newcomers, or unlock it; refused unless ``Node/mayRule``.
  case setLocked(Bool)
  /// Send this device's pose to the others; nil ends that. Refused when the transform is not rigid.
  case updatePose(Transform?)
  /// Begin to drag an anchor; answered with the number of the drag.
  case beginDrag(AnchorID)
  /// Show a dragged anchor at another place.
  case drag(DragID, to: Transform)
  /// End a drag; the pose shown last becomes the anchor's.
  case endDrag(DragID)
  /// Begin a frame of this device's own, or return to the shared one, for all later poses; drags and the device's pose end.
  case beginFrame(isShared: Bool)
  /// Record a measured transform between two frames; refused between a frame and itself. It counts at once unless others caused
  /// it, who may do that often.
  case measure(from: WorldFrame, to: WorldFrame, FrameEstimate, isPrompt: Bool = true)
  /// Receive only these live poses from now on.
  case setInterest(AnchorFilter)
  /// Request a change of an anchor's ownership; ``NodeEvent/ownershipSettled(_:_:)`` has the result.
  case wish(OwnershipRequestID, OwnershipWish, of: AnchorID, timeout: Duration)
  /// Withdraw such a request; no event follows.
  case dropWish(OwnershipRequestID)
  /// The app's answer as owner to ``NodeEvent/ownershipRequested(_:_:by:)``.
  case answerOwnership(OwnershipQuestionID, accepts: Bool)
  /// Edit the anchors at the present session time.
  case edit(AnchorEdit)
  /// Edit the anchors one after the other; the edits before one that is refused stand.
  case edits([AnchorEdit])
  /// Wait until those of a level have applied everything this node has written so far; it ends with
  /// ``NodeEvent/acknowledged(_:_:)``, perhaps at once.
  case awaitAcknowledgement(AcknowledgementID, AcknowledgementLevel, timeout: Duration)
  /// Stop waiting; no event follows.
  case cancelAcknowledgement(AcknowledgementID)
  /// Restore the anchors of an earlier session, before this one has met another peer; the records before a refused one
  /// are applied.
  case restoreAnchors([JournalRecord])
  /// Forget the wrong passcodes of strangers, so that they may try again.
  case unlockPasscode
  /// The user's answer to ``NodeEvent/codeShown(_:_:_:)``: whether the other screen shows the same.
  case answerCode(LinkID, isSame: Bool)
  /// The driver's answer to ``HandshakeNews/began(_:)`` and to each ``HandshakeNews/received(_:)`` of a link.
  case driverStep(LinkID, HandshakeStep)
  /// Say goodbye and end.
  case leave
}
