import WorldModel

/// The one table of frames: number and content of each, the organ that takes it, the links on which it is legal, and how
/// large it may be.
///
/// A receiver skips numbers that are not listed, so that newer peers may use more. The table of PROTOCOL.md and
/// `Fixtures/Wire/frames.json` are made of this file by `FrameTableTests`: a mark is the page of the protocol that
/// describes the frames under it, a comment is the content. CONTRIBUTING.md says how a frame is added.
package enum FrameType: UInt8, Sendable, CaseIterable {
  // MARK: Connections

  /// The sender's identity, versions and capabilities; once.
  case hello = 1
  /// Why the link ends; last.
  case goodbye = 2
  /// Empty: the sender holds the receiver as a member.
  case admit = 3
  /// Eight bytes that come back in a pong.
  case ping = 4
  /// The eight bytes of a ping.
  case pong = 5

  // MARK: The passcode

  /// The dialler begins the proof of the passcode.
  case passcodeShare = 13
  /// The share and the tag of the side that was dialled.
  case passcodeAnswer = 14
  /// The tag of the dialler.
  case passcodeProof = 15
  /// When the answer comes, after wrong passcodes.
  case passcodeWait = 76

  // MARK: Codes

  /// The dialler begins a comparison of codes.
  case codeCommitment = 18
  /// The nonce of the side that was dialled.
  case codeNonce = 19
  /// The nonce of the commitment.
  case codeReveal = 20
  /// Empty: the sender's user has confirmed that the codes are the same.
  case codeConfirmed = 21

  // MARK: Drivers

  /// Data between the drivers of two apps, and the verdict of each.
  case handshake = 70

  // MARK: Membership

  /// Records of members.
  case roster = 6
  /// An invitation, with an app's bytes.
  case invite = 8
  /// Whether an invitation is accepted.
  case inviteAnswer = 9
  /// An invitation's number: it is withdrawn.
  case inviteCancel = 10
  /// The lock of the session and its limit of members.
  case rules = 12
  /// Signed statements of members on who was removed.
  case removalWitnesses = 71

  // MARK: Owned sessions

  /// The owned session that the sender is in.
  case charter = 73
  /// Signed admissions, removals, raised cuts and locks.
  case statements = 74
  /// A hash of all statements that the sender holds.
  case statementsDigest = 75

  // MARK: Presence

  /// The links of one member.
  case linkAnnouncement = 17

  // MARK: Election

  /// An election message to one member or to all, under a flood header.
  case election = 16

  // MARK: Anchors

  /// A batch of anchor operations.
  case operations = 32

  // MARK: Synchronization

  /// Part of a version vector with the digest of the anchors.
  case vector = 33
  /// Part of an anchor snapshot.
  case snapshot = 34

  // MARK: Live poses

  /// Poses, each valid until the next one.
  case ephemeral = 40
  /// The live poses that the sender wants.
  case interest = 43

  // MARK: Registers

  /// Words of members on themselves, which all are to know.
  case words = 44
  /// Sums of hashes of the words that the sender knows.
  case wordDigest = 45

  // MARK: Acknowledgements

  /// How much of an author's operations a member has applied.
  case acknowledgement = 41

  // MARK: Ownership

  /// Requests for an anchor, and the replies of its owner and the host.
  case ownership = 42

  // MARK: Messages

  /// A message of an app.
  case message = 64
  /// How far a sender's messages have come.
  case messageReport = 65
  /// A message on its way through members.
  case relayedMessage = 66
  /// A report on its way through members.
  case relayedReport = 67
  /// A message that may be lost, and that a later one replaces.
  case unreliableMessage = 46

  // MARK: Chunks

  /// A second connection, for pieces of chunks, is wanted.
  case bulkOffer = 7
  /// The token of a bulk offer; first and alone on its connection.
  case attach = 11
  /// A content's id and the first chunk whose hash is wanted.
  case manifestRequest = 49
  /// Sizes and hashes of chunks.
  case manifest = 50
  /// A content's id and the chunks that are wanted.
  case chunkRequest = 51
  /// A piece of a chunk.
  case chunkPiece = 52
  /// A content's id and a bit for each chunk that the sender has.
  case chunkHave = 54

  // MARK: Maps

  /// A map that the sender has, whole or in part.
  case mapAnnounce = 48
  /// A map's id: the receiver sends nothing more of it.
  case mapCancel = 53

  // MARK: Resources

  /// A file or bytes that the sender offers.
  case resourceOffer = 56
  /// How far a resource is at the sender of the frame.
  case resourceWord = 57
  /// The members that may have the chunks of a resource.
  case resourcePeers = 58

  // MARK: Discovery

  /// A key by which the receiver recognises the sender's advertisement.
  case recognition = 22
}

extension FrameType {
  /// The receiver of a frame.
  enum Destination {
    case links(Links.Frame)
    case pairing(Pairing.Frame)
    case comparison(Comparison.Frame)
    case handshake
    case membership(Membership.Frame)
    case governance(Governance.Frame)
    case coordination(Coordination.Frame)
    case registers(Registers.Frame)
    case replication(Replication.Frame)
    case poses(LivePoses.Frame)
    case ownership
    case chunks(ChunkFrame)
    case chunkPiece
    case maps(MapExchange.Frame)
    case messages(Messages.Frame)
    case resources(Resources.Frame)
  }

  /// One row of the table.
  struct Rule {
    /// The organ that receives it.
    let destination: Destination
    /// The kinds of links on which it is legal.
    let links: LinkKinds
    /// The largest body (bytes).
    let limit: Int
  }

  /// The row of this type.
  var rule: Rule {
    switch self {
    case .hello: Rule(destination: .links(.hello), links: .greeting, limit: ProtocolLimits.strangerFrame)
    case .attach: Rule(destination: .links(.attach), links: .greeting, limit: BulkOffer.Token.size)
    case .goodbye: Rule(destination: .links(.goodbye), links: .all, limit: ProtocolLimits.strangerFrame)
    case .ping: Rule(destination: .links(.ping), links: .greeted, limit: 8)
    case .pong: Rule(destination: .links(.pong), links: .greeted, limit: 8)
    case .bulkOffer: Rule(destination: .links(.bulk), links: .member, limit: BulkOffer.size)

    case .recognition: Rule(destination: .links(.recognition), links: .member, limit: RecognitionKey.size)

    case .passcodeShare: Rule(destination: .pairing(.share), links: .stranger, limit: PasscodeShare.size)
    case .passcodeAnswer: Rule(destination: .pairing(.answer), links: .stranger, limit: PasscodeAnswer.size)
    case .passcodeProof: Rule(destination: .pairing(.proof), links: .stranger, limit: PasscodeProof.size)
    case .passcodeWait: Rule(destination: .pairing(.wait), links: .stranger, limit: PasscodeWait.size)

    case .codeCommitment:
      Rule(destination: .comparison(.commitment), links: .stranger, limit: CodeCommitment.size)
    case .codeNonce: Rule(destination: .comparison(.nonce), links: .stranger, limit: CodeNonce.size)
    case .codeReveal: Rule(destination: .comparison(.reveal), links: .stranger, limit: CodeNonce.size)
    case .codeConfirmed: Rule(destination: .comparison(.confirmed), links: .stranger, limit: 0)

    case .handshake: Rule(destination: .handshake, links: .stranger, limit: HandshakeFrame.largest)

    case .admit: Rule(destination: .membership(.admit), links: .greeted, limit: 0)
    case .invite: Rule(destination: .membership(.invite), links: .greeted, limit: Invite.largest)
    case .inviteAnswer: Rule(destination: .membership(.inviteAnswer), links: .greeted, limit: InviteAnswer.largest)
    case .inviteCancel: Rule(destination: .membership(.inviteCancel), links: .greeted, limit: 8)
    case .roster: Rule(destination: .membership(.roster), links: .member, limit: ProtocolLimits.memberFrame)
    case .removalWitnesses:
      Rule(destination: .membership(.removalWitnesses), links: .member, limit: RemovalWitnesses.largest)
    case .rules: Rule(destination: .membership(.rules), links: .member, limit: SessionRules.size)

    case .charter: Rule(destination: .governance(.charter), links: .greeted, limit: Charter.largest)
    case .statements: Rule(destination: .governance(.statements), links: .member, limit: ProtocolLimits.memberFrame)
    case .statementsDigest:
      Rule(destination: .governance(.digest), links: .member, limit: StatementsDigest.size)

    case .linkAnnouncement:
      Rule(destination: .coordination(.linkState), links: .member, limit: LinkState.largest)
    case .election: Rule(destination: .coordination(.election), links: .member, limit: ElectionMessage.largestFrame)

    case .words: Rule(destination: .registers(.words), links: .member, limit: ProtocolLimits.memberFrame)
    case .wordDigest: Rule(destination: .registers(.digest), links: .member, limit: WordDigest.size)

    case .operations: Rule(destination: .replication(.operations), links: .member, limit: ProtocolLimits.memberFrame)
    case .vector: Rule(destination: .replication(.vector), links: .member, limit: ProtocolLimits.memberFrame)
    case .snapshot: Rule(destination: .replication(.snapshot), links: .member, limit: ProtocolLimits.memberFrame)
    case .acknowledgement:
      Rule(destination: .replication(.acknowledgement), links: .member, limit: AcknowledgementFrame.size)

    case .ephemeral: Rule(destination: .poses(.poses), links: .member, limit: ProtocolLimits.memberFrame)
    case .interest: Rule(destination: .poses(.interest), links: .member, limit: InterestFrame.largest)
    case .ownership: Rule(destination: .ownership, links: .member, limit: OwnershipFrame.size)

    case .manifestRequest:
      Rule(destination: .chunks(.manifestRequest), links: .member, limit: ManifestRequest.size)
    case .manifest: Rule(destination: .chunks(.manifest), links: .member, limit: ProtocolLimits.memberFrame)
    case .chunkRequest: Rule(destination: .chunks(.request), links: .member, limit: ProtocolLimits.memberFrame)
    case .chunkHave: Rule(destination: .chunks(.have), links: .member, limit: ProtocolLimits.memberFrame)
    case .chunkPiece: Rule(destination: .chunkPiece, links: .chunkBearing, limit: ProtocolLimits.bulkFrame)

    case .mapAnnounce: Rule(destination: .maps(.announce), links: .member, limit: MapAnnouncement.size)
    case .mapCancel: Rule(destination: .maps(.cancel), links: .member, limit: MapCancel.size)

    case .resourceOffer:
      Rule(destination: .resources(.offer), links: .member, limit: ResourceAnnouncement.largest)
    case .resourceWord: Rule(destination: .resources(.word), links: .member, limit: ResourceWord.size)
    case .resourcePeers: Rule(destination: .resources(.peers), links: .member, limit: ResourcePeers.largest)

    case .message:
      Rule(destination: .messages(.message), links: .member, limit: MessageHead.size + ProtocolLimits.message)
    case .messageReport: Rule(destination: .messages(.report), links: .member, limit: MessageReport.size)
    case .relayedMessage:
      Rule(
        destination: .messages(.relayedMessage), links: .member,
        limit: FrameRoute.size + MessageHead.size + ProtocolLimits.message)
    case .relayedReport: Rule(destination: .messages(.relayedReport), links: .member, limit: RelayedReport.size)
    case .unreliableMessage:
      Rule(destination: .messages(.unreliable), links: .member, limit: UnreliableMessage.largest)
    }
  }

  /// The largest body of a frame with this number on a link of this kind; one that is not in the table is skipped, and may
  /// be as large as the kind of link allows.
  static func limit(of number: UInt8, on kind: LinkKind) -> Int {
    min(FrameType(rawValue: number)?.rule.limit ?? kind.frameLimit, kind.frameLimit)
  }
}

/// Kinds of links.
struct LinkKinds: OptionSet {
  let rawValue: UInt8

  static let greeting = Self(.greeting)
  static let stranger = Self(.stranger)
  static let member = Self(.member)
  static let bulk = Self(.bulk)
  /// Links on which both sides have said hello.
  static let greeted: Self = [.stranger, .member]
  /// Links on which pieces of chunks may come.
  static let chunkBearing: Self = [.member, .bulk]
  static let all: Self = [.greeting, .stranger, .member, .bulk]

  init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  init(_ kind: LinkKind) {
    rawValue = 1 << kind.rawValue
  }
}

extension LinkKind {
  /// The largest body of any frame on such a link (bytes).
  var frameLimit: Int {
    switch self {
    case .greeting, .stranger: ProtocolLimits.strangerFrame
    case .member: ProtocolLimits.memberFrame
    case .bulk: ProtocolLimits.bulkFrame
    }
  }
}
