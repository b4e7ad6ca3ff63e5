package import AnchorReplication
package import Authentication
package import Basics
package import WorldModel

/// An order for the driver.
///
/// It drains ``Node/nextOutput()`` to nil after every input.
package enum Output: Sendable {
  /// Dial an address; the answer is ``Input/linkOpened(_:peer:dial:remote:)`` or ``Input/dialFailed(_:refused:)``.
  case connect(DialID, SocketAddress)
  /// Send bytes on a link, in order.
  case transmit(LinkID, [UInt8])
  /// Close a link once everything transmitted has left.
  case close(LinkID)
  /// The peer of an accepted link has said a valid hello: the link no longer counts against the limits for strangers.
  case admitted(LinkID)
  /// Run a check beside the loop and answer it with ``Input/chunkChecked(_:)``; a chunk of a resource is written to its place
  /// before.
  case check(ChunkCheck)
  /// Read a chunk of a resource that this node offered or received, and answer with ``Input/chunkLoaded(_:_:)``.
  case load(ChunkLoad)
  /// Look up chunks in the cache and answer with ``Input/chunksFound(_:_:isLast:)``.
  case find(ChunkSearch)
  /// Store a verified chunk in the cache, under the hash of its raw bytes.
  case keep(SHA256Digest, StoredChunk)
  /// Replace the stored record by this one, atomically; emitted only if ``NodeConfiguration/keepsRecord`` is set.
  ///
  /// It is emitted when the record has changed, at most once a turn; no message waits for the disk.
  case persist(NodeRecord)
  /// Pass an event to the app.
  case event(NodeEvent)
}

/// A message as its sender has numbered it.
package struct NumberedMessage: Sendable {
  package let number: MessageID
  package let bytes: [UInt8]
}

/// An event for the app.
package enum NodeEvent: Sendable {
  /// A peer said hello, and calls itself so.
  case peerIdentified(PeerID, name: String)
  /// A member tells by which key its advertisement can be recognised.
  case recognitionKey(RecognitionKey, of: PeerID)
  /// Two processes run with this peer's identity, which may be our own.
  case identityInUse(PeerID)
  /// A peer invites this one; answer with ``Input/answer(_:_:)``.
  case invitationReceived(InvitationID, from: PeerID, name: String, context: [UInt8])
  /// A received invitation has ended and needs no answer.
  case invitationWithdrawn(InvitationID, of: PeerID)
  /// The peer with this key has answered at the addresses of an invitation of ours, and is sent it.
  case invitationReached(InvitationID, PeerID)
  /// An invitation this peer sent has ended.
  case invitationEnded(InvitationID, InvitationResult)

  /// A stranger at an address had a wrong passcode; so many more lock the room.
  case passcodeWrong(PeerID, at: SocketAddress.Host, left: Int)
  /// So many wrong passcodes were tried that no stranger may try any more, until ``Input/unlockPasscode``.
  case passcodeLocked
  /// Two people are to compare this code, for a connection to this peer; answer with ``Input/answerCode(_:isSame:)``.
  case codeShown(LinkID, PeerID, ComparisonCode)
  /// A comparison has ended; an answer has no effect any more.
  case codeEnded(LinkID, PeerID, isConfirmed: Bool)
  /// News for the driver of a link.
  indirect case handshake(LinkID, HandshakeNews)
  /// A peer that has dialled, or a member, was not authenticated, or has no driver; it is told once for each key until it is
  /// authenticated.
  case unauthenticated(PeerID, EndReason)
  /// A member can be reached.
  case peerJoined(PeerID, name: String)
  /// A member's link broke and is being dialled again.
  case peerReconnecting(PeerID)
  /// A member that was told of as reconnecting can be reached again.
  case peerReconnected(PeerID)
  /// A member is gone: it left, was removed, or could not be reached for too long.
  case peerLeft(PeerID, name: String, reason: EndReason)
  /// Another peer hosts.
  case hostChanged(from: NodeID?, to: NodeID?, epoch: UInt64, reason: HostChangeReason)

  /// A wait for a host has ended.
  case hostAwaited(HostWaitID, HostWaitResult)
  /// A member asks this peer, which hosts, to hand over; answer with ``Input/answerHostRequest(_:accepts:)``.
  case hostRequested(by: PeerID)

  /// The session was locked or unlocked, or its limit changed.
  case rulesChanged(SessionRules)

  /// A peer has another role in the owned session, or is out of it.
  case roleChanged(PeerID, SessionRole?)

  /// Anchors changed.
  case anchors([SetChange])
  /// A member moved its device or an anchor it drags; without a pose, that has ended.
  case ephemeral(EphemeralUpdate)
  /// A member's frame lies elsewhere in this peer's than before, or is not aligned any more.
  case alignmentChanged(PeerID, PeerAlignment)
  /// A wait for acknowledgement has ended.
  case acknowledged(AcknowledgementID, AcknowledgementResult)
  /// An ownership request of the app has ended.
  case ownershipSettled(OwnershipRequestID, OwnershipResult)
  /// A member requests an anchor that this peer owns; answer with ``Input/answerOwnership(_:accepts:)``.
  case ownershipRequested(OwnershipQuestionID, AnchorID, by: PeerID)
  /// Two members held different anchors under equal vectors; a full merge was started.
  case divergence(PeerID)

  /// More of a map is verified.
  case mapProgress(MapAdvance)
  /// A map is complete and verified.
  case mapReceived(MapID, from: PeerID, provider: PeerID, MapPackage)
  /// A source sent a chunk that does not match its hash; the source is not asked again.
  case mapSourceRefused(MapID, PeerID, ChunkFailure)
  /// An announced map is not fetched.
  case mapRefused(MapID, provider: PeerID, MapRefusal)
  /// This node has everything its linked members had when they connected: operations, with this digest, and the map.
  case synchronized(SHA256Digest)
  /// A member's status of the session's map has changed.
  case mapStatusChanged(PeerID, MapStatus)

  /// News of resources.
  case resource(ResourceNews)
  /// Messages of a member, in order.
  case messages(MessageRun, from: PeerID)
  /// Messages of a member for the layer that encodes objects, in order; `from` is the start of the sender that numbered them.
  case envelopes([NumberedMessage], from: NodeID)
  /// A member's unreliable message under a key, newer than all of that key that came before.
  case unreliable([UInt8], MessageKind, key: String, from: NodeID)
  /// A member is in these groups now.
  case groupsChanged(PeerID, [String])
  /// Messages of this node are not known to have reached a receiver, and are not sent to it any more.
  case messagesFailed(UndeliveredMessages)
  /// A part of a member's streams, or a word about one; `from` is the start of the sender that numbered it.
  case stream([UInt8], MessageID, from: NodeID)
  /// The chain of streams to this start of a receiver has ended, and with it every stream of the two; messages that are named
  /// are not known to have arrived.
  case streamsFailed(UndeliveredMessages, of: NodeID)
  /// A message that was refused with ``Refusal/messagesWait`` may be accepted now.
  case messageRoom
  /// This peer's part in the session is over.
  case ended(EndReason)
}
