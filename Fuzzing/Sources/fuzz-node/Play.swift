import AnchorReplication
import Basics
import PeerProtocol
import WorldModel

/// One node and what a list of operations does to it.
struct Play {
  var node: Node
  /// What is signed in an owned session; nil in an open one.
  var court: Court?
  /// How the present start of the node was configured.
  var configuration: NodeConfiguration
  /// A digest of all outputs, and how many there were.
  private(set) var outputs: [UInt64] = [0, 0]

  private var bytes: ArraySlice<UInt8>
  var now = Instant(nanoseconds: 1_000_000_000)
  private var nextLink: UInt64 = 1
  private(set) var links: [LinkID] = []
  private var dials: [DialID] = []
  private(set) var invitations: [InvitationID] = []
  /// Resources offered by or to the node, and drags and maps of its own.
  var resources: [ResourceID] = []
  var drags: [DragID] = []
  var maps: [MapID] = []
  private var questions: [OwnershipQuestionID] = []
  var anchors: [AnchorID] = []

  init(_ bytes: [UInt8]) {
    self.bytes = bytes[...]
    configuration = NodeConfiguration(
      peerID: Self.peer(0), incarnation: 1, name: "me", service: "test", addresses: [.loopback(port: 4000)], seed: 1)
    let start = bytes.first.flatMap(OwnedStart.init)
    if let start {
      self.bytes.removeFirst()
      start.configure(&configuration)
      court = Court(Self.genesis(start))
    }
    node = Node(configuration, at: now)
    if start == .moderator { enter() }
  }

  static func peer(_ number: UInt8) -> PeerID { PeerID(SHA256Digest(hashing: [number])) }

  /// Carries out all operations, and lets ten seconds pass.
  mutating func run() {
    // An open session has none of the last operations.
    let count: UInt8 = court == nil ? 40 : 48
    while let operation = bytes.popFirst() { perform(operation % count) }
    pass(.seconds(10))
  }

  /// Whatever was done, the anchors are in order, and so is what was signed.
  mutating func check() {
    precondition(node.allAnchors.allSatisfy { (try? $0.validate()) != nil })
    let session = node.ownedSession
    guard let record = session.record else { return }
    Court.check(record, of: Self.peer(0))
    guard !node.hasEnded, session.roles[Self.peer(0)] != nil else { return }
    for entry in node.roster.entries where entry.status == .present {
      precondition(session.roles[entry.peerID] != nil, "a member that no statement admits")
    }
  }

  /// Nothing is left of the links of a process that has ended.
  mutating func forgetLinks() {
    (links, dials, invitations, questions) = ([], [], [], [])
    (resources, drags, maps) = ([], [], [])
  }

  mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

  mutating func pick<T>(_ list: [T]) -> T? {
    let number = Int(byte())
    return list.isEmpty ? nil : list[number % list.count]
  }

  private mutating func perform(_ operation: UInt8) {
    switch operation {
    case 0: open(byte() % 5, dial: nil)
    case 1: if let dial = pick(dials) { open(byte() % 5, dial: dial) }
    case 2: if let link = pick(links) { close(link) }
    case 3: hello()
    case 4: send(.admit) { _, _ in }
    case 5:
      send(.invite) {
        $0.write(UInt64($1)); $0.write(UInt32(30_000)); $0.writeBlob([])
      }
    case 6:
      send(.inviteAnswer) {
        $0.write(UInt64($1)); $0.write(UInt8(1))
      }
    case 7: send(.inviteCancel) { $0.write(UInt64($1)) }
    case 8: send(.goodbye) { Goodbye(EndReason(code: $1, versions: 1...1)).write(to: &$0) }
    case 9: roster()
    case 10: raw()
    case 11: if let id = pick(invitations) { input(.answer(id, byte() & 1 == 0 ? .accept : .decline(reason: "no"))) }
    case 12:
      let id = InvitationID(rawValue: UInt64(byte()))
      input(.invite(id, [.loopback(port: UInt16(byte()) + 1)], context: [], timeout: .seconds(3)))
    case 13: input(.kick(Self.peer(byte() % 5)))
    case 14: input(.setLocked(byte() & 1 == 0))
    case 15: input(.requestHost)
    case 16: place()
    case 17: if let id = pick(anchors) { input(.edit(.remove(id))) }
    case 18: input(.handover(Self.peer(byte() % 5)))
    case 19: pass(.milliseconds(Int(byte()) * 20))
    case 20...32: useContents(operation)
    case 40...: useCourt(operation)
    default: useAnchors(operation)
    }
  }

  mutating func open(_ number: UInt8, dial: DialID?) {
    let link = LinkID(rawValue: nextLink)
    nextLink += 1
    links.append(link)
    if let dial { dials.removeAll { $0 == dial } }
    input(.linkOpened(link, peer: Self.peer(number), dial: dial, remote: .loopback(port: 5000 + UInt16(number))))
  }

  private mutating func close(_ link: LinkID) {
    links.removeAll { $0 == link }
    input(.linkClosed(link))
  }

  private mutating func hello() {
    let (peer, incarnation) = (Self.peer(byte() % 5), UInt64(byte() % 3))
    send(.hello) { writer, _ in
      Hello(peerID: peer, incarnation: incarnation, service: "test", name: "x", instance: "", addresses: [])
        .write(to: &writer)
    }
  }

  private mutating func roster() {
    let (peer, version, status) = (Self.peer(byte() % 8), UInt32(byte()), byte())
    send(.roster) { writer, _ in
      writer.writeVarint(1)
      writer.write(bytes: peer.bytes)
      writer.write(version)
      writer.write(status)
      writer.write(UInt64(1))
      writer.writeString("y")
      writer.write(UInt8(0))
    }
  }

  /// A frame of any type with the bytes that follow.
  private mutating func raw() {
    let (type, length) = (byte(), Int(byte()))
    let body = (0..<min(length, bytes.count)).map { _ in byte() }
    guard let link = pick(links) else { return }
    var writer = ByteWriter()
    writer.write(UInt32(body.count))
    writer.write(type)
    writer.write(bytes: body)
    receive(writer.bytes, on: link)
  }

  private mutating func place() {
    let anchor = Anchor(id: AnchorID(bytes: (0..<16).map { _ in byte() }) ?? AnchorID(), name: "a")
    anchors.append(anchor.id)
    input(.edit(.place(anchor)))
  }

  private mutating func send(_ type: FrameType, _ build: (inout ByteWriter, UInt8) -> Void) {
    let number = byte()
    guard let link = pick(links) else { return }
    var writer = ByteWriter()
    writer.writeFrame(type) { build(&$0, number) }
    receive(writer.bytes, on: link)
  }

  mutating func receive(_ bytes: [UInt8], on link: LinkID) {
    node.receive(bytes.span.bytes, on: link, at: now)
    drain()
  }

  mutating func input(_ input: Input) {
    note(node.handle(input, at: now))
    drain()
  }

  private mutating func pass(_ duration: Duration) {
    let end = now + duration
    var turns = 0
    while let deadline = node.deadline, deadline <= end {
      turns += 1
      precondition(turns < 100_000, "the node asks for ticks without end")
      now = max(now, deadline)
      input(.tick)
    }
    now = end
  }

  mutating func drain() {
    while let output = node.nextOutput() {
      outputs[1] += 1
      switch output {
      case .transmit(let link, let bytes):
        note(link, bytes)
        if links.contains(link) { _ = node.handle(.writable(link), at: now) }
      case .close(let link): links.removeAll { $0 == link }
      case .connect(let dial, _): dials.append(dial)
      case .check(let check): _ = node.handle(.chunkChecked(check.run()), at: now)
      case .find(let search): _ = node.handle(.chunksFound(search.content, [], isLast: true), at: now)
      case .load(let load):
        // Every third cannot be read.
        let chunk =
          load.index % 3 == 2 ? nil : StoredChunk(compressing: Self.content[load.offset...].prefix(load.name.size))
        _ = node.handle(.chunkLoaded(load, chunk), at: now)
      case .event(.invitationReceived(let id, _, _, _)): invitations.append(id)
      case .event(.resource(.offered(let offer))): resources.append(offer.id)
      case .event(.resource(.attachment(let offer, _))): resources.append(offer.id)
      case .event(.ownershipRequested(let question, _, _)): questions.append(question)
      default: break
      }
    }
  }

  mutating func answerQuestion() {
    if let id = pick(questions) { input(.answerOwnership(id, accepts: byte() & 1 == 0)) }
  }

  private mutating func note(_ link: LinkID, _ bytes: [UInt8]) {
    // FNV-1a, 64 bits.
    var hash = outputs[0] ^ 0xcbf2_9ce4_8422_2325 ^ link.rawValue
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    outputs[0] = hash
  }
}
