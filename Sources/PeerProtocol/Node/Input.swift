package import AnchorReplication
package import Basics
package import WorldModel

/// What happened outside the node.
///
/// Received bytes come through ``Node/receive(_:on:at:)``, because they are borrowed.
package enum Input: Sendable {
  /// A TLS connection is up; `peer` is read from its certificate. `dial` is nil when the other side dialled.
  case linkOpened(LinkID, peer: PeerID, dial: DialID?, remote: SocketAddress)
  /// A connection is gone.
  case linkClosed(LinkID)
  /// A dial ended without a connection; `refused` when the address answered that nobody listens there.
  case dialFailed(DialID, refused: Bool)
  /// A dial has a TCP connection and goes on with TLS: somebody is there.
  case dialConnected(DialID)
  /// A link can take more bytes.
  case writable(LinkID)
  /// A link has taken all that was transmitted at once, while the driver goes on: no time has passed.
  case taken(LinkID)
  /// A deadline may have passed.
  case tick
  /// The clock that counts suspended time ran ahead of the monotonic one.
  case clockJumped(by: Duration)
  /// Chunks of a map that the cache had, each proven anew; there may be several answers to one search.
  case chunksFound(MapID, [FoundChunk], isLast: Bool)
  /// What a ``ChunkCheck`` found.
  case chunkChecked(ChunkVerdict)
  /// Where this peer listens has changed.
  case addresses([SocketAddress])

  /// Invite whoever answers at these addresses.
  case invite(InvitationID, [SocketAddress], context: [UInt8], timeout: Duration)
  /// Withdraw an invitation.
  case cancelInvitation(InvitationID)
  /// The app's one answer to a received invitation.
  case answer(InvitationID, InvitationDecision)
  /// Share a map with one peer, or with all and every later joiner, and bring in its anchors under their own ids; answered
  /// with the map's id.
  case share(MapPackage, anchors: [Anchor], with: PeerID?)
  /// Stop fetching a map, for good.
  case cancelMap(MapID)
  /// The app has found where it is in the session's map, or has lost it.
  case relocalised(Bool)
  /// Send an app's message to these members, or to all.
  case send([UInt8], to: [PeerID]?)
  /// Hand the host's role over.
  case handover(PeerID)
  /// Ask to be host.
  case requestHost
  /// Wait until this peer hosts; it ends with ``NodeEvent/hostAwaited(_:isHost:)``, perhaps at once.
  case awaitHost(HostWaitID, PeerID, timeout: Duration)
  /// Wait no longer; nothing is told.
  case cancelHostWait(HostWaitID)
  /// Remove a member for the life of the session; refused unless ``Node/mayRule``.
  case kick(PeerID)
  /// Turn newcomers away from now on, or no longer; refused unless ``Node/mayRule``.
  case setLocked(Bool)
  /// Tell the others where this peer's device is; nil for no more. Refused when the transform is not rigid.
  case updatePose(Transform?)
  /// Begin to drag an anchor; answered with the number of the drag.
  case beginDrag(AnchorID)
  /// Show a dragged anchor at another place.
  case drag(DragID, to: Transform)
  /// End a drag; the pose shown last becomes the anchor's.
  case endDrag(DragID)
  /// Want to hear of these live poses alone from now on.
  case setInterest(AnchorFilter)
  /// Set out to fulfil a wish about an anchor's ownership; ``NodeEvent/ownershipSettled(_:_:)`` tells what becomes of it.
  case wish(OwnershipRequestID, OwnershipWish, of: AnchorID, timeout: Duration)
  /// Give a wish up; nothing is told.
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
  /// Wait no longer; nothing is told.
  case cancelAcknowledgement(AcknowledgementID)
  /// Take over the anchors of an earlier session, before this one has met anybody; the records before one that is refused
  /// have been taken.
  case restoreAnchors([JournalRecord])
  /// Say goodbye and end.
  case leave
}
