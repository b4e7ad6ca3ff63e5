import WorldModel

/// The one table of frames: which organ takes each, on which links it is legal, and how large it may be.
///
/// To add a frame:
/// 1. give it a number in ``FrameType``, with a line on what it carries;
/// 2. write its struct, its bytes and its largest size in the folder of the organ that it belongs to;
/// 3. add a case to that organ's `Frame`, and to the `receive` that takes it;
/// 4. add its row below; the compiler asks for it;
/// 5. describe it in PROTOCOL.md, add it to the samples of `FrameTests` and to the fuzzer's seeds.
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
    case replication(Replication.Frame)
    case poses(LivePoses.Frame)
    case ownership
    case frames(FrameAlignment.Frame)
    case maps(MapExchange.Frame)
    case mapPiece
    case messages(Messages.Frame)
    case resources(Resources.Frame)
    case resourcePiece
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
    case .bulk: Rule(destination: .links(.bulk), links: .member, limit: BulkOffer.size)

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

    case .linkState: Rule(destination: .coordination(.linkState), links: .member, limit: LinkState.largest)
    case .election: Rule(destination: .coordination(.election), links: .member, limit: ElectionMessage.largestFrame)
    case .mapStatus: Rule(destination: .coordination(.mapStatus), links: .member, limit: MapStatus.largestFrame)

    case .operations: Rule(destination: .replication(.operations), links: .member, limit: ProtocolLimits.memberFrame)
    case .vector: Rule(destination: .replication(.vector), links: .member, limit: ProtocolLimits.memberFrame)
    case .snapshot: Rule(destination: .replication(.snapshot), links: .member, limit: ProtocolLimits.memberFrame)
    case .acknowledgement:
      Rule(destination: .replication(.acknowledgement), links: .member, limit: AcknowledgementFrame.size)

    case .kinds: Rule(destination: .replication(.kinds), links: .member, limit: ProtocolLimits.memberFrame)
    case .kindDigest: Rule(destination: .replication(.kindDigest), links: .member, limit: KindComparison.size)

    case .ephemeral: Rule(destination: .poses(.poses), links: .member, limit: ProtocolLimits.memberFrame)
    case .interest: Rule(destination: .poses(.interest), links: .member, limit: InterestFrame.largest)
    case .ownership: Rule(destination: .ownership, links: .member, limit: OwnershipFrame.size)

    case .frames: Rule(destination: .frames(.word), links: .member, limit: FrameWord.largest)
    case .frameDigest: Rule(destination: .frames(.digest), links: .member, limit: FrameDigest.size)

    case .mapAnnounce: Rule(destination: .maps(.announce), links: .member, limit: MapAnnouncement.size)
    case .mapManifestRequest: Rule(destination: .maps(.manifestRequest), links: .member, limit: ManifestRequest.size)
    case .mapManifest: Rule(destination: .maps(.manifest), links: .member, limit: ProtocolLimits.memberFrame)
    case .mapRequest: Rule(destination: .maps(.request), links: .member, limit: ProtocolLimits.memberFrame)
    case .mapCancel: Rule(destination: .maps(.cancel), links: .member, limit: ContentCancel.size)
    case .mapHave: Rule(destination: .maps(.have), links: .member, limit: ProtocolLimits.memberFrame)
    case .mapPiece: Rule(destination: .mapPiece, links: .chunkBearing, limit: ProtocolLimits.bulkFrame)

    case .resourceOffer:
      Rule(destination: .resources(.offer), links: .member, limit: ResourceAnnouncement.largest)
    case .resourceWord: Rule(destination: .resources(.word), links: .member, limit: ResourceWord.size)
    case .resourcePeers: Rule(destination: .resources(.peers), links: .member, limit: ResourcePeers.largest)
    case .resourceManifestRequest:
      Rule(destination: .resources(.manifestRequest), links: .member, limit: ManifestRequest.size)
    case .resourceManifest:
      Rule(destination: .resources(.manifest), links: .member, limit: ProtocolLimits.memberFrame)
    case .resourceRequest: Rule(destination: .resources(.request), links: .member, limit: ProtocolLimits.memberFrame)
    case .resourcePiece: Rule(destination: .resourcePiece, links: .chunkBearing, limit: ProtocolLimits.bulkFrame)
    case .attachments: Rule(destination: .resources(.attachments), links: .member, limit: AttachmentWord.largest)
    case .resourceHave: Rule(destination: .resources(.have), links: .member, limit: ProtocolLimits.memberFrame)

    case .message:
      Rule(destination: .messages(.message), links: .member, limit: MessageHead.size + ProtocolLimits.message)
    case .messageReport: Rule(destination: .messages(.report), links: .member, limit: MessageReport.size)
    case .relayedMessage:
      Rule(
        destination: .messages(.relayedMessage), links: .member,
        limit: MessageRoute.size + MessageHead.size + ProtocolLimits.message)
    case .relayedReport: Rule(destination: .messages(.relayedReport), links: .member, limit: RelayedReport.size)
    case .unreliableMessage:
      Rule(destination: .messages(.unreliable), links: .member, limit: UnreliableMessage.largest)
    case .groups: Rule(destination: .messages(.groups), links: .member, limit: GroupWord.largest)
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
