package import AnchorReplication
import Authentication
package import Basics
package import PeerProtocol
package import WorldModel

/// A whole ``Node`` as a simulated machine runs it, with an app that invites everybody and accepts every invitation.
@dynamicMemberLookup
package struct SessionPeer: SimulatedNode {
  package typealias Packet = [UInt8]

  /// The node under test.
  package private(set) var node: Node
  /// The events for the app in the last step.
  package private(set) var events: [NodeEvent] = []
  /// The observations of its election in the last step.
  var electionSteps: [ElectionStep] { follower.steps }
  /// The links it ended in the last step with a goodbye: to whom and why.
  private(set) var goodbyes: [(peer: PeerID, reason: EndReason)] = []
  /// Second connections, for pieces of maps, that it took up in the last step.
  package private(set) var attached = 0
  /// The maps that arrived, by id.
  package private(set) var maps: [MapID: MapPackage] = [:]

  /// The cache on the machine's disk.
  private(set) var disk: [SHA256Digest: StoredChunk] = [:]
  /// Of all that the node asked for since this process began.
  package private(set) var outputDigest = OutputDigest()
  /// Frames it has sent, by type, since a test set it to none; nil while nobody counts.
  package var sentFrames: [FrameType: Int]?
  /// Their bytes, by type.
  package private(set) var sentBytes: [FrameType: Int] = [:]
  /// Chunks that came although they had been verified before.
  package private(set) var fetchedAgain = 0
  /// The kept records of the node, as bytes: the latest one and the one before.
  package private(set) var records: [[UInt8]] = []
  private var verified: [ContentID: Set<Int>] = [:]
  private var follower: ElectionFollower
  /// The calls to the node since its start; nil while nobody records them.
  package private(set) var recording: NodeRecording?

  /// The part of the app that sends and reads messages.
  var mail = Mail()
  /// The parts of an owned session; nil in an open one.
  private let cast: OwnedCast?
  /// The part of the app that authenticates others; nil for none.
  private(set) var driver: DriverApp?
  /// The files of resources.
  var shelf = ResourceShelf()
  private let index: Int
  private let count: Int
  private var outputs = OutputQueue<SimulatedOutput<Packet>>()
  private var connections: [LinkID: Line] = [:]
  private var dials: [Int: [DialID]] = [:]
  private var nextInvitation: UInt64 = 1
  private var targets: [InvitationID: Int] = [:]
  /// The peers that are invited again, and when: the invitation before came to nothing.
  private var refused: [Int: Instant] = [:]
  /// The members when this process ended, who are not invited.
  private var expected: [Int]
  private static let patience: Duration = .milliseconds(200)
  /// The lies of this peer besides the words of its node; nil for an honest one.
  package private(set) var liar: Liar?

  /// A connection as the operating system has it: what was given to it and what the other end has not taken yet.
  private struct Line {
    let connection: ConnectionID
    let peer: PeerID
    let isDialled: Bool
    var waiting = 0
    var sinceWritable = 0
  }

  /// Starts with an empty memory, or with the record that an earlier start has kept, and invites every other machine that it
  /// does not hold as a member, or those of `invited`; `configure` changes what the node is told.
  package init(
    index: Int, count: Int, seed: UInt64, rules: ProtocolRules = .all, isLiar: Bool = false,
    driver: DriverApp.Kind? = nil, cast: OwnedCast? = nil, isRecorded: Bool = false,
    restoring record: NodeRecord? = nil, invited: Range<Int>? = nil, at now: Instant,
    configure: (inout NodeConfiguration) -> Void = { _ in }
  ) {
    self.index = index
    self.count = count
    var random = SeededRandom(seed: seed)
    var configuration = NodeConfiguration(
      peerID: Self.identity(of: index), incarnation: random.next(), name: "peer \(index + 1)", service: "sim",
      addresses: [Self.address(of: index)], seed: random.next())
    configuration.rules = rules
    configuration.cachesChunks = true
    // Every other process goes without second connections: the maps here are too small for the limit of the protocol.
    if seed.isMultiple(of: 2) { configuration.bulkWorth = Self.bulkWorth }
    configuration.keepsRecord = true
    configuration.signatures = Signatures(simulating: configuration.peerID)
    configuration.messageWindow = Self.messageWindow
    configuration.messageTotal = Self.messageTotal
    // Equals ask: hosts would never change at their request.
    configuration.hostRequests = .granted
    if isLiar {
      liar = Liar(count: count, random: random.split())
      // A liar that could host would be host by right for most of the run, as who starts first.
      configuration.election.canHost = random.chance(percent: 30)
    }
    if let driver {
      self.driver = DriverApp(driver, of: configuration.peerID)
      configuration.driverTime = .seconds(10)
    }
    self.cast = cast
    cast?.configure(&configuration, of: index)
    configure(&configuration)
    node = Node(configuration, restoring: record, at: now)
    follower = ElectionFollower(node)
    if isRecorded { recording = NodeRecording(configuration, restoring: record, at: now) }
    let members = record?.roster.filter { $0.status == .present }.map(\.peerID) ?? []
    expected = (0..<count).filter { $0 != index && members.contains(Self.identity(of: $0)) }
    for other in invited ?? 0..<count
    where other != index && !expected.contains(other) && cast?.invites(other, index) ?? true {
      invite(other, at: now)
    }
    settle(at: now)
  }

  /// Gives the node an input.
  @discardableResult
  package mutating func handle(_ input: Input, at now: Instant) -> Answer {
    recording?.add(.input(input, at: now))
    let answer = node.handle(input, at: now)
    follower.follow(&node, isNewTurn: true)
    return answer
  }

  /// The readable state of the node.
  package subscript<T>(dynamicMember path: KeyPath<Node, T>) -> T { node[keyPath: path] }

  /// Gives the node bytes that arrived on a link.
  package mutating func receive(_ bytes: [UInt8], on link: LinkID, at now: Instant) {
    recording?.add(.bytes(bytes, on: link, at: now))
    unsafe node.receive(bytes.span.bytes, on: link, at: now)
    follower.follow(&node, isNewTurn: true)
  }

  /// All anchors of the node, in the order of their ids.
  package var allAnchors: [Anchor] {
    mutating get {
      recording?.add(.listing)
      return node.allAnchors
    }
  }

  package static func identity(of index: Int) -> PeerID {
    PeerID(SHA256Digest(words: SIMD4(UInt64(index) + 1, 0, 0, 0)))
  }

  /// The secrets of a connection that the node needs: its number stands for the exporter, which both ends share.
  private func secrets(of connection: ConnectionID) -> LinkSecrets {
    let number = UInt64(connection.rawValue)
    let exporter = SHA256Digest(words: SIMD4(number, 0, 0, 0)).bytes
    let entropy = SHA256Digest(words: SIMD4(number, UInt64(index) + 1, 0, 0)).bytes
    let secrets = ChannelSecrets(exporter: exporter, entropy: SecretBytes(copying: entropy + exporter))
    return LinkSecrets(
      passcode: node.configuration.passcode == nil ? nil : secrets, code: node.configuration.showsCodes ? secrets : nil,
      driver: driver == nil ? nil : exporter)
  }

  static func address(of index: Int) -> SocketAddress {
    SocketAddress(host: .ipv4(0x0a00_0000 + UInt32(index) + 1), port: 4000)
  }

  private static func index(of address: SocketAddress) -> Int? {
    guard case .ipv4(let word) = address.host, word > 0x0a00_0000, address.port == 4000 else { return nil }
    return Int(word - 0x0a00_0000) - 1
  }

  package static func byteCount(of packet: Packet) -> Int { packet.count }

  package var deadline: Instant? {
    mutating get {
      guard let due = refused.values.min(), !node.hasEnded else { return node.deadline }
      return node.deadline.map { min($0, due) } ?? due
    }
  }

  package mutating func nextOutput() -> SimulatedOutput<Packet>? { outputs.next() }

  package mutating func opened(_ connection: ConnectionID, peer: Int, isDialler: Bool, at now: Instant) {
    begin()
    let link = LinkID(rawValue: connection.rawValue + 1)
    connections[link] = Line(connection: connection, peer: Self.identity(of: peer), isDialled: !isDialler)
    let dial = isDialler ? takeDial(to: peer) : nil
    let remote = isDialler ? Self.address(of: peer) : Self.address(of: peer).with(port: 50_000)
    let secrets = secrets(of: connection)
    handle(.linkOpened(link, peer: Self.identity(of: peer), dial: dial, remote: remote, secrets: secrets), at: now)
    settle(at: now)
  }

  package mutating func closed(_ connection: ConnectionID, at now: Instant) {
    begin()
    let link = LinkID(rawValue: connection.rawValue + 1)
    connections[link] = nil
    handle(.linkClosed(link), at: now)
    settle(at: now)
  }

  package mutating func refused(peer: Int, at now: Instant) {
    begin()
    if let dial = takeDial(to: peer) { handle(.dialFailed(dial, refused: true), at: now) }
    settle(at: now)
  }

  package mutating func received(_ packet: Packet, on connection: ConnectionID, at now: Instant) {
    begin()
    receive(packet, on: LinkID(rawValue: UInt64(connection.rawValue) + 1), at: now)
    settle(at: now)
  }

  package mutating func tick(at now: Instant) {
    begin()
    handle(.tick, at: now)
    for other in refused.keys.sorted() where refused[other].map({ $0 <= now }) ?? false {
      refused[other] = nil
      invite(other, at: now)
    }
    settle(at: now)
  }

  package mutating func clockJumped(by gap: Duration, at now: Instant) {
    begin()
    handle(.clockJumped(by: gap), at: now)
    settle(at: now)
  }

  /// Lets the app invite a peer that it had lost.
  mutating func inviteAgain(_ other: Int, at now: Instant) {
    begin()
    invite(other, at: now)
    settle(at: now)
  }

  /// Lets the app read messages as they come, or stop reading.
  package mutating func setReadsMessages(_ reads: Bool, at now: Instant) {
    mail.isRead = reads
    if reads { readMessages(at: now) }
  }

  private mutating func readMessages(at now: Instant) {
    let senders = mail.unread.keys.sorted()
    mail.unread = [:]
    for peer in senders { handle(.messagesUnread(0, from: peer), at: now) }
  }

  /// Lets the app do something.
  package mutating func perform(at now: Instant, _ action: (inout SessionPeer, Instant) -> Void) {
    begin()
    action(&self, now)
    settle(at: now)
  }

  package static var wantsReceipts: Bool { true }

  /// Like a socket with buffers of 64 KiB: writable again when a quarter is left, if anything was written meanwhile.
  package mutating func delivered(byteCount: Int, on connection: ConnectionID, at now: Instant) -> Bool {
    let link = LinkID(rawValue: connection.rawValue + 1)
    guard var line = connections[link] else { return false }
    line.waiting -= byteCount
    let isWritable = line.waiting <= Self.lowWater && line.sinceWritable > Self.lowWater
    if isWritable { line.sinceWritable = 0 }
    connections[link] = line
    guard isWritable else { return false }
    begin()
    handle(.writable(link), at: now)
    settle(at: now)
    return true
  }

  /// So little that the apps here fill it.
  package static let messageWindow = 4 * 1024
  /// Less than the windows of all receivers of a node.
  package static let messageTotal = 10 * 1024
  private static let lowWater = 16 * 1024
  /// So little that the maps of the apps here, cut small, are worth second connections.
  private static let bulkWorth = 64 * 1024

  private mutating func begin() {
    events.removeAll(keepingCapacity: true)
    goodbyes.removeAll(keepingCapacity: true)
    attached = 0
    follower.begin()
  }

  private mutating func takeDial(to peer: Int) -> DialID? {
    guard let dial = dials[peer]?.first else { return nil }
    dials[peer]?.removeFirst()
    return dial
  }

  private mutating func invite(_ other: Int, at now: Instant) {
    let id = InvitationID(rawValue: nextInvitation)
    nextInvitation += 1
    targets[id] = other
    handle(.invite(id, [Self.address(of: other)], context: [], timeout: .seconds(60)), at: now)
  }

  /// Drains the node.
  private mutating func settle(at now: Instant) {
    var last: [UInt8] = []
    while let output = takeOutput() {
      outputDigest.add(output)
      switch output {
      case .connect(let dial, let address):
        guard let peer = Self.index(of: address), peer < count, peer != index else {
          handle(.dialFailed(dial, refused: true), at: now)
          continue
        }
        dials[peer, default: []].append(dial)
        outputs.append(.dial(peer: peer))
      case .transmit(let link, let bytes):
        last = bytes
        if sentFrames != nil { count(bytes) }
        guard let connection = connections[link]?.connection else { continue }
        // The dialled side says this once the connection stands.
        if bytes[FrameHead.size - 1] == FrameType.attach.rawValue, connections[link]?.isDialled == true {
          attached += 1
        }
        outputs.append(.transmit(bytes, on: connection))
        connections[link]?.waiting += bytes.count
        connections[link]?.sinceWritable += bytes.count
      case .close(let link):
        guard let line = connections.removeValue(forKey: link) else { continue }
        outputs.append(.close(line.connection))
        if let reason = Self.goodbye(in: last) { goodbyes.append((line.peer, reason)) }
        last = []
      case .admitted: break
      case .find(let search):
        let found = search.wanted.compactMap { wanted in
          disk[wanted.name.hash].map { FoundChunk(index: wanted.index, chunk: $0) }
        }
        if shelf.chunks[search.content] != nil { shelf.write(found, of: search) }
        handle(.chunksFound(search.content, found, isLast: true), at: now)
      case .keep(let hash, let chunk): disk[hash] = chunk
      case .check(let check): run(check, at: now)
      case .load(let load): handle(.chunkLoaded(load, shelf.read(load)), at: now)
      case .persist(let record): records = records.suffix(1) + [record.encoded]
      case .event(let event): take(event, at: now)
      }
    }
    follower.follow(&node, isNewTurn: false)
    // A member that continued without this peer has to be asked like anybody else.
    for other in expected
    where !node.roster.admits(Self.identity(of: other)) && cast?.invites(other, index) ?? true {
      refused[other] = now + Self.patience
    }
    expected.removeAll { refused[$0] != nil }
    lie()
  }

  private mutating func takeOutput() -> Output? {
    recording?.add(.outputs(1))
    return node.nextOutput()
  }

  private mutating func run(_ check: ChunkCheck, at now: Instant) {
    let verdict = check.run()
    if verdict.failure == nil, shelf.chunks[check.content] != nil { shelf.write(check) }
    if verdict.failure == nil, !verified[check.content, default: []].insert(check.index).inserted { fetchedAgain += 1 }
    handle(.chunkChecked(verdict), at: now)
  }

  /// Books the frames in what is sent, which are whole ones.
  private mutating func count(_ bytes: [UInt8]) {
    var offset = 0
    while let head = try? unsafe FrameHead.find(in: bytes.span.bytes, at: offset, limit: bytes.count) {
      if let type = FrameType(rawValue: head.type) {
        sentFrames?[type, default: 0] += 1
        sentBytes[type, default: 0] += head.body.upperBound - offset
      }
      offset = head.body.upperBound
    }
  }

  /// The reason in the last of some frames, if that is a goodbye: a node says it right before it closes.
  private static func goodbye(in bytes: [UInt8]) -> EndReason? {
    guard let body = bytes.count >= goodbyeSize ? bytes.suffix(goodbyeSize) : nil else { return nil }
    let frame = Array(body)
    guard let head = try? unsafe FrameHead.find(in: frame.span.bytes, at: 0, limit: goodbyeSize),
      head.type == FrameType.goodbye.rawValue, head.body.upperBound == goodbyeSize
    else { return nil }
    var reader = unsafe ByteReader(frame.span.bytes.extracting(head.body))
    return try? Goodbye(reading: &reader).reason
  }

  /// Bytes of a frame with a goodbye: its head, a code, two versions.
  private static let goodbyeSize = FrameHead.size + 5

  private mutating func lie() {
    guard var liar else { return }
    defer { self.liar = liar }
    let links = connections.keys.sorted { $0.rawValue < $1.rawValue }
    guard !links.isEmpty, let lie = liar.next(as: node) else { return }
    let link = links[liar.random.below(links.count)]
    if let connection = connections[link]?.connection {
      outputs.append(.transmit(lie, on: connection))
      connections[link]?.waiting += lie.count
    }
  }

  private mutating func take(message: [UInt8], from sender: PeerID, at now: Instant) {
    mail.unread[sender, default: 0] += ProtocolLimits.cost(ofMessage: message)
    if mail.isRead { readMessages(at: now) }
  }

  /// Lets the app answer every offer of a resource, now and from now on.
  mutating func answerResources(at now: Instant) {
    shelf.answersAll = true
    for offer in shelf.unanswered { accept(offer, at: now) }
    shelf.unanswered = []
  }

  private mutating func accept(_ offer: OfferedResource, at now: Instant) {
    shelf.chunks[offer.id.content] = []
    handle(.answerResource(offer.id, accepts: true), at: now)
  }

  /// Of eight offers one is declined and two wait.
  private mutating func take(_ offer: OfferedResource, at now: Instant) {
    switch shelf.answersAll ? 7 : offer.id.digest.words.y % 8 {
    case 0: handle(.answerResource(offer.id, accepts: false), at: now)
    case 1, 2: shelf.unanswered.append(offer)
    default: accept(offer, at: now)
    }
  }

  private mutating func take(_ event: NodeEvent, at now: Instant) {
    events.append(event)
    if mail.streams.book.take(event, me: node.me.incarnation) { serveStreams(at: now) }
    if case .resource(.offered(let offer)) = event { take(offer, at: now) }
    if case .handshake(let link, let news) = event, let step = driver?.take(news, on: link) {
      handle(.driverStep(link, step), at: now)
    }
    if case .resource(.attachment(let offer, .listed)) = event { accept(offer, at: now) }
    if case .invitationReceived(let id, let peer, _, _) = event {
      let accepts = cast?.accepts(peer, index) ?? true
      handle(.answer(id, accepts ? .accept : .decline(reason: "stranger")), at: now)
    }
    if case .mapReceived(let id, _, _, let package) = event { maps[id] = package }
    if case .messages(let messages, let from) = event {
      for bytes in messages { take(message: bytes, from: from, at: now) }
    }
    if case .envelopes(let messages, let from) = event {
      for message in messages { take(message: message.bytes, from: from.peer, at: now) }
    }
    if case .invitationEnded(let id, let result) = event {
      guard let other = targets.removeValue(forKey: id) else { return }
      if case .accepted = result { return }
      // Nobody retries in the same moment: a session that is locked refuses at once.
      refused[other] = now + Self.patience
    }
  }
}
