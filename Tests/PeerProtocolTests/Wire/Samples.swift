import AnchorReplication
import Authentication
import Basics
@testable import PeerProtocol
import Testing
import WorldModel

/// Values of every kind that travels, the same in every run.
///
/// `Fixtures/Wire/frames.py` makes the bytes of the same values from the pages of the protocol.
enum Sample {
  static let alice = PeerID(SHA256Digest(hashing: Array("alice".utf8)))
  static let bob = PeerID(SHA256Digest(hashing: Array("bob".utf8)))
  static let map = MapID(SHA256Digest(hashing: Array("map".utf8)))
  static let addresses = [SocketAddress("192.0.2.7:4000"), SocketAddress("[2001:db8::7]:4001")].compactMap { $0 }

  static let hello = Hello(
    versions: 1...3, capabilities: .current, peerID: alice, incarnation: 0x0123_4567_89ab_cdef, service: "sharedworld",
    name: "Küche", instance: "sw-1", addresses: addresses)
  static let entry = RosterEntry(
    peerID: bob, version: 7, status: .left, incarnation: 42, name: "bob",
    addresses: addresses)
  static let announcement = MapAnnouncement(
    id: map, epoch: 3, revision: 5, size: 1_000_000, chunks: 9, provider: bob, isPrivate: true,
    isPartial: true)
  static let piece = ChunkPiece(content: map.content, chunk: 3, codec: .zstd, storedSize: 9, offset: 4)
  static let resource = ContentID(.resource, SHA256Digest(hashing: Array("resource".utf8)))
  static let offer = ResourceAnnouncement(
    head: ContentHead(id: resource, epoch: 0x0123_4567_89ab_cdef, revision: 5, size: 332_144, chunks: 2),
    name: "../skizze ü.txt")
  static let emptyOffer = ResourceAnnouncement(
    head: ContentManifest(.resource, epoch: 0x0123_4567_89ab_cdef, revision: 6, names: []).head, name: "none")
  static let attachments = [
    AttachmentFact(head: offer.head, name: "plan.txt"), AttachmentFact(head: emptyOffer.head, name: "none"),
  ]
  static let resourcePiece = ChunkPiece(content: resource, chunk: 3, codec: .zstd, storedSize: 9, offset: 4)
  static let token = BulkOffer.Token(high: 0x1122_3344_5566_7788, low: 0x99aa_bbcc_ddee_ff00)
  static let recognitionKey = RecognitionKey(
    [0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0x00, 0xff, 0xee, 0xdd, 0xcc, 0xbb, 0xaa, 0x99])
  static let share = SHA256Digest(hashing: Array("share".utf8)).bytes
  static let tag = share + SHA256Digest(hashing: Array("tag".utf8)).bytes
  static let witnesses = RemovalWitnesses(
    [alice, bob].map {
      RemovalWitness(key: key("moderator"), subject: $0, incarnation: 0x0123_4567_89ab_cdef, signature: tag)
    })
  static let rules = {
    var rules = SessionRules(limit: 8)
    rules.setLocked(true)
    rules.change { _ in }
    return rules
  }()
  static let statements = {
    let (creator, moderator) = (key("creator"), key("moderator"))
    let removal = SHA256Digest(hashing: Array("removal".utf8))
    let cuts = [(UInt64(7), UInt64(10)), (0x0123_4567_89ab_cdef, 1000)].map {
      Statement.Cut(incarnation: $0.0, sequence: $0.1)
    }
    return [
      Statement(key: creator, .admission, of: alice, serial: 1, role: .moderator, signature: tag),
      Statement(key: moderator, .removal, of: bob, serial: 2, cuts: cuts, signature: tag),
      Statement(key: creator, .admission, of: bob, serial: 3, naming: [removal], signature: tag),
      Statement(
        key: moderator, .raise, of: bob, serial: 0, naming: [removal],
        cuts: [Statement.Cut(incarnation: 7, sequence: 12)], signature: tag),
      Statement(key: creator, .lock, serial: 4, signature: tag),
      Statement(key: creator, .unlock, serial: 5, signature: tag),
      Statement(
        key: moderator, .admission, of: bob, serial: 6, role: .guest, naming: [removal],
        cuts: [Statement.Cut(incarnation: 7, sequence: 12)], signature: tag),
      Statement(
        key: moderator, .admission, of: alice, serial: 7, role: .publisher, until: 1_800_000_000_000, signature: tag),
    ]
  }()
  static let genesis = Genesis(creator: key("creator"), limit: 16, nonce: Array(0..<16))
  static let curated = Genesis(creator: key("creator"), limit: 16, isCurated: true, nonce: Array(0..<16))
  private static func key(_ name: String) -> [UInt8] { SHA256Digest(hashing: Array(name.utf8)).bytes }
  static let manifest = ManifestPart(content: map.content, first: 0, names: names)
  static let names = [(262_144, 1), (70_000, 2)].map { ChunkName(size: $0.0, hash: SHA256Digest(hashing: [$0.1])) }
  static let have = {
    var set = ChunkSet(capacity: 12)
    for chunk in [0, 3, 9, 11] { set.insert(chunk) }
    return set
  }()
  static let flood = FloodHeader(
    origin: NodeID(peer: alice, incarnation: 42), nonce: 7, linkVersion: 3, destination: nil)
  static let status = MapStatus(map: map, stage: .transferring(percent: 37))
  static let node = NodeID(peer: alice, incarnation: 0x0123_4567_89ab_cdef)
  static let drag = EphemeralUpdate(
    origin: node, subject: .anchor(AnchorID(high: 0x0011_2233_4455_6677, low: 0x8899_aabb_ccdd_eeff)), sequence: 9,
    sessionTime: 12_345, pose: Pose(Transform(translation: [1, 2, -3])))
  static let filter = AnchorFilter(
    namePrefix: "lä", creator: bob, owner: alice, kind: .participant, region: .init(center: [1, 2, -3], radius: 4))
  static let interest = InterestFrame(node: node, version: 3, filter: filter)
  static let declarations = [
    FrameDeclaration(number: 1, isShared: false, clock: 70_000, sequence: 9, sessionTime: 1_000),
    FrameDeclaration(number: 2, isShared: true, clock: 80_000, sequence: 12, sessionTime: 2_000),
  ]
  static let measurement = FrameMeasurement(
    key: FrameMeasurement.Key(
      source: WorldFrame(owner: node.actor, number: 1), target: .shared, observer: node.actor),
    version: 3, sessionTime: 1_500, estimate: estimate)
  private static let estimate = FrameEstimate(
    pose: Pose(Transform(translation: [1, 2, -3]))!, center: [4, 5, 6], covariance: (0..<21).map { Float($0) / 64 },
    residual: 0.25, observations: 7)
  static let acknowledgement = {
    var frame = AcknowledgementFrame(
      kind: .answer, from: node, to: NodeID(peer: bob, incarnation: 42), sequence: 1000)
    frame.route.hops = 2
    return frame
  }()
  static let message = MessageHead(chain: 2, previous: 7, number: 9)
  static let envelope = MessageHead(chain: 2, previous: 7, number: 9, kind: .envelope)
  static func report(_ kind: MessageReport.Kind) -> MessageReport {
    var report = MessageReport(kind)
    (report.chain, report.last, report.window) = (2, 9, 1_000_000)
    return report
  }
  static let route = {
    var route = FrameRoute(from: node, to: NodeID(peer: bob, incarnation: 42))
    route.hops = 1
    return route
  }()
  static let relayedReport = {
    var frame = RelayedReport(report(.answer), from: NodeID(peer: bob, incarnation: 42), to: node)
    frame.route.hops = 1
    return frame
  }()
  static let ownership = {
    let receiver = NodeID(peer: bob, incarnation: 42)
    let anchor = AnchorID(high: 0x0011_2233_4455_6677, low: 0x8899_aabb_ccdd_eeff)
    var frame = OwnershipFrame(kind: .question, from: node, to: receiver, anchor: anchor, number: 7, subject: alice)
    (frame.route.hops, frame.lease, frame.wait) = (1, 60_000, 10_000)
    return frame
  }()
}

/// One kind of frame: a value, how it is written, and whether bytes say the same.
struct FrameCase: Sendable, CustomTestStringConvertible {
  let name: String
  let type: FrameType
  let write: @Sendable (inout ByteWriter) -> Void
  /// Whether a whole body says what the value says; throws when it is refused.
  let means: @Sendable ([UInt8]) throws -> Bool
  /// What a body says, written again; throws when it is refused.
  let rewrite: @Sendable ([UInt8]) throws -> [UInt8]
  /// Whether a shorter body is always an error: not so for frames that end with as many bytes or elements as there are.
  let hasFixedEnd: Bool

  var testDescription: String { name }

  var body: [UInt8] {
    var writer = ByteWriter()
    write(&writer)
    return writer.bytes
  }

  init<Value: FrameBody & Equatable & Sendable>(
    _ name: String, _ type: FrameType, _ value: Value, isOpen: Bool = false,
    _ write: @escaping @Sendable (Value, inout ByteWriter) -> Void
  ) {
    self.name = name
    self.type = type
    self.write = { write(value, &$0) }
    means = { try Value(body: $0.span.bytes) == value }
    rewrite = { bytes in
      var writer = ByteWriter()
      write(try Value(body: bytes.span.bytes), &writer)
      return writer.bytes
    }
    hasFixedEnd = !isOpen
  }

  init(words name: String, _ words: SpreadWord...) {
    self.init("words-\(name)", .words, Words(words: words), isOpen: true) { frame, writer in
      for word in frame.words { word.write(to: &writer) }
    }
  }

  static let all: [FrameCase] = [
    FrameCase("hello", .hello, Sample.hello) { $0.write(to: &$1) },
    FrameCase("goodbye", .goodbye, Goodbye(.kicked, versions: 1...2)) { $0.write(to: &$1) },
    FrameCase("admit", .admit, Nothing()) { _, _ in },
    FrameCase("ping", .ping, 0x1122_3344_5566_7788 as UInt64) { $1.write($0) },
    FrameCase("pong", .pong, 0x1122_3344_5566_7788 as UInt64) { $1.write($0) },
    FrameCase("roster", .roster, RosterFrame([Sample.entry])) { frame, writer in
      writer.writeVarint(UInt64(frame.entries.count))
      for entry in frame.entries { entry.write(to: &writer) }
    },
    FrameCase("removal-witnesses", .removalWitnesses, Sample.witnesses) { $0.write(to: &$1) },
    FrameCase("rules", .rules, Sample.rules) { $0.write(to: &$1) },
    FrameCase("invite", .invite, Invite(number: 77, wait: 30_000, context: [9, 8, 7])) { $0.write(to: &$1) },
    FrameCase("invite-accept", .inviteAnswer, InviteAnswer(number: 77, decision: .accept)) { $0.write(to: &$1) },
    FrameCase("invite-decline", .inviteAnswer, InviteAnswer(number: 77, decision: .decline(reason: "not now"))) {
      $0.write(to: &$1)
    },
    FrameCase("invite-busy", .inviteAnswer, InviteAnswer(number: 77, decision: .busy)) { $0.write(to: &$1) },
    FrameCase("invite-cancel", .inviteCancel, 77 as UInt64) { $1.write($0) },
    FrameCase("passcode-share", .passcodeShare, PasscodeShare(Sample.share)) { $0.write(to: &$1) },
    FrameCase(
      "passcode-answer", .passcodeAnswer,
      PasscodeAnswer(PasscodeExchange.Answer(share: Sample.share, tag: Sample.tag))
    ) { $0.write(to: &$1) },
    FrameCase("passcode-proof", .passcodeProof, PasscodeProof(Sample.tag)) { $0.write(to: &$1) },
    FrameCase("passcode-wait", .passcodeWait, PasscodeWait(.milliseconds(1500))) { $0.write(to: &$1) },
    FrameCase("code-commitment", .codeCommitment, CodeCommitment(Sample.share)) { $0.write(to: &$1) },
    FrameCase("code-nonce", .codeNonce, CodeNonce(Sample.share)) { $0.write(to: &$1) },
    FrameCase("code-reveal", .codeReveal, CodeNonce(Sample.share)) { $0.write(to: &$1) },
    FrameCase("code-confirmed", .codeConfirmed, Nothing()) { _, _ in },
    FrameCase("handshake-data", .handshake, HandshakeFrame.data([9, 8, 7])) { $0.write(to: &$1) },
    FrameCase("handshake-authenticated", .handshake, HandshakeFrame.authenticated) { $0.write(to: &$1) },
    FrameCase("handshake-failed", .handshake, HandshakeFrame.failed(reason: "ticket expired")) { $0.write(to: &$1) },
    FrameCase("bulk", .bulkOffer, BulkOffer(token: Sample.token, receiverDials: true)) { $0.write(to: &$1) },
    FrameCase("attach", .attach, Sample.token) { $0.write(to: &$1) },
    FrameCase("recognition", .recognition, Sample.recognitionKey) { $0.write(to: &$1) },
    FrameCase("charter", .charter, Charter(Sample.genesis, [Sample.statements[0], Sample.statements[2]])) {
      $0.write(to: &$1)
    },
    FrameCase("charter-curated", .charter, Charter(Sample.curated, [])) { $0.write(to: &$1) },
    FrameCase("statements", .statements, StatementsFrame(Sample.statements)) { $0.write(to: &$1) },
    FrameCase("statements-digest", .statementsDigest, StatementsDigest(SHA256Digest(hashing: Array("share".utf8)))) {
      $0.write(to: &$1)
    },
    FrameCase("ephemeral", .ephemeral, Poses(updates: [Sample.drag])) { frame, writer in
      for update in frame.updates { update.write(to: &writer) }
    },
    FrameCase("acknowledgement", .acknowledgement, Sample.acknowledgement) { $0.write(to: &$1) },
    FrameCase("interest", .interest, Sample.interest) { $0.write(to: &$1) },
    FrameCase("ownership", .ownership, Sample.ownership) { $0.write(to: &$1) },
    FrameCase(words: "groups", SpreadWord(grouping: ["zeichnen", "ä", "a"], by: Sample.node, version: 3)),
    FrameCase(words: "map-status", SpreadWord(Sample.status, by: Sample.node, version: 4)),
    FrameCase(words: "declarations", SpreadWord(declaring: Sample.declarations, by: Sample.node, version: 2)),
    FrameCase(words: "measurements", SpreadWord(measuring: Sample.measurement, by: Sample.node)),
    FrameCase(words: "attachments", SpreadWord(attaching: Sample.attachments, by: Sample.node, version: 9)),
    FrameCase(
      words: "removals", SpreadWord(removing: 5, of: Sample.node, by: NodeID(peer: Sample.bob, incarnation: 42))),
    FrameCase(
      words: "two", SpreadWord(.groups, by: Sample.node, version: 1 << 62, body: []),
      SpreadWord(grouping: ["a"], by: NodeID(peer: Sample.bob, incarnation: 42))),
    FrameCase("word-digest", .wordDigest, WordDigest(sums: (0..<8).map { $0 << 56 | $0 })) { $0.write(to: &$1) },
    FrameCase("map-announce", .mapAnnounce, Sample.announcement) { $0.write(to: &$1) },
    FrameCase(
      "map-manifest-request", .manifestRequest, ManifestRequest(content: Sample.map.content, first: 500)
    ) {
      $0.write(to: &$1)
    },
    FrameCase("map-manifest", .manifest, Sample.manifest, isOpen: true) { $0.write(to: &$1) },
    FrameCase(
      "map-request", .chunkRequest, ContentRequest(content: Sample.map.content, chunks: [3, 4, 9]),
      isOpen: true
    ) {
      $0.write(to: &$1)
    },
    FrameCase("map-cancel", .mapCancel, MapCancel(Sample.map)) { $0.write(to: &$1) },
    FrameCase(
      "map-have", .chunkHave, ContentHave(content: Sample.map.content, chunks: Sample.have), isOpen: true
    ) {
      $0.write(to: &$1)
    },
    FrameCase("map-piece", .chunkPiece, Piece(head: Sample.piece, bytes: [1, 2, 3, 4, 5]), isOpen: true) {
      $0.head.write(to: &$1)
      $1.write(bytes: $0.bytes)
    },
    FrameCase("resource-offer", .resourceOffer, Sample.offer) { $0.write(to: &$1) },
    FrameCase("resource-offer-empty", .resourceOffer, Sample.emptyOffer) { $0.write(to: &$1) },
    FrameCase("resource-waiting", .resourceWord, ResourceWord(.waiting, of: Sample.resource)) { $0.write(to: &$1) },
    FrameCase("resource-accepted", .resourceWord, ResourceWord(.accepted, of: Sample.resource)) { $0.write(to: &$1) },
    FrameCase("resource-received", .resourceWord, ResourceWord(.received, of: Sample.resource)) { $0.write(to: &$1) },
    FrameCase("resource-over", .resourceWord, ResourceWord(.over, of: Sample.resource)) { $0.write(to: &$1) },
    FrameCase("resource-full", .resourceWord, ResourceWord(.failed(.diskFull), of: Sample.resource)) {
      $0.write(to: &$1)
    },
    FrameCase(
      "resource-peers", .resourcePeers, ResourcePeers(content: Sample.resource, peers: [Sample.alice, Sample.bob]),
      isOpen: true
    ) {
      $0.write(to: &$1)
    },
    FrameCase(
      "resource-manifest-request", .manifestRequest,
      ManifestRequest(content: Sample.resource, first: 500)
    ) {
      $0.write(to: &$1)
    },
    FrameCase(
      "resource-manifest", .manifest,
      ManifestPart(content: Sample.resource, first: 0, names: Sample.names), isOpen: true
    ) {
      $0.write(to: &$1)
    },
    FrameCase(
      "resource-request", .chunkRequest, ContentRequest(content: Sample.resource, chunks: [3, 4, 9]),
      isOpen: true
    ) {
      $0.write(to: &$1)
    },
    FrameCase(
      "resource-piece", .chunkPiece, Piece(head: Sample.resourcePiece, bytes: [1, 2, 3, 4, 5]),
      isOpen: true
    ) {
      $0.head.write(to: &$1)
      $1.write(bytes: $0.bytes)
    },
    FrameCase(
      "resource-have", .chunkHave, ContentHave(content: Sample.resource, chunks: Sample.have),
      isOpen: true
    ) {
      $0.write(to: &$1)
    },
    FrameCase("message", .message, Message(head: Sample.message, bytes: Array("hello".utf8)), isOpen: true) {
      $0.write(to: &$1)
    },
    FrameCase("message-report", .messageReport, Sample.report(.report)) { $0.write(to: &$1) },
    FrameCase(
      "message-critical", .message,
      Message(
        head: MessageHead(chain: 2, previous: 7, number: 9, kind: .envelope, isCritical: true),
        bytes: Array("hello".utf8)), isOpen: true
    ) { $0.write(to: &$1) },
    FrameCase("message-report-critical", .messageReport, MessageReport(.question, .critical)) { $0.write(to: &$1) },
    FrameCase(
      "message-stream", .message,
      Message(head: MessageHead(chain: 2, previous: 7, number: 9, kind: .stream), bytes: Array("hello".utf8)),
      isOpen: true
    ) { $0.write(to: &$1) },
    FrameCase("message-report-streams", .messageReport, MessageReport(.question, .streams)) { $0.write(to: &$1) },
    FrameCase(
      "relayed-message", .relayedMessage,
      RelayedMessage(route: Sample.route, message: Message(head: Sample.envelope, bytes: Array("hello".utf8))),
      isOpen: true
    ) {
      $0.route.write(to: &$1)
      $0.message.write(to: &$1)
    },
    FrameCase("relayed-report", .relayedReport, Sample.relayedReport) { $0.write(to: &$1) },
    FrameCase(
      "unreliable", .unreliableMessage, UnreliableMessage(Array("hello".utf8), number: 9, key: "zeiger ä"), isOpen: true
    ) { $0.write(to: &$1) },
    FrameCase(
      "unreliable-relayed", .unreliableMessage,
      UnreliableMessage(Array("hello".utf8), number: 9, kind: .envelope, key: "", route: Sample.route), isOpen: true
    ) { $0.write(to: &$1) },
  ]
}

/// A body of poses, which the program takes one by one.
private struct Poses: FrameBody, Equatable {
  let updates: [EphemeralUpdate]

  init(updates: [EphemeralUpdate]) { self.updates = updates }

  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    var updates: [EphemeralUpdate] = []
    repeat { updates.append(try EphemeralUpdate(reading: &reader)) } while !reader.isAtEnd
    self.updates = updates
  }
}

/// A body without a field.
private struct Nothing: FrameBody, Equatable {
  init() {}
  init(reading reader: inout ByteReader) throws(DecodingFailure) {}
}

/// A message with its bytes, which the program reads in place.
private struct Message: FrameBody, Equatable {
  let head: MessageHead
  let bytes: [UInt8]

  init(head: MessageHead, bytes: [UInt8]) { (self.head, self.bytes) = (head, bytes) }

  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    head = try MessageHead(reading: &reader)
    bytes = try reader.readBytes(reader.remaining)
  }

  func write(to writer: inout ByteWriter) {
    head.write(to: &writer)
    writer.write(bytes: bytes)
  }
}

/// A message on its way through members, which the program reads in place.
private struct RelayedMessage: FrameBody, Equatable {
  let route: FrameRoute
  let message: Message

  init(route: FrameRoute, message: Message) { (self.route, self.message) = (route, message) }

  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    route = try FrameRoute(reading: &reader)
    message = try Message(reading: &reader)
  }
}

/// A piece of a chunk with its bytes, which the program reads in place.
private struct Piece: FrameBody, Equatable {
  let head: ChunkPiece
  let bytes: [UInt8]

  init(head: ChunkPiece, bytes: [UInt8]) { (self.head, self.bytes) = (head, bytes) }

  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    head = try ChunkPiece(reading: &reader)
    bytes = try reader.readBytes(reader.remaining)
  }
}

/// The words of a frame, each of which says what its topic allows.
private struct Words: FrameBody, Equatable {
  let words: [SpreadWord]

  init(words: [SpreadWord]) { self.words = words }

  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    words = try SpreadWord.read(reader.readBytes(reader.remaining))
    for word in words { try WordTopic(rawValue: word.topic)?.check(word) }
  }
}
