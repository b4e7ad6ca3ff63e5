import AnchorReplication
import Basics
import Simulator
import Testing
import WorldModel

@testable import PeerProtocol

/// What one member achieves by numbers it makes up, and what is refused for want of room or time and must count later.
@Suite struct AttackMemberTests {
  private static func entry(
    _ peer: PeerID, _ version: UInt32, _ status: RosterEntry.Status = .present
  ) -> RosterEntry {
    RosterEntry(peerID: peer, version: version, status: status, incarnation: 7, name: "other", addresses: [])
  }

  // MARK: Records

  @Test(arguments: [9, 1 << 30, 1 << 31 - 1, 1 << 31] as [UInt32])
  func `a member that says its record with any number can be removed, and can leave`(version: UInt32) throws {
    let liar = NodeProbe.peer(1)
    var probe = NodeProbe()
    var link = probe.join(1, liar)
    probe.tell([Self.entry(liar, version)], on: link)
    probe.wait(seconds: 6, keeping: [link])
    #expect(probe.node.host == probe.node.me)
    #expect(probe.input(.kick(liar)) == .done)
    #expect(probe.node.roster[liar]?.status == .kicked && probe.closed.contains(link))

    probe = NodeProbe()
    link = probe.join(1, liar)
    probe.tell([Self.entry(liar, version)], on: link)
    probe.send(.goodbye, on: link) { Goodbye(.left).write(to: &$0) }
    #expect(probe.node.roster[liar]?.status == .left)
    _ = probe.join(2, liar, incarnation: 8)
    #expect(probe.node.roster.admits(liar), "it may come back as anybody")
  }

  @Test func `a member that did not fit among 64 is one as soon as a place is free`() throws {
    var probe = NodeProbe()
    let link = probe.join(1, NodeProbe.peer(1))
    let crowd = (100..<162).map(NodeProbe.peer)
    let (last, gone) = (NodeProbe.peer(3), NodeProbe.peer(4))
    probe.tell(crowd.map { Self.entry($0, 1) }, on: link)
    probe.tell([Self.entry(last, 1), Self.entry(gone, 1), Self.entry(gone, 2, .left)], on: link)
    #expect(probe.node.roster.presentCount == 64 && probe.node.roster[last] == nil)
    probe.wait(seconds: 60, keeping: [link])
    probe.tell([Self.entry(crowd[0], 2, .left)], on: link)
    #expect(probe.node.roster.presentCount == 64 && probe.node.roster.admits(last))
    probe.tell([Self.entry(crowd[1], 2, .left)], on: link)
    #expect(probe.node.roster.presentCount == 63, "one that has left meanwhile takes no place")
  }

  @Test func `of those that do not fit one member may name so many, and keeps no other one out`() throws {
    var probe = NodeProbe()
    let links = (1...2).map { probe.join(UInt64($0), NodeProbe.peer($0)) }
    let crowd = (100..<161).map(NodeProbe.peer)
    probe.tell(crowd.map { Self.entry($0, 1) }, on: links[0])
    for start in stride(from: 0, to: 2_000, by: 100) {
      probe.tell((start..<start + 100).map { Self.entry(NodeProbe.peer(10_000 + $0), 1) }, on: links[1])
    }
    let last = NodeProbe.peer(3)
    probe.tell([Self.entry(last, 1)], on: links[0])
    // Each departure gives a place to one that waits, in the order of the ids.
    while let next = probe.node.roster.entries.first(where: { entry in
      entry.status == .present && ![NodeProbe.me, NodeProbe.peer(1), NodeProbe.peer(2)].contains(entry.peerID)
    }) {
      guard next.peerID != last else { return }
      probe.tell([Self.entry(next.peerID, 2, .left)], on: links[0])
    }
    Issue.record("the true one is never heard of again")
  }

  // MARK: Signed removals

  @Test func `of 30 removals that come together all count, at the pace at which signatures are checked`() throws {
    var probe = NodeProbe(signs: true)
    let link = probe.join(1, NodeProbe.peer(1))
    let (subjects, signers) = ((100..<130).map(NodeProbe.peer).sorted(), (200..<204).map(NodeProbe.peer).sorted())
    probe.tell((subjects + signers).map { Self.entry($0, 1) }, on: link)
    probe.wait(seconds: 3, keeping: [link])
    let words = subjects.flatMap { subject in
      signers.map { signer in
        let signatures = Signatures(simulating: signer)
        return RemovalWitness(of: subject, by: 7, signatures)
          ?? RemovalWitness(
            key: signer.bytes, subject: subject, incarnation: 7, signature: [])
      }
    }
    for start in stride(from: 0, to: words.count, by: 64) {
      probe.send(.removalWitnesses, on: link) { RemovalWitnesses(Array(words[start...].prefix(64))).write(to: &$0) }
    }
    let atOnce = subjects.count { probe.node.roster[$0]?.status == .kicked }
    #expect(atOnce == 16, "64 signatures a second")
    probe.wait(seconds: 3, keeping: [link])
    #expect(subjects.count { probe.node.roster[$0]?.status == .kicked } == 30)
  }

  // MARK: Floods

  /// A node with three neighbours, and the origin of floods, which the first of them has a link to.
  private struct Relay {
    static let origin = NodeID(peer: NodeProbe.peer(9), incarnation: 7)
    var probe = NodeProbe()
    var links: [LinkID] = []

    init() {
      links = (1...3).map { probe.join(UInt64($0), NodeProbe.peer($0), incarnation: UInt64($0)) }
      probe.tell([AttackMemberTests.entry(Self.origin.peer, 1)], on: links[0])
      announce(NodeID(peer: NodeProbe.peer(1), incarnation: 1), [1, 7], on: links[0])
      announce(Self.origin, [1], on: links[0])
    }

    mutating func announce(_ node: NodeID, _ neighbors: [UInt64], on link: LinkID) {
      var state = LinkState(node: node, configuration: ElectionConfiguration())
      (state.version, state.neighbors) = (1, Array(Set(neighbors)).sorted())
      probe.send(.linkAnnouncement, on: link) { state.write(to: &$0) }
    }

    /// Sends a message of an origin on the link to a neighbour; whether it goes on to the third one.
    mutating func passes(_ nonce: UInt64, of origin: NodeID = origin, from neighbor: Int) throws -> Bool {
      _ = try probe.frames(on: links[2])
      let nack = ElectionMessage.PreNack(host: origin, epoch: 0, leaseRemaining: 0)
      probe.send(.election, on: links[neighbor - 1]) { body in
        FloodHeader(origin: origin, nonce: nonce, linkVersion: 0, destination: nil).write(to: &body)
        ElectionMessage.preNack(nack).write(to: &body)
      }
      return try probe.frames(on: links[2]).contains { frame in
        var reader = ByteReader(frame.body.span)
        return try frame.type == .election && FloodHeader(reading: &reader).origin == origin
      }
    }
  }

  @Test(arguments: [1 << 63, 1 << 20, 5_000] as [UInt64])
  func `one number of the future makes nobody deaf to the messages of its supposed origin`(future: UInt64) throws {
    var relay = Relay()
    #expect(try relay.passes(5, from: 1))
    relay.probe.wait(seconds: 2, keeping: relay.links)
    _ = try relay.passes(future, from: 2)
    relay.probe.wait(seconds: 2, keeping: relay.links)
    for nonce in UInt64(6)..<200 {
      #expect(try relay.passes(nonce, from: 1))
      #expect(try !relay.passes(nonce, from: 2), "each goes on once")
    }
    #expect(try !relay.passes(5, from: 1), "an old one goes on no more")
  }

  @Test func `messages of far numbers go round once in a second, whoever makes them up`() throws {
    var relay = Relay()
    _ = try relay.passes(5, from: 1)
    var passed = 0
    relay.probe.wait(seconds: 2, keeping: relay.links)
    for round in UInt64(1)...1_000 where try relay.passes(round << 20, from: 2) { passed += 1 }
    #expect(passed == 1)
    #expect(try relay.passes(6, from: 1))
  }

  @Test func `256 invented origins make no member's message go round again`() throws {
    var relay = Relay()
    #expect(try relay.passes(5, from: 1))
    for number in 0..<1_000 {
      let origin = NodeID(peer: NodeProbe.peer(1_000 + number), incarnation: UInt64(1_000 + number))
      _ = try relay.passes(1, of: origin, from: 2)
    }
    #expect(try !relay.passes(5, from: 1))
    #expect(try relay.passes(6, from: 1))
  }

  // MARK: Owned sessions

  @Test func `a digest of statements is looked at once in a second, whatever it says`() throws {
    var probe = NodeProbe(owns: true)
    let link = probe.join(1, NodeProbe.peer(1))
    probe.wait(seconds: 2, keeping: [link])
    let record = try #require(probe.node.ownedSession.record)
    var book = StatementBook(creator: NodeProbe.me)
    for statement in record.statements { book.add(statement, by: NodeProbe.me) }
    func answers(to digest: SHA256Digest) throws -> Bool {
      _ = try probe.frames(on: link)
      probe.send(.statementsDigest, on: link) { StatementsDigest(digest).write(to: &$0) }
      return try probe.frames(on: link).contains { $0.type == .statements }
    }
    let other = SHA256Digest(words: .zero)
    #expect(try !answers(to: book.digest))
    #expect(try !answers(to: other), "the one before was hashed for")
    probe.wait(seconds: 1, keeping: [link])
    #expect(try answers(to: other))
    #expect(try !answers(to: other))
  }

  // MARK: Frames of devices

  @Test func `invented declarations hide nobody's anchors, and keep no member's own out`() throws {
    var probe = NodeProbe()
    let links = (1...2).map { probe.join(UInt64($0), NodeProbe.peer($0)) }
    let anchor = Anchor(name: "a")
    try probe.edit(.place(anchor))
    func declaration(of node: NodeID) -> SpreadWord {
      SpreadWord(
        declaring: [FrameDeclaration(number: 1, isShared: false, clock: 0, sequence: 1, sessionTime: 1)], by: node)
    }
    for start in stride(from: 1_000, to: 1_000 + 2 * ProtocolLimits.frameAuthors, by: 128) {
      let words = (start..<start + 128).map {
        let peer = $0.isMultiple(of: 2) ? NodeProbe.peer($0) : NodeProbe.me
        return declaration(of: NodeID(peer: peer, incarnation: UInt64($0)))
      }
      probe.say(words, on: links[0])
    }
    #expect(probe.closed.isEmpty)
    #expect(probe.node.worldFrames.anchor(anchor.id, in: probe.node.anchors)?.name == "a")
    let member = NodeID(peer: NodeProbe.peer(2), incarnation: 7)
    probe.say([declaration(of: member)], on: links[1])
    #expect(probe.node.frame(of: member.peer) == WorldFrame(owner: member.actor, number: 1))
    #expect(probe.node.worldFrames.anchor(anchor.id, in: probe.node.anchors)?.name == "a")
    #expect(probe.node.worldFrames.book.declared.count == ProtocolLimits.frameAuthors + 1)
  }
}
