import Basics
@testable import PeerProtocol
import Simulator
import Testing
import WorldModel

/// What one lying member achieves: it may say what it likes of others and of who hosts, and puts nobody out.
@Suite("Who may remove")
struct RemovalTests {
  static let victim = member(1)
  static let liar = member(2)
  static let other = member(3)

  private static func member(_ number: Int) -> NodeID {
    NodeID(peer: NodeProbe.peer(number), incarnation: UInt64(100 + number))
  }

  /// A node with the links of three members, of which it may follow one as host; else it hosts.
  struct Session {
    var probe = NodeProbe()
    private(set) var links: [NodeID: LinkID] = [:]
    private var nonce: UInt64 = 0

    init(host: NodeID? = nil, signs: Bool = false, isOwned: Bool = false, curates: Bool = false) throws {
      if signs { probe = NodeProbe(signs: true) }
      if isOwned { probe = NodeProbe(owns: true, curates: curates) }
      for (number, node) in [RemovalTests.victim, RemovalTests.liar, RemovalTests.other].enumerated() {
        links[node] = probe.join(UInt64(number + 1), node.peer, incarnation: node.incarnation)
      }
      if let host { try beat(host) } else { waitUntilHost() }
      #expect(probe.node.host == host ?? probe.node.me)
      _ = probe.takeEvents()
    }

    private mutating func waitUntilHost() { wait(seconds: 6) }

    /// Lets time pass while all members show that they are alive.
    mutating func wait(seconds: Int) {
      for _ in 0..<seconds {
        probe.wait(.seconds(1))
        for link in links.values { probe.send(.ping, on: link) { $0.write(UInt64(1)) } }
      }
    }

    mutating func elect(_ node: NodeID, _ message: ElectionMessage) throws {
      nonce += 1
      let header = FloodHeader(origin: node, nonce: nonce, linkVersion: 0, destination: nil)
      probe.send(.election, on: try #require(links[node])) { body in
        header.write(to: &body)
        message.write(to: &body)
      }
    }

    mutating func beat(_ node: NodeID) throws {
      try elect(
        node, .beat(.init(epoch: 1, sequence: 1, size: 9, priority: 255, sessionTime: 1, nextJoinSequence: 5)))
    }

    mutating func say(
      _ status: RosterEntry.Status, of peer: PeerID, by node: NodeID, leap: UInt32 = 1,
      _ lie: (inout RosterEntry) -> Void = { _ in }
    ) throws {
      var entry = try #require(probe.node.roster[peer])
      (entry.status, entry.version) = (status, entry.version + leap)
      lie(&entry)
      let entries = [entry]
      var writer = ByteWriter()
      Roster.writeFrames(entries, to: &writer)
      probe.send(bytes: writer.bytes, on: try #require(links[node]))
    }

    mutating func goodbye(_ reason: EndReason, by node: NodeID) throws {
      probe.send(.goodbye, on: try #require(links[node])) { Goodbye(reason).write(to: &$0) }
    }

    mutating func tell(_ version: UInt32, isLocked: Bool, by node: NodeID) throws {
      probe.send(.rules, on: try #require(links[node])) { body in
        body.write(version)
        body.write(UInt8(isLocked ? 1 : 0))
        body.write(UInt8(64))
      }
    }

    mutating func acknowledge(by node: NodeID) throws {
      try elect(node, .ack(.init(epoch: probe.node.epoch, sequence: .max, joinSequence: 1, sessionTime: 0)))
    }

    mutating func hand(_ witnesses: [RemovalWitness], by node: NodeID) throws {
      probe.send(.removalWitnesses, on: try #require(links[node])) { RemovalWitnesses(witnesses).write(to: &$0) }
    }

    /// The signed words on removals on the link to a member since the last call.
    mutating func witnesses(to node: NodeID) throws -> [RemovalWitness] {
      try Self.witnesses(on: #require(links[node]), of: &probe)
    }

    static func witnesses(on link: LinkID, of probe: inout NodeProbe) throws -> [RemovalWitness] {
      try probe.frames(on: link).filter { $0.type == .removalWitnesses }.flatMap { frame in
        try RemovalWitnesses(body: frame.body.span.bytes).witnesses
      }
    }

    /// The kinds of frames on the link to a member since the last call.
    mutating func frames(to node: NodeID) throws -> [FrameType?] {
      try probe.frames(on: try #require(links[node])).map(\.type)
    }

    func status(of node: NodeID) -> RosterEntry.Status? { probe.node.roster[node.peer]?.status }

    var hasEnded: Bool { probe.node.hasEnded }
  }

  @Test("the host over its own link is believed at once")
  func hostIsBelieved() throws {
    var session = try Session(host: Self.other)
    try session.say(.kicked, of: Self.victim.peer, by: Self.other)
    #expect(session.status(of: Self.victim) == .kicked)
    try session.goodbye(.kicked, by: Self.other)
    #expect(session.hasEnded)
  }

  @Test("who beats as if it were host, while another one is followed, is not believed")
  func usurperIsNotBelieved() throws {
    var session = try Session(host: Self.other)
    try session.beat(Self.liar)
    try session.say(.kicked, of: Self.victim.peer, by: Self.liar)
    try session.say(.kicked, of: NodeProbe.me, by: Self.liar)
    #expect(session.status(of: Self.victim) == .present)
    try session.goodbye(.kicked, by: Self.liar)
    #expect(!session.hasEnded)
  }

  @Test("a departure that became a removal by a lie is not believed either")
  func departedIsNotRemovedByALie() throws {
    var session = try Session(host: Self.other)
    try session.goodbye(.left, by: Self.victim)
    #expect(session.status(of: Self.victim) == .left)
    try session.say(.kicked, of: Self.victim.peer, by: Self.liar)
    #expect(session.status(of: Self.victim) == .left)
  }

  @Test("two members that do not follow this host, as after a merge, are believed; one alone is not")
  func mergeTakesTwo() throws {
    var session = try Session()
    try session.say(.kicked, of: Self.victim.peer, by: Self.liar)
    try session.say(.kicked, of: Self.victim.peer, by: Self.liar, leap: 2)
    #expect(session.status(of: Self.victim) == .present)
    try session.say(.kicked, of: Self.victim.peer, by: Self.other)
    #expect(session.status(of: Self.victim) == .kicked)
  }

  /// They may have followed this host before they were linked to it, through the first of them that was.
  @Test("two followers that have just come from another session are believed, one alone is not")
  func newFollowersAreBelieved() throws {
    var session = try Session()
    for node in [Self.liar, Self.other] {
      #expect(session.status(of: Self.victim) == .present)
      try session.acknowledge(by: node)
      try session.say(.kicked, of: Self.victim.peer, by: node)
    }
    #expect(session.status(of: Self.victim) == .kicked)
  }

  private static func witness(
    _ signer: NodeID, of subject: PeerID, forgedBy forger: NodeID? = nil, incarnation: UInt64? = nil
  ) throws -> RemovalWitness {
    let signed = try #require(
      RemovalWitness(
        of: subject, by: incarnation ?? signer.incarnation, Signatures(simulating: (forger ?? signer).peer)))
    return RemovalWitness(
      key: signer.peer.bytes, subject: signed.subject, incarnation: signed.incarnation, signature: signed.signature)
  }

  @Test("the signed words of two members on a removal are believed, by whatever member they come")
  func witnessesAreBelieved() throws {
    var session = try Session(signs: true)
    try session.hand([Self.witness(Self.other, of: Self.victim.peer)], by: Self.other)
    #expect(session.status(of: Self.victim) == .present)
    try session.hand([Self.witness(Self.liar, of: Self.victim.peer)], by: Self.other)
    #expect(session.status(of: Self.victim) == .kicked)
  }

  @Test("the signed words of two members on a removal are believed of one that has left here")
  func witnessesAreBelievedOfOneThatHasLeft() throws {
    var session = try Session(signs: true)
    try session.goodbye(.left, by: Self.victim)
    #expect(session.status(of: Self.victim) == .left)
    try session.hand([Self.witness(Self.other, of: Self.victim.peer)], by: Self.other)
    try session.hand([Self.witness(Self.liar, of: Self.victim.peer)], by: Self.other)
    #expect(session.status(of: Self.victim) == .kicked)
  }

  @Test("one member's signatures remove nobody: forged ones, of other starts, of strangers and its own twice")
  func forgedWitnessesAreNotBelieved() throws {
    var session = try Session(signs: true)
    let stranger = Self.member(9)
    try session.hand(
      [
        Self.witness(Self.liar, of: Self.victim.peer),
        Self.witness(Self.liar, of: Self.victim.peer),
        Self.witness(Self.other, of: Self.victim.peer, forgedBy: Self.liar),
        Self.witness(Self.other, of: Self.victim.peer, incarnation: 1),
        Self.witness(Self.victim, of: Self.victim.peer),
        Self.witness(stranger, of: Self.victim.peer),
      ], by: Self.liar)
    try session.say(.kicked, of: Self.victim.peer, by: Self.liar)
    session.wait(seconds: 8)
    #expect(session.status(of: Self.victim) == .present)
    // What was not believed is not handed on either.
    #expect(try session.witnesses(to: Self.other) == [Self.witness(Self.liar, of: Self.victim.peer)])
  }

  @Test("followers of longer standing sign no removal that is believed")
  func witnessesOfFollowersAreNotBelieved() throws {
    var session = try Session(signs: true)
    session.wait(seconds: 31)
    for node in [Self.liar, Self.other] {
      try session.acknowledge(by: node)
      try session.hand([Self.witness(node, of: Self.victim.peer)], by: node)
    }
    #expect(session.status(of: Self.victim) == .present)
  }

  @Test("a host signs its removals, members that hear of one from it do too, and a newcomer is told all of them")
  func removalsAreWitnessed() throws {
    var hosting = try Session(signs: true)
    hosting.probe.input(.kick(Self.victim.peer))
    let me = NodeID(peer: NodeProbe.me, incarnation: 1)
    let mine = try Self.witness(me, of: Self.victim.peer)
    #expect(try hosting.witnesses(to: Self.other) == [mine])
    let newcomer = hosting.probe.join(9, NodeProbe.peer(9))
    #expect(try Session.witnesses(on: newcomer, of: &hosting.probe) == [mine])

    var following = try Session(host: Self.other, signs: true)
    try following.say(.kicked, of: Self.victim.peer, by: Self.liar)
    #expect(try following.witnesses(to: Self.liar).isEmpty)
    try following.say(.kicked, of: Self.victim.peer, by: Self.other)
    #expect(try following.witnesses(to: Self.liar) == [mine])
  }

  @Test("words on the removals of 64 peers are kept, and one that is not kept goes no further")
  func witnessesAreBounded() throws {
    let subjects = (0...ProtocolLimits.members).map { NodeProbe.peer(1000 + $0) }.sorted()
    let roster = Roster(
      restoring: subjects.map {
        RosterEntry(peerID: $0, version: 1, status: .kicked, incarnation: 1, name: "gone", addresses: [])
      })
    var book = WitnessBook()
    let taken = try subjects.map { subject in
      book.take(try Self.witness(Self.other, of: subject), of: Self.other.peer, in: roster)
    }
    #expect(taken == Array(repeating: true, count: ProtocolLimits.members) + [false])
    #expect(book.all.count == ProtocolLimits.members)
  }

  @Test("a member has a bounded number of signatures checked in a second")
  func checksAreBounded() throws {
    var session = try Session(signs: true)
    let forged = try Self.witness(Self.other, of: Self.victim.peer, forgedBy: Self.liar)
    let all = Array(repeating: forged, count: RemovalWitnesses.limit)
    try session.hand(all, by: Self.liar)
    try session.hand([Self.witness(Self.liar, of: Self.victim.peer)], by: Self.liar)
    #expect(try session.witnesses(to: Self.other).isEmpty)
    session.wait(seconds: 1)
    try session.hand([Self.witness(Self.liar, of: Self.victim.peer)], by: Self.liar)
    #expect(try session.witnesses(to: Self.other).count == 1)
  }

  @Test("followers of longer standing tell their host nothing of removals")
  func followersAreNotBelieved() throws {
    var session = try Session()
    session.wait(seconds: 31)
    for node in [Self.liar, Self.other] {
      try session.acknowledge(by: node)
      try session.say(.kicked, of: Self.victim.peer, by: node)
    }
    #expect(session.status(of: Self.victim) == .present)
  }

  @Test("records that are not believed are remembered up to a bound")
  func disputesAreBounded() throws {
    var session = try Session()
    for number in 0..<2 * ProtocolLimits.roster {
      try session.say(.kicked, of: Self.victim.peer, by: Self.liar) { $0.peerID = NodeProbe.peer(1000 + number) }
    }
    let disputes = try #require(stored("membership.kept.disputes.disputes.keys", in: session.probe.node))
    #expect(Mirror(reflecting: disputes).children.count == ProtocolLimits.roster)
    try session.say(.kicked, of: Self.victim.peer, by: Self.liar)
    #expect(session.status(of: Self.victim) == .present)
  }

  @Test("who has no member's link believes its own removal from two, not from one")
  func loneNodeTakesTwo() throws {
    var session = try Session()
    for node in [Self.victim, Self.liar, Self.other] {
      session.probe.input(.linkClosed(try #require(session.links[node])))
    }
    for (number, node) in [Self.liar, Self.liar, Self.other].enumerated() {
      #expect(!session.hasEnded)
      let link = session.probe.greet(UInt64(10 + number), node.peer, incarnation: node.incarnation)
      session.probe.send(.goodbye, on: link) { Goodbye(.kicked).write(to: &$0) }
    }
    #expect(session.hasEnded)
  }

  @Test("who has no member's link believes its own removal from the host it followed last")
  func loneNodeBelievesItsLastHost() throws {
    var session = try Session(host: Self.other)
    for node in [Self.victim, Self.liar, Self.other] {
      session.probe.input(.linkClosed(try #require(session.links[node])))
    }
    session.probe.wait(.seconds(6))
    #expect(session.probe.node.host == session.probe.node.me)
    let link = session.probe.greet(10, Self.other.peer, incarnation: Self.other.incarnation)
    session.probe.send(.goodbye, on: link) { Goodbye(.kicked).write(to: &$0) }
    #expect(session.hasEnded)
  }

  @Test("who has just come in and knows one member alone believes it, before it has heard of any host")
  func newcomerBelievesTheOnlyMember() throws {
    var probe = NodeProbe()
    let link = probe.join(1, Self.other.peer)
    #expect(probe.node.host == nil)
    probe.send(.goodbye, on: link) { Goodbye(.kicked).write(to: &$0) }
    #expect(probe.node.hasEnded)
  }

  @Test("a lone host on its way into the session of the only member it knows believes it, and not once it is there")
  func loneHostBelievesTheMemberItEnters() throws {
    for isLate in [false, true] {
      var probe = NodeProbe()
      probe.wait(.seconds(6))
      let link = probe.join(1, Self.other.peer)
      for _ in 0..<(isLate ? 8 : 0) {
        probe.wait(.seconds(1))
        probe.send(.ping, on: link) { $0.write(UInt64(1)) }
      }
      #expect(probe.node.host == probe.node.me && probe.node.roster.presentCount == 2)
      probe.send(.goodbye, on: link) { Goodbye(.kicked).write(to: &$0) }
      #expect(probe.node.hasEnded == !isLate)
    }
  }

  @Test("a removal stands although the removed one's friends say otherwise, at the host and elsewhere")
  func removalIsNotTakenBack() throws {
    for host in [nil, Self.other] {
      var session = try Session(host: host)
      if host == nil {
        session.probe.input(.kick(Self.victim.peer))
      } else {
        try session.say(.kicked, of: Self.victim.peer, by: Self.other)
      }
      #expect(session.status(of: Self.victim) == .kicked)
      try session.say(.present, of: Self.victim.peer, by: Self.liar)
      try session.say(.left, of: Self.victim.peer, by: Self.liar, leap: 2)
      #expect(session.status(of: Self.victim) == .kicked)
    }
  }

  @Test("nobody but the host itself, not even on the way to it, says that the host is removed")
  func hostIsNotRemovedByOthers() throws {
    var session = try Session(host: Self.other)
    session.probe.input(.linkClosed(try #require(session.links[Self.other])))
    #expect(session.probe.node.host == Self.other)
    try session.say(.kicked, of: Self.other.peer, by: Self.liar)
    #expect(session.status(of: Self.other) == .present)
  }

  @Test("who was said to have left while it was away is a member again when it comes back")
  func awayIsTakenBack() throws {
    for incarnation in [Self.victim.incarnation, 9] {
      var session = try Session(host: Self.other)
      session.probe.input(.linkClosed(try #require(session.links[Self.victim])))
      try session.say(.left, of: Self.victim.peer, by: Self.liar)
      #expect(session.status(of: Self.victim) == .left)
      let link = session.probe.greet(10, Self.victim.peer, incarnation: incarnation)
      session.probe.send(.admit, on: link)
      // Another start of the process is another guest: it has to be invited.
      #expect(session.status(of: Self.victim) == (incarnation == 9 ? .left : .present))
    }
  }

  /// `session-messages 180081 3`: the one had left and started again; what was told of its earlier start was believed when its
  /// link had broken, and each refused the other from then on.
  @Test("a start that was a member here is one again when it comes back, though another start has left")
  func departureOfAnotherStartIsTakenBack() throws {
    var session = try Session(host: Self.other)
    session.probe.input(.linkClosed(try #require(session.links[Self.victim])))
    session.wait(seconds: 11)
    try session.say(.left, of: Self.victim.peer, by: Self.liar) { $0.incarnation = 9 }
    #expect(session.status(of: Self.victim) == .left)
    // A third start was never a member.
    let stranger = session.probe.greet(10, Self.victim.peer, incarnation: 10)
    session.probe.send(.admit, on: stranger)
    #expect(session.status(of: Self.victim) == .left)
    session.probe.input(.linkClosed(stranger))
    let member = session.probe.greet(11, Self.victim.peer, incarnation: Self.victim.incarnation)
    session.probe.send(.admit, on: member)
    #expect(session.status(of: Self.victim) == .present)
    #expect(session.probe.node.roster[Self.victim.peer]?.incarnation == Self.victim.incarnation)
  }

  @Test("who said goodbye itself comes back by invitation only")
  func departedStaysOut() throws {
    var session = try Session(host: Self.other)
    try session.goodbye(.left, by: Self.victim)
    let link = session.probe.greet(10, Self.victim.peer, incarnation: Self.victim.incarnation)
    session.probe.send(.admit, on: link)
    #expect(session.status(of: Self.victim) == .left)
  }

  /// `session 1781 3`: it started again while this member slept, gave up on its link as a stranger's, and then became a
  /// member through others.
  @Test("a restarted member that refused while it knew nobody is a member again when it says so")
  func refusalIsTakenBack() throws {
    var session = try Session(host: Self.other)
    for reason in [EndReason.refused, .locked, .limitExceeded] {
      let stranger = session.probe.greet(10, Self.victim.peer, incarnation: 9)
      session.probe.send(.goodbye, on: stranger) { Goodbye(reason).write(to: &$0) }
      #expect(session.status(of: Self.victim) == .left)
      let member = session.probe.greet(11, Self.victim.peer, incarnation: 9)
      session.probe.send(.admit, on: member)
      #expect(session.status(of: Self.victim) == .present)
      #expect(session.probe.node.memberSummaries.contains { $0.peerID == Self.victim.peer && $0.isDirect })
      session.probe.input(.linkClosed(member))
    }
  }

  @Test("who follows a host takes the rules from it, whatever their number, and from nobody else")
  func rulesComeFromTheHost() throws {
    var session = try Session(host: Self.other)
    try session.tell(1, isLocked: true, by: Self.liar)
    #expect(!session.probe.node.rules.isLocked && session.probe.takeEvents().isEmpty)
    try session.tell(1 << 31, isLocked: true, by: Self.other)
    #expect(session.probe.node.rules.isLocked)
    try session.tell(.max, isLocked: false, by: Self.other)
    #expect(session.probe.node.rules.isLocked)
    try session.tell(2, isLocked: false, by: Self.other)
    #expect(!session.probe.node.rules.isLocked && session.probe.node.rules.version == 2)
  }

  @Test("a host takes no rules from those who follow it, and tells them its own")
  func followersDoNotRule() throws {
    var session = try Session()
    session.probe.input(.setLocked(true))
    try session.acknowledge(by: Self.liar)
    _ = try session.frames(to: Self.liar)
    try session.tell(2, isLocked: false, by: Self.liar)
    #expect(session.probe.node.rules.isLocked)
    #expect(try session.frames(to: Self.liar) == [.rules])
    // As a member that comes from another session does, or that knew an earlier host.
    try session.tell(2, isLocked: false, by: Self.other)
    #expect(!session.probe.node.rules.isLocked)
  }

  @Test("a liar that uses up the numbers of the rules does not keep the host from locking the session")
  func rulesAreNotUsedUp() throws {
    var session = try Session()
    for step in 1...UInt32(1 << 15) { try session.tell(step << 16, isLocked: false, by: Self.liar) }
    #expect(session.probe.node.rules.version == 1 << 31)
    for node in [Self.victim, Self.liar, Self.other] { _ = try session.frames(to: node) }
    session.probe.input(.setLocked(true))
    #expect(session.probe.node.rules.isLocked)
    for node in [Self.victim, Self.other] { #expect(try session.frames(to: node) == [.rules]) }
    try session.tell(1 << 31, isLocked: false, by: Self.liar)
    #expect(session.probe.node.rules.isLocked)
  }

  @Test("who begins to follow a host tells it the rules before it counts as its follower, and later again")
  func rulesAreRepeated() throws {
    var session = try Session(host: Self.liar)
    try session.tell(1, isLocked: true, by: Self.liar)
    try session.elect(Self.liar, .resign(.init(epoch: 1, successor: Self.other)))
    _ = try session.frames(to: Self.other)
    try session.beat(Self.other)
    let frames = try session.frames(to: Self.other)
    #expect(frames.first == .rules && frames.contains(.election))
    for _ in 0..<5 {
      session.probe.wait(.seconds(1))
      session.probe.send(.ping, on: try #require(session.links[Self.other])) { $0.write(UInt64(1)) }
    }
    #expect(try session.frames(to: Self.other).contains(.rules))
  }

  @Test("an address that leads to another member does not cost the link to that")
  func strayDialIsDropped() throws {
    var session = try Session(host: Self.other)
    let kept = try #require(session.links[Self.other])
    session.probe.input(.linkClosed(try #require(session.links[Self.victim])))
    try session.say(.present, of: Self.victim.peer, by: Self.liar) { $0.addresses = [.loopback(port: 9)] }
    session.probe.wait(.seconds(2))
    let dial = try #require(session.probe.dials.last { $0.address == .loopback(port: 9) }).dial
    let stray = session.probe.open(10, Self.other.peer, dial: dial)
    #expect(session.probe.closed.contains(stray) && !session.probe.closed.contains(kept))
    #expect(try session.probe.frames(on: stray).isEmpty)
  }
}
