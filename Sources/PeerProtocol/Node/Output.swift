package import AnchorReplication
package import Basics
package import WorldModel

/// What the driver must do.
///
/// It drains ``Node/nextOutput()`` to nil after every input.
package enum Output: Sendable {
  /// Dial an address; the answer is ``Input/linkOpened(_:peer:dial:remote:)`` or ``Input/dialFailed(_:refused:)``.
  case connect(DialID, SocketAddress)
  /// Send bytes on a link, in order.
  case transmit(LinkID, [UInt8])
  /// Close a link once everything transmitted has left.
  case close(LinkID)
  /// A link that the other side opened has greeted properly: it no longer counts against the limits for strangers.
  case admitted(LinkID)
  /// Run a check beside the loop and answer it with ``Input/chunkChecked(_:)``.
  case check(ChunkCheck)
  /// Look for chunks in the cache and answer with ``Input/chunksFound(_:_:isLast:)``.
  case find(ChunkSearch)
  /// Keep a proven chunk in the cache, under the hash of its raw bytes.
  case keep(SHA256Digest, StoredChunk)
  /// Keep this record in place of the one before, in one step; only if ``NodeConfiguration/keepsRecord`` says so.
  ///
  /// It is given out when what it holds has changed, at most once a turn, and nothing waits for it to be on the disk.
  case persist(NodeRecord)
  /// Tell the app.
  case event(NodeEvent)
}

/// What the app is told.
package enum NodeEvent: Sendable {
  /// A peer said hello: `instance` is the name it advertises under, perhaps empty.
  case peerIdentified(PeerID, name: String, instance: String)
  /// Somebody invites this peer; answer with ``Input/answer(_:_:)``.
  case invitationReceived(InvitationID, from: PeerID, name: String, context: [UInt8])
  /// A received invitation needs no answer any more.
  case invitationWithdrawn(PeerID)
  /// An invitation this peer sent has ended.
  case invitationEnded(InvitationID, InvitationResult)

  /// A member can be reached.
  case peerJoined(PeerID, name: String)
  /// A member's link broke and is being dialled again.
  case peerReconnecting(PeerID)
  /// A member is gone: it left, was removed, or could not be reached for too long.
  case peerLeft(PeerID, name: String, reason: EndReason)
  /// Another peer hosts.
  case hostChanged(from: NodeID?, to: NodeID?, epoch: UInt64, reason: HostChangeReason)

  /// A wait for a host has ended: the peer hosts, or time is up.
  case hostAwaited(HostWaitID, isHost: Bool)

  /// The session was locked or opened, or its limit is another one.
  case rulesChanged(SessionRules)

  /// Anchors changed.
  case anchors([AnchorChange])
  /// A member moved its device or an anchor it drags, or, without a pose, does so no more.
  case ephemeral(EphemeralUpdate)
  /// A wait for acknowledgement has ended.
  case acknowledged(AcknowledgementID, AcknowledgementResult)
  /// A wish of the app about ownership was met, or not.
  case ownershipSettled(OwnershipRequestID, OwnershipResult)
  /// A member wants to have an anchor that this one owns; answer with ``Input/answerOwnership(_:accepts:)``.
  case ownershipRequested(OwnershipQuestionID, AnchorID, by: PeerID)
  /// Two members held different anchors under equal vectors; a full merge was started.
  case divergence(PeerID)

  /// More of a map is verified.
  case mapProgress(MapProgress)
  /// A map is complete and verified.
  case mapReceived(MapID, from: PeerID, provider: PeerID, MapPackage)
  /// A source sent a chunk that does not match; it is not asked again.
  case mapSourceRefused(MapID, PeerID, ChunkFailure)
  /// A map was not taken, because the session's rule does not let its provider share one.
  case mapRefused(MapID, provider: PeerID)
  /// All is here that the linked members had when their links came up: operations, giving this digest, and the map.
  case synchronised(SHA256Digest)
  /// A member has come further with the session's map.
  case mapStatusChanged(PeerID, MapStatus)

  /// A member's message.
  case message([UInt8], from: PeerID)
  /// This peer's part in the session is over.
  case ended(EndReason)
}
