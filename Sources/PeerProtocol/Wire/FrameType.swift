/// What a frame carries.
///
/// A number that is not listed is skipped, so that newer peers may say more.
package enum FrameType: UInt8, Sendable, CaseIterable {
  /// ``Hello``: who speaks and which versions.
  case hello = 1
  /// ``Goodbye``: why the link ends.
  case goodbye = 2
  /// Empty: "I hold you as a member".
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

  /// ``SessionRules``.
  case rules = 12

  /// The token of a ``BulkOffer``, first on the connection it speaks of.
  case attach = 11

  /// An election message on its way to one member or to all, under a ``FloodHeader``.
  case election = 16
  /// A ``LinkState``: whom one member is linked to.
  case linkState = 17

  /// A batch of anchor operations.
  case operations = 32
  /// A version vector, a digest and whether an answer is wanted.
  case vector = 33
  /// One part of an anchor snapshot.
  case snapshot = 34

  /// ``EphemeralUpdate`` list: poses that count until the next one.
  case ephemeral = 40
  /// ``AcknowledgementFrame``: how much of an author's operations a member has applied.
  case acknowledgement = 41
  /// ``OwnershipFrame``: who asks for an anchor, and what its owner and the host say.
  case ownership = 42
  /// ``AnchorFilter``: of which live poses the sender wants to hear.
  case interest = 43

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
  /// A map's id: send nothing more of it.
  case mapCancel = 53
  /// A map's id and a bit for each chunk that the sender has.
  case mapHave = 54
  /// How far a member has come with the session's map, under a ``FloodHeader``.
  case mapStatus = 55

  /// An app's reliable message.
  case message = 64
}
