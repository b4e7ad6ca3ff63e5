import AnchorReplication
import Basics
import PeerProtocol
import WorldModel

/// What apps and peers do in an owned session.
extension Play {
  /// The genesis of the session that the node begins or, when it begins none, that peer 1 begins.
  static func genesis(_ start: OwnedStart) -> Genesis {
    let isOwn = start == .creator || start == .curator
    return Genesis(
      creator: peer(isOwn ? 0 : 1).bytes, limit: ProtocolLimits.members, isCurated: start == .curator,
      nonce: [UInt8](repeating: 1, count: Genesis.nonceSize))
  }

  /// Carries out the operations from 40, which there are for a node of an owned session alone.
  mutating func useCourt(_ operation: UInt8) {
    switch operation {
    case 40:
      let (role, peer, time) = (SessionRole(rawValue: byte() % 5) ?? .member, Self.peer(byte() % 5), byte())
      input(.setRole(role, of: peer, for: time == 0 ? nil : .seconds(Int(time))))
    case 41: sendCharter()
    case 42: sendStatements([sign()].compactMap(\.self))
    case 43: sendStatements(known(upTo: 8))
    case 44: sendStatementsDigest()
    case 45: startAgain()
    case 46: write()
    default: input(.clockJumped(by: .seconds(Int(byte()) * 60)))
    }
  }

  /// Brings the node into the session of peer 1, which names it a moderator.
  mutating func enter() {
    let creator = Self.peer(1)
    open(1, dial: nil)
    send(.hello, on: links.first) {
      Hello(peerID: creator, incarnation: 1, service: "test", name: "x", instance: "", addresses: []).write(to: &$0)
    }
    sendCharter([])
    send(.invite, on: links.first) { Invite(number: 1, wait: 30_000, context: []).write(to: &$0) }
    if let invitation = invitations.first { input(.answer(invitation, .accept)) }
    send(.admit, on: links.first) { _ in }
    let naming = Statement(key: creator.bytes, .admission, of: Self.peer(0), serial: 1, role: .moderator)
    let signatures = Signatures(hashing: creator)
    guard let session = court?.genesis.session, let naming = naming.signed(by: signatures, in: session) else { return }
    court?.keep(naming)
    sendCharter([naming])
    precondition(node.ownedSession.roles[Self.peer(0)] == .moderator, "the creator's word made no moderator")
  }

  private mutating func sendCharter(_ statements: [Statement]) {
    guard let genesis = court?.genesis else { return }
    send(.charter, on: links.first) { Charter(genesis, statements).write(to: &$0) }
  }

  /// The first word on a link about a session, which every eighth time is another one.
  private mutating func sendCharter() {
    let statements = known(upTo: Charter.statementLimit)
    let isForeign = byte() & 7 == 7
    guard var genesis = court?.genesis else { return }
    if isForeign {
      genesis = Genesis(creator: Self.peer(2).bytes, limit: 8, nonce: [UInt8](repeating: 2, count: Genesis.nonceSize))
    }
    send(.charter, on: pick(links)) { Charter(genesis, statements).write(to: &$0) }
  }

  private mutating func sendStatements(_ statements: [Statement]) {
    send(.statements, on: pick(links)) { StatementsFrame(statements).write(to: &$0) }
  }

  /// The hash of the node's own statements, or another one.
  private mutating func sendStatementsDigest() {
    var hashes = node.ownedSession.record?.statements.flatMap(\.hash.bytes) ?? []
    if byte() & 1 == 0 { hashes.append(0) }
    send(.statementsDigest, on: pick(links)) { StatementsDigest(SHA256Digest(hashing: hashes)).write(to: &$0) }
  }

  /// Statements that peers or the node have signed.
  private mutating func known(upTo limit: Int) -> [Statement] {
    let all = (court?.statements ?? []) + (node.ownedSession.record?.statements ?? [])
    return (0..<(Int(byte()) % (limit + 1))).compactMap { _ in pick(all) }
  }

  /// A statement of any peer about any other; every sixteenth has a false signature.
  private mutating func sign() -> Statement? {
    let kind = Statement.Kind.allCases[Int(byte()) % Statement.Kind.allCases.count]
    let (signer, subject, serial) = (Self.peer(byte() % 5), Self.peer(byte() % 5), 1 + UInt64(byte() % 8))
    let (options, isLock) = (byte(), kind == .lock || kind == .unlock)
    let names = kind == .raise ? 1 : kind == .admission ? Int(options >> 6) : 0
    let named = (0..<names).compactMap { _ in
      pick((court?.statements ?? []) + (node.ownedSession.record?.statements ?? []))?.hash
    }
    let isAdmission = kind == .admission
    let role = isAdmission ? SessionRole(rawValue: 1 + options % 4) ?? .member : .member
    let mayCut = kind == .removal || kind == .raise || isAdmission && role == .guest
    let runs = kind == .raise ? 1 : mayCut ? Int(options >> 4) & 3 : 0
    let cuts = (0..<runs).map { Statement.Cut(incarnation: UInt64($0), sequence: UInt64(byte() % 16)) }
    let hasEnd = isAdmission && role != .moderator && options & 8 != 0
    let statement = Statement(
      key: signer.bytes, kind, of: isLock ? Statement.none : subject, serial: kind == .raise ? 0 : serial, role: role,
      until: hasEnd ? Court.wallClock + UInt64(byte()) * 1000 : 0, naming: named, cuts: cuts)
    let signatures = Signatures(hashing: byte() & 15 == 15 ? Self.peer(9) : signer)
    guard let session = court?.genesis.session, let signed = statement.signed(by: signatures, in: session) else {
      return nil
    }
    court?.keep(signed)
    return signed
  }

  /// The process of the node ends, and another one returns with its record.
  private mutating func startAgain() {
    guard let record = try? NodeRecord(decoding: node.record.encoded) else {
      preconditionFailure("a node's own record cannot be read")
    }
    configuration.incarnation += 1
    node = Node(configuration, restoring: record, at: now)
    forgetLinks()
    drain()
  }

  /// A run of a peer writes an anchor, and any peer hands it on.
  private mutating func write() {
    let (peer, incarnation) = (Self.peer(byte() % 5), UInt64(byte() % 3))
    let actor = ActorID(peer: peer, incarnation: incarnation)
    // Anchors of the fuzzed peers have ids of their own, so that each can be placed.
    var set = court?.sets[actor] ?? AnchorSet(actor: actor, peer: peer)
    let next = set.vector[actor] + 1
    let id = AnchorID(high: actor.peerPrefix, low: incarnation << 32 | next)
    guard (try? set.place(Anchor(id: id, name: "b"), at: 1)) != nil else { return }
    court?.sets[actor] = set
    guard case .log(var cursor) = set.cursorForPeer(with: VersionVector()) else { return }
    send(.operations, on: pick(links)) { _ = set.readLog(&cursor, limit: 4096, into: &$0) }
  }

  private mutating func send(_ type: FrameType, on link: LinkID?, _ build: (inout ByteWriter) -> Void) {
    guard let link else { return }
    var writer = ByteWriter()
    writer.writeFrame(type, build)
    receive(writer.bytes, on: link)
  }
}
