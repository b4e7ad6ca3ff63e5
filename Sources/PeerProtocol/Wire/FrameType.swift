/// The type of a frame's content.
///
/// A receiver skips numbers that are not listed, so that newer peers may use more.
package enum FrameType: UInt8, Sendable, CaseIterable {
  /// ``Hello``: the peer's identity, versions and capabilities.
  case hello = 1
  /// ``Goodbye``: why the link ends.
  case goodbye = 2
  /// Empty: the sender holds the receiver as a member.
  case admit = 3
  /// Eight bytes that come back in a ``pong``.
  case ping = 4
  /// The eight bytes of a ``ping``.
  case pong = 5
  /// ``RosterEntry`` list.
  case roster = 6
  /// ``BulkOffer``: a second connection, for maps, is wanted.
  case bulk = 7

  /// ``Invite``.
  case invite = 8
  /// ``InviteAnswer``.
  case inviteAnswer = 9
  /// An invitation's number: it is withdrawn.
  case inviteCancel = 10

  /// ``RemovalWitnesses``: signed words of members on who was removed.
  case removalWitnesses = 71

  /// ``SessionRules``.
  case rules = 12

  /// The token of a ``BulkOffer``, first on the connection it speaks of.
  case attach = 11

  /// ``PasscodeShare``: the dialler begins the proof of the passcode.
  case passcodeShare = 13
  /// ``PasscodeAnswer``.
  case passcodeAnswer = 14
  /// ``PasscodeProof``.
  case passcodeProof = 15
  /// ``PasscodeWait``: a wrong passcode was tried before, and the answer comes after so long.
  case passcodeWait = 76

  /// ``CodeCommitment``: the dialler begins a comparison of codes.
  case codeCommitment = 18
  /// ``CodeNonce``: the answer.
  case codeNonce = 19
  /// ``CodeNonce``: the one of the commitment.
  case codeReveal = 20
  /// Empty: the sender's user has confirmed that the codes are the same.
  case codeConfirmed = 21

  /// ``HandshakeFrame``: data between the drivers of two apps, and what each says of the other end.
  case handshake = 70

  /// ``RecognitionKey``: the receiver recognises the sender's advertisement by it.
  case recognition = 22

  /// An election message on its way to one member or to all, under a ``FloodHeader``.
  case election = 16
  /// A ``LinkState``: the links of one member.
  case linkState = 17

  /// A batch of anchor operations.
  case operations = 32
  /// A version vector, a digest and whether an answer is wanted.
  case vector = 33
  /// One part of an anchor snapshot.
  case snapshot = 34

  /// ``KindList``: kinds that were written after their anchors were added.
  case kinds = 68
  /// ``KindComparison``: a digest of all of these.
  case kindDigest = 69

  /// ``EphemeralUpdate`` list: poses, each valid until the next one.
  case ephemeral = 40
  /// ``AcknowledgementFrame``: how much of an author's operations a member has applied.
  case acknowledgement = 41
  /// ``OwnershipFrame``: requests for an anchor, and the replies of its owner and the host.
  case ownership = 42
  /// ``AnchorFilter``: the live poses that the sender wants.
  case interest = 43

  /// ``FrameWord``: which members write in frames of their own, and measurements between frames.
  case frames = 44
  /// ``FrameDigest``: a hash of all that the sender knows of frames.
  case frameDigest = 45

  /// ``UnreliableMessage``.
  case unreliableMessage = 46
  /// ``GroupWord``: the groups that a member is in.
  case groups = 47

  /// ``MapAnnouncement``.
  case mapAnnounce = 48
  /// A map's id and the first hash index wanted.
  case mapManifestRequest = 49
  /// Hashes of a manifest.
  case mapManifest = 50
  /// A map's id and chunk indices.
  case mapRequest = 51
  /// A piece of a chunk.
  case mapPiece = 52
  /// A map's id: the receiver sends nothing more of it.
  case mapCancel = 53
  /// A map's id and a bit for each chunk that the sender has.
  case mapHave = 54
  /// A member's status of the session's map, under a ``FloodHeader``.
  case mapStatus = 55

  /// ``ResourceAnnouncement``.
  case resourceOffer = 56
  /// ``ResourceWord``: how far a resource is at the sender of the frame.
  case resourceWord = 57
  /// ``ResourcePeers``.
  case resourcePeers = 58
  /// A resource's id and the first hash index wanted.
  case resourceManifestRequest = 59
  /// Hashes of a manifest.
  case resourceManifest = 60
  /// A resource's id and chunk indices.
  case resourceRequest = 61
  /// A piece of a chunk.
  case resourcePiece = 62
  /// A resource's id and a bit for each chunk that the sender has.
  case resourceHave = 63

  /// ``MessageHead`` and an app's bytes.
  case message = 64
  /// ``MessageReport``: how far a sender's messages have come.
  case messageReport = 65
  /// ``MessageRoute``, ``MessageHead`` and an app's bytes: a message on its way through members.
  case relayedMessage = 66
  /// ``RelayedReport``.
  case relayedReport = 67

  /// ``Charter``: the owned session that the sender is in.
  case charter = 73
  /// ``StatementsFrame``: signed admissions, removals, raised cuts and locks.
  case statements = 74
  /// ``StatementsDigest``: a hash of all of them that the sender holds.
  case statementsDigest = 75

  /// ``AttachmentWord``: the attachments of one start of a member.
  case attachments = 72
}
