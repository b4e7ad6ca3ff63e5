import AnchorReplication
import Basics
import PeerProtocol
import WorldModel

/// Well-formed nonsense, as a member with bad intentions or a bad build would send it.
///
/// Every frame decodes. It forges records, departures, removals, link states, election messages, rules and
/// declarations of frames, under its own name, those of others and invented ones, and says that it is host. Only while it is host it forges no removal: as host it may remove. Its rules
/// let everybody in: a lie that locked the session would lock out a member that has to return in the end.
package struct Liar {
  var random: SeededRandom
  /// Lies told.
  package private(set) var count = 0
  private let machines: Int

  init(count: Int, random: SeededRandom) {
    machines = count
    self.random = random
  }

  /// Now and then a frame, else nil; `node` is the liar's honest half, which knows the others.
  mutating func next(as node: borrowing Node) -> [UInt8]? {
    guard random.chance(percent: 15) else { return nil }
    count += 1
    var writer = ByteWriter()
    switch random.below(6) {
    case 0: writeRoster(of: node, to: &writer)
    case 1: writeLinkState(node.roster, to: &writer)
    case 2: writeElection(of: node, to: &writer)
    case 4 where node.ownedSession.isOwned: writeStatement(of: node, to: &writer)
    case 4: writeWitnesses(of: node, to: &writer)
    case 5: writeTrick(of: node, to: &writer)
    default: writeSmall(isHost: node.host == node.me, after: node.rules.version, to: &writer)
    }
    return writer.bytes
  }

  private mutating func writeRoster(of node: borrowing Node, to writer: inout ByteWriter) {
    let (roster, me, isHost) = (node.roster, node.me.peer, node.host == node.me)
    let entries = (0...random.below(3)).map { _ in entry(roster, of: me, isHost: isHost) }
    Roster.writeFrames(entries, to: &writer)
  }

  private mutating func entry(_ roster: Roster, of me: PeerID, isHost: Bool) -> RosterEntry {
    guard random.chance(percent: 50) else {
      return RosterEntry(
        peerID: PeerID(SHA256Digest(words: SIMD4(7, 7, 7, UInt64(random.below(6))))),
        version: random.chance(percent: 20) ? .max : UInt32(1 + random.below(100)),
        status: [.present, .left, .kicked][random.below(3)], incarnation: random.next(), name: "nobody",
        addresses: [SessionPeer.address(of: random.below(machines + 3))])
    }
    let present = roster.entries.filter { $0.status == .present }
    var entry = present[random.below(present.count)]
    entry.version = entry.version &+ UInt32(random.below(3))
    // Its own record is true by definition.
    switch random.below(entry.peerID == me ? 3 : isHost ? 4 : 5) {
    case 0: entry.incarnation = random.next()
    case 1: entry.name = "another"
    // A number behind which others find no next one, if they do not count on behind the last.
    case 2 where entry.peerID == me: entry.version = [1 << 30, 1 << 31 - 1, 1 << 31][random.below(3)]
    case 3: entry.status = .left
    case 4: entry.status = .kicked
    default: entry.addresses = [SessionPeer.address(of: random.below(machines + 3))]
    }
    return entry
  }

  /// A removal, an admission or a lock that it signs itself, in its own name or in the creator's.
  private mutating func writeStatement(of node: borrowing Node, to writer: inout ByteWriter) {
    guard let record = node.ownedSession.record else { return }
    let (me, kind) = (node.me.peer, [Statement.Kind.removal, .admission, .lock][random.below(3)])
    let subject = kind == .lock ? Statement.none : self.node(node.roster).peer
    let statement = Statement(
      key: random.chance(percent: 80) ? me.bytes : record.genesis.creator, kind, of: subject,
      serial: 1 + UInt64(random.below(20)))
    guard let signed = statement.signed(by: Signatures(simulating: me), in: record.genesis.session) else { return }
    writer.writeFrame(.statements) { StatementsFrame([signed]).write(to: &$0) }
  }

  /// Words on removals that it signs itself, in its own name and in those of others; as host none.
  private mutating func writeWitnesses(of node: borrowing Node, to writer: inout ByteWriter) {
    guard node.host != node.me else { return }
    let signatures = Signatures(simulating: node.me.peer)
    let witnesses = (0...random.below(3)).compactMap { _ -> RemovalWitness? in
      let signer = random.chance(percent: 30) ? node.me : self.node(node.roster)
      let subject = self.node(node.roster).peer
      guard let signed = RemovalWitness(of: subject, by: signer.incarnation, signatures) else { return nil }
      return RemovalWitness(
        key: signer.peer.bytes, subject: subject, incarnation: signer.incarnation, signature: signed.signature)
    }
    writer.writeFrame(.removalWitnesses) { RemovalWitnesses(witnesses).write(to: &$0) }
  }

  /// Writes lies of few bytes that would do harm for long.
  private mutating func writeTrick(of node: borrowing Node, to writer: inout ByteWriter) {
    guard random.below(40) == 0 else { return writeWords(16, areInvented: false, node.roster, to: &writer) }
    // More authors than are remembered.
    for _ in 0..<9 { writeWords(64, areInvented: true, node.roster, to: &writer) }
  }

  /// Words in others' names or invented ones, with numbers near and far.
  private mutating func writeWords(_ count: Int, areInvented: Bool, _ roster: Roster, to writer: inout ByteWriter) {
    let words = (0..<count).map { _ in
      var author = node(roster)
      if areInvented { author = NodeID(peer: author.peer, incarnation: random.next()) }
      return word(by: author)
    }
    writer.writeFrame(.words) { body in for word in words { word.write(to: &body) } }
  }

  private mutating func word(by author: NodeID) -> SpreadWord {
    let version = [1, 2, 1 + UInt64(random.below(40)), 60_000, 1 << 62][random.below(5)]
    let topic = WordTopic.allCases[random.below(WordTopic.allCases.count)]
    var (key, body) = (ByteWriter(), ByteWriter())
    switch topic {
    case .groups: GroupList(["\(random.below(9))"]).write(to: &body)
    case .mapStatus: MapStatus.none.write(to: &body)
    case .declarations:
      let declaration = FrameDeclaration(
        number: UInt32(1 + random.below(3)), isShared: random.chance(percent: 50), clock: 0, sequence: 1,
        sessionTime: 0)
      DeclarationList([declaration]).write(to: &body)
    // Nothing, under this name.
    case .measurements, .attachments: break
    case .removals:
      author.write(to: &key)
      key.write(UInt64(random.below(5)))
      body.write(1 as UInt8)
    }
    return SpreadWord(topic, by: author, key: key.bytes, version: version, body: body.bytes)
  }

  private mutating func node(_ roster: Roster) -> NodeID {
    let node = roster.entries[random.below(roster.entries.count)].node
    return random.chance(percent: 20) ? NodeID(peer: node.peer, incarnation: random.next()) : node
  }

  private mutating func writeLinkState(_ roster: Roster, to writer: inout ByteWriter) {
    var state = LinkState(node: node(roster), configuration: ElectionConfiguration())
    state.version = random.chance(percent: 5) ? .max : UInt32(1 + random.below(200))
    state.priority = UInt8(random.below(256))
    state.canHost = random.chance(percent: 50)
    state.joinSequence = UInt32(random.below(10))
    let neighbors = (0..<random.below(6)).map { _ in node(roster).incarnation }
    state.neighbors = Set(neighbors).sorted()
    writer.writeFrame(.linkAnnouncement) { state.write(to: &$0) }
  }

  private mutating func writeElection(of me: borrowing Node, to writer: inout ByteWriter) {
    let (roster, epoch) = (me.roster, me.epoch)
    let header = FloodHeader(
      origin: random.chance(percent: 30) ? me.me : node(roster),
      nonce: random.chance(percent: 10) ? .max : UInt64(random.below(1 << 16)),
      linkVersion: UInt32(random.below(100)), destination: random.chance(percent: 50) ? node(roster) : nil)
    let message = message(roster, epoch: epoch)
    writer.writeFrame(.election) { body in
      header.write(to: &body)
      body.write(bytes: message.bytes)
    }
  }

  /// The bytes of an election message of any kind; its fields are described in Documentation/Protocol/election.md.
  private mutating func message(_ roster: Roster, epoch current: UInt64) -> ByteWriter {
    var writer = ByteWriter()
    let isExtreme = random.chance(percent: 3)
    let epoch = isExtreme ? ElectionMessage.greatestCount : current &+ UInt64(random.below(4))
    let time = isExtreme ? ElectionMessage.greatestCount : UInt64(random.below(100_000))
    let place = random.chance(percent: 3) ? ElectionMessage.greatestJoinSequence : UInt32(random.below(20))
    let (lease, priority) = (UInt32(random.below(3000)), UInt8(random.below(256)))
    let (size, kind) = (UInt16(random.below(100)), UInt8(1 + random.below(12)))
    writer.write(kind)
    switch kind {
    case 1:
      writer.write(epoch)
      writer.write(UInt32(random.below(1000)))
      writer.write(size)
      writer.write(priority)
      writer.write(time)
      writer.write(place)
    case 2:
      writer.write(epoch)
      writer.write(UInt32.max)
      writer.write(place)
      writer.write(time)
    case 3:
      writer.write(priority)
      writer.write(place)
      writer.write(epoch)
    default: writeRest(of: kind, roster, (epoch, current, time), lease, size, priority, place, to: &writer)
    }
    return writer
  }

  private mutating func writeRest(
    of kind: UInt8, _ roster: Roster, _ numbers: (epoch: UInt64, current: UInt64, time: UInt64), _ lease: UInt32,
    _ size: UInt16, _ priority: UInt8, _ place: UInt32, to writer: inout ByteWriter
  ) {
    if kind == 6 { writer.write(size) }
    if kind == 6 || kind == 11 { writer.write(priority) }
    if kind == 4 { writer.write(UInt8(1)) }
    if kind == 4 || kind == 5 { node(roster).write(to: &writer) }
    if kind == 12 { writer.write(place) }
    if kind == 11 { writer.write(UInt8(random.below(2))) }
    guard kind < 11 else { return }
    writer.write(numbers.epoch)
    if kind == 4 || kind == 5 { writer.write(lease) }
    if kind == 5 { writer.write(numbers.epoch) }
    if kind == 7 { writer.write(numbers.current) }
    if kind == 8 {
      writer.write(numbers.epoch)
      writer.write(numbers.time)
    }
    if kind == 10 {
      writer.write(UInt8(1))
      node(roster).write(to: &writer)
    }
  }

  /// Pongs to no ping, answers to no invitation, admissions nobody asked for, removals of who reads it, rules.
  private mutating func writeSmall(isHost: Bool, after version: UInt32, to writer: inout ByteWriter) {
    let number = random.next()
    switch random.below(6) {
    case 0: writer.writeFrame(.pong) { $0.write(number) }
    case 1: writer.writeFrame(.inviteAnswer) { InviteAnswer(number: number, decision: .accept).write(to: &$0) }
    case 2: writer.writeFrame(.admit)
    case 3 where !isHost: writer.writeFrame(.goodbye) { Goodbye(.kicked).write(to: &$0) }
    case 4:
      // A number that may follow the known one, or the highest there is.
      let leap: UInt32 = [1, 1 << 16, 1 << 31][random.below(3)]
      let limit = UInt8(32 + random.below(33))
      writer.writeFrame(.rules) {
        $0.write(version &+ leap)
        $0.write(bytes: [0, limit])
      }
    default: writer.writeFrame(.inviteCancel) { $0.write(number) }
    }
  }
}
