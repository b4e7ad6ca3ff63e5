import AnchorReplication
import Authentication
import Basics
import PeerProtocol
import Simulator
import WorldModel

/// A node, and what speaks to it by hand: frames in, frames out, no network between.
struct NodeProbe {
  var node: Node
  var now = Instant(nanoseconds: 1_000_000_000)
  /// How often the node asked to be called.
  private(set) var ticks = 0
  /// What the node told the app.
  private(set) var events: [NodeEvent] = []
  /// What the node wanted kept, in order.
  private(set) var records: [NodeRecord] = []
  /// Links the node closed.
  private(set) var closed: Set<LinkID> = []
  private(set) var dials: [(dial: DialID, address: SocketAddress)] = []
  /// Whether what is sent stays on its way.
  var isSlow = false
  private var sent: [LinkID: [UInt8]] = [:]

  static let me = PeerID(SHA256Digest(hashing: Array("me".utf8)))

  init(
    memberLimit: Int = ProtocolLimits.members, admitted: Set<PeerID>? = nil, passcode: Passcode? = nil,
    driverTime: Duration? = nil, showsCodes: Bool = false, compared: Set<PeerID>? = nil,
    recognitionKey: RecognitionKey? = nil, signs: Bool = false, owns: Bool = false, curates: Bool = false,
    canHost: Bool = true, newcomersAreGuests: Bool = false, me: PeerID = Self.me,
    incarnation: UInt64 = 1,
    restoring record: NodeRecord? = nil
  ) {
    var configuration = NodeConfiguration(
      peerID: me, incarnation: incarnation, name: "me", service: "test",
      addresses: [SocketAddress.loopback(port: 4000)], seed: 1)
    configuration.memberLimit = memberLimit
    configuration.admitted = admitted
    configuration.passcode = passcode
    configuration.driverTime = driverTime
    configuration.showsCodes = showsCodes
    configuration.compared = compared
    configuration.recognitionKey = recognitionKey
    configuration.keepsRecord = true
    if signs || owns { configuration.signatures = Signatures(simulating: me) }
    if owns { configuration.genesisNonce = [UInt8](repeating: 1, count: Genesis.nonceSize) }
    configuration.curatesMaps = curates
    if !canHost { configuration.election = ElectionConfiguration(priority: 0, canHost: false) }
    configuration.newcomersAreGuests = newcomersAreGuests
    node = Node(configuration, restoring: record, at: now)
    drain()
  }

  static func peer(_ number: Int) -> PeerID { PeerID(SHA256Digest(hashing: Array("peer \(number)".utf8))) }

  static func hello(_ peer: PeerID, incarnation: UInt64 = 7, service: String = "test") -> Hello {
    Hello(
      peerID: peer, incarnation: incarnation, service: service, name: "other", instance: "", addresses: [])
  }

  @discardableResult
  mutating func input(_ input: Input) -> Answer {
    defer { drain() }
    return node.handle(input, at: now)
  }

  /// Edits the anchors.
  mutating func edit(_ edit: AnchorEdit) throws { try input(.edit(edit)).check() }

  /// Lets time pass, with the ticks the node asks for.
  mutating func wait(_ duration: Duration) {
    let end = now + duration
    while let deadline = node.deadline, deadline <= end {
      now = max(now, deadline)
      ticks += 1
      node.handle(.tick, at: now)
      drain()
    }
    now = end
  }

  /// A connection of `peer` comes in, or the dial `dial` succeeds.
  mutating func open(
    _ number: UInt64, _ peer: PeerID, dial: DialID? = nil, from remote: SocketAddress = .loopback(port: 50_000)
  ) -> LinkID {
    let link = LinkID(rawValue: number)
    input(.linkOpened(link, peer: peer, dial: dial, remote: remote))
    return link
  }

  /// Sends one frame to the node.
  mutating func send(_ type: FrameType, on link: LinkID, _ build: (inout ByteWriter) -> Void = { _ in }) {
    var writer = ByteWriter()
    writer.writeFrame(type, build)
    send(bytes: writer.bytes, on: link)
  }

  /// Sends the first chunk of a map in one piece.
  mutating func sendFirstChunk(of map: MapPackage, as content: ContentID, on link: LinkID) {
    let chunk = map.chunks[0]
    let piece = ChunkPiece(content: content, chunk: 0, codec: chunk.codec, storedSize: chunk.bytes.count, offset: 0)
    send(.chunkPiece, on: link) {
      piece.write(to: &$0)
      $0.write(bytes: chunk.bytes)
    }
  }

  mutating func send(bytes: [UInt8], on link: LinkID) {
    node.receive(bytes.span.bytes, on: link, at: now)
    drain()
  }

  /// A link of `peer` on which both have said hello.
  mutating func greet(
    _ number: UInt64, _ peer: PeerID, incarnation: UInt64 = 7, from remote: SocketAddress = .loopback(port: 50_000)
  ) -> LinkID {
    let link = open(number, peer, from: remote)
    send(.hello, on: link) { Self.hello(peer, incarnation: incarnation).write(to: &$0) }
    return link
  }

  /// A link on which both hold each other as members, after an invitation that the app accepted.
  mutating func join(
    _ number: UInt64, _ peer: PeerID, incarnation: UInt64 = 7, from remote: SocketAddress = .loopback(port: 50_000)
  ) -> LinkID {
    let link = accept(number, peer, incarnation: incarnation, from: remote)
    send(.admit, on: link)
    return link
  }

  /// A link of a peer whose invitation the app accepted, and that has not admitted this node.
  mutating func accept(
    _ number: UInt64, _ peer: PeerID, incarnation: UInt64 = 7, from remote: SocketAddress = .loopback(port: 50_000)
  ) -> LinkID {
    let link = greet(number, peer, incarnation: incarnation, from: remote)
    send(.invite, on: link) { Invite(number: number, wait: 30_000, context: []).write(to: &$0) }
    for event in events {
      if case .invitationReceived(let id, from: peer, _, _) = event { input(.answer(id, .accept)) }
    }
    return link
  }

  /// Sends a whole vector with a digest of zeros.
  mutating func send(_ vector: VersionVector, on link: LinkID) {
    var frame = ByteWriter()
    Self.write(vector, SHA256Digest(words: .zero), wantsAnswer: false, to: &frame)
    send(bytes: frame.bytes, on: link)
  }

  /// Sends the snapshot of a set, in parts.
  mutating func send(stateOf anchors: AnchorSet, on link: LinkID) {
    var (frames, parts) = (ByteWriter(), SnapshotChunks(anchors.encodeSnapshot()))
    while !parts.isAtEnd { frames.writeFrame(.snapshot) { _ = parts.next(limit: ProtocolLimits.statePart, into: &$0) } }
    send(bytes: frames.bytes, on: link)
  }

  /// Asks for the node's vector, so many times in one go, as a member that has all that the node has.
  mutating func ask(times: Int, on link: LinkID) {
    var (frames, anchors) = (ByteWriter(), node.anchors)
    for _ in 0..<times { Self.write(anchors.vector, anchors.digest, wantsAnswer: true, to: &frames) }
    send(bytes: frames.bytes, on: link)
  }

  private static func write(
    _ vector: VersionVector, _ digest: SHA256Digest, wantsAnswer: Bool, to frames: inout ByteWriter
  ) {
    var message = ByteWriter()
    message.write(UInt8(wantsAnswer ? 1 : 0))
    message.write(digest)
    vector.encode(into: &message)
    frames.writeFrame(.vector) { body in
      body.write(UInt32(message.count))
      body.write(UInt32(0))
      body.write(bytes: message.bytes)
    }
  }

  /// Sends records on a member's link.
  mutating func tell(_ entries: [RosterEntry], on link: LinkID) {
    var writer = ByteWriter()
    Roster.writeFrames(entries, to: &writer)
    send(bytes: writer.bytes, on: link)
  }

  /// Lets seconds pass, in which these links show that they are alive.
  mutating func wait(seconds: Int, keeping links: [LinkID]) { wait(.seconds(seconds), keeping: links) }

  /// Lets time pass, in which these links show each second that they are alive.
  mutating func wait(_ time: Duration, keeping links: [LinkID]) {
    let end = now + time
    while now < end {
      wait(min(.seconds(1), end - now))
      for link in links { send(.ping, on: link) { $0.write(UInt64(1)) } }
    }
  }

  /// The heads of the messages among the frames that the node sent on a link since the last call.
  mutating func messageHeads(on link: LinkID) throws -> [MessageHead] {
    try frames(on: link).filter { $0.type == .message }.map { frame in
      var reader = ByteReader(frame.body.span)
      return try MessageHead(reading: &reader)
    }
  }

  /// The reports of messages among the frames that the node sent on a link since the last call.
  mutating func messageReports(on link: LinkID) throws -> [MessageReport] {
    try frames(on: link).filter { $0.type == .messageReport }.map { try MessageReport(body: $0.body.span.bytes) }
  }

  /// The frames the node sent on a link since the last call.
  mutating func frames(on link: LinkID) throws -> [(type: FrameType?, body: [UInt8])] {
    let bytes = sent.removeValue(forKey: link) ?? []
    var offset = 0
    var frames: [(type: FrameType?, body: [UInt8])] = []
    while let head = try FrameHead.find(in: bytes.span.bytes, at: offset, limit: .max / 2) {
      frames.append((FrameType(rawValue: head.type), Array(bytes[head.body])))
      offset = head.body.upperBound
    }
    return frames
  }

  /// The reason of the goodbye the node sent on a link.
  mutating func goodbye(on link: LinkID) throws -> EndReason? {
    guard let body = try frames(on: link).last(where: { $0.type == .goodbye })?.body else { return nil }
    var reader = ByteReader(body.span)
    return try Goodbye(reading: &reader).reason
  }

  mutating func takeEvents() -> [NodeEvent] {
    defer { events = [] }
    return events
  }

  private mutating func drain() {
    while let output = node.nextOutput() {
      switch output {
      case .connect(let dial, let address): dials.append((dial, address))
      case .transmit(let link, let bytes):
        sent[link, default: []] += bytes
        if !isSlow { node.handle(.writable(link), at: now) }
      case .close(let link): closed.insert(link)
      case .admitted, .find, .keep, .load: break
      case .check(let check): node.handle(.chunkChecked(check.run()), at: now)
      case .persist(let record): records.append(record)
      case .event(let event): events.append(event)
      }
    }
  }
}
