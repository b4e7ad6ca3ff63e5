import AnchorReplication
import Basics
import PeerProtocol
import Simulator
import Testing
import WorldModel

@Suite("A node in an owned session")
struct GovernanceTests {
  private static let creator = NodeProbe.peer(1)
  private static let genesis = Genesis(
    creator: creator.bytes, limit: 8, nonce: [UInt8](repeating: 3, count: Genesis.nonceSize))

  private static func statement(
    _ kind: Statement.Kind, of peer: PeerID, serial: UInt64 = 1, role: SessionRole = .member,
    naming named: [SHA256Digest] = [], cuts: [Statement.Cut] = []
  ) throws -> Statement {
    let statement = Statement(key: creator.bytes, kind, of: peer, serial: serial, role: role, naming: named, cuts: cuts)
    return try #require(statement.signed(by: Signatures(simulating: creator), in: genesis.session))
  }

  private static func charter(_ statements: [Statement], on link: LinkID, to probe: inout NodeProbe) {
    probe.send(.charter, on: link) { Charter(genesis, statements).write(to: &$0) }
  }

  private static func statements(_ statements: [Statement], on link: LinkID, to probe: inout NodeProbe) {
    probe.send(.statements, on: link) { StatementsFrame(statements).write(to: &$0) }
  }

  /// Brings a node into the session of the creator at the other end of the link; it is admitted if `isAdmitted`.
  private static func enter(_ probe: inout NodeProbe, isAdmitted: Bool = true) throws -> LinkID {
    let link = probe.greet(1, creator)
    charter([], on: link, to: &probe)
    probe.send(.invite, on: link) { Invite(number: 1, wait: 30_000, context: []).write(to: &$0) }
    for case .invitationReceived(let id, from: creator, _, _) in probe.takeEvents() {
      probe.input(.answer(id, .accept))
    }
    probe.send(.admit, on: link)
    if isAdmitted { charter([try statement(.admission, of: NodeProbe.me)], on: link, to: &probe) }
    return link
  }

  @Test("a lone node enters by the creator's admission, and goes by the session's limit")
  func enters() throws {
    var probe = NodeProbe(signs: true)
    let link = try Self.enter(&probe)
    let view = probe.node.ownedSession
    #expect(view.roles == [Self.creator: .creator, NodeProbe.me: .member])
    #expect(probe.node.rules.limit == 8 && probe.node.roster.admits(Self.creator))
    let roles = probe.takeEvents().compactMap { event in
      if case .roleChanged(NodeProbe.me, let role) = event { role } else { nil }
    }
    #expect(roles == [.member])
    // The other end hears that statements of this node are for the same session.
    #expect(try probe.frames(on: link).contains { $0.type == .charter })
  }

  @Test("a node that is not admitted leaves")
  func notAdmitted() throws {
    var probe = NodeProbe(signs: true)
    let link = try Self.enter(&probe, isAdmitted: false)
    probe.wait(seconds: 9, keeping: [link])
    #expect(!probe.node.hasEnded)
    probe.wait(seconds: 2, keeping: [link])
    #expect(probe.node.hasEnded)
  }

  @Test("a node that stood still while it waited for its admission has the rest of its time")
  func stoodStill() throws {
    var probe = NodeProbe(signs: true)
    let link = try Self.enter(&probe, isAdmitted: false)
    probe.wait(seconds: 5, keeping: [link])
    probe.now += .seconds(20)
    probe.input(.tick)
    // A second without a turn is no standstill.
    probe.wait(seconds: 3, keeping: [link])
    #expect(!probe.node.hasEnded)
    probe.wait(seconds: 4, keeping: [link])
    #expect(probe.node.hasEnded)
  }

  @Test("a member admits nobody, removes nobody and locks nothing")
  func memberMayNot() throws {
    var probe = NodeProbe(signs: true)
    _ = try Self.enter(&probe)
    for input in [Input.kick(Self.creator), .setLocked(true), .setRole(.member, of: NodeProbe.peer(2))] {
      #expect(probe.input(input) == .refused(.notPermitted))
    }
    let link = probe.accept(2, NodeProbe.peer(2))
    #expect(probe.closed.contains(link))
    #expect(!probe.node.roster.admits(NodeProbe.peer(2)))
  }

  @Test("a stranger that shows the creator's admission needs no invitation")
  func showsAdmission() throws {
    var probe = NodeProbe(signs: true)
    _ = try Self.enter(&probe)
    let link = probe.greet(2, NodeProbe.peer(2))
    Self.charter([try Self.statement(.admission, of: NodeProbe.peer(2))], on: link, to: &probe)
    probe.send(.admit, on: link)
    #expect(probe.node.roster.admits(NodeProbe.peer(2)))
  }

  @Test("a node that is removed ends, by the signed removal alone")
  func removed() throws {
    var probe = NodeProbe(signs: true)
    let link = try Self.enter(&probe)
    Self.statements([try Self.statement(.removal, of: NodeProbe.me, serial: 2)], on: link, to: &probe)
    #expect(probe.node.hasEnded)
  }

  @Test("a removed peer is shown why it stays out, and comes back by another admission")
  func comesBack() throws {
    var probe = NodeProbe(owns: true)
    let bob = NodeProbe.peer(2)
    let first = probe.join(1, bob)
    #expect(probe.node.ownedSession.roles[bob] == .member)
    _ = try probe.frames(on: first)
    #expect(probe.input(.kick(bob)) == .done && probe.node.roster[bob]?.status == .kicked)
    // On the link that stood, and on one of a later start.
    for link in [first, probe.greet(2, bob, incarnation: 8)] {
      let frames = try probe.frames(on: link).filter { $0.type == .charter || $0.type == .goodbye }
      #expect(frames.map(\.type) == [.charter, .goodbye])
      let frame = try #require(frames.first)
      let charter = try Charter(body: frame.body.span.bytes)
      #expect(charter.statements.contains { $0.kind == .removal && $0.subject == bob })
      #expect(probe.closed.contains(link))
    }
    #expect(probe.input(.setRole(.member, of: bob)) == .done)
    _ = probe.join(3, bob, incarnation: 8)
    #expect(probe.node.roster.admits(bob))
  }

  @Test("members of an open session do not bring it into an owned one")
  func openStaysOut() throws {
    var probe = NodeProbe(signs: true)
    _ = probe.join(2, NodeProbe.peer(2))
    let link = probe.greet(1, Self.creator)
    Self.charter([], on: link, to: &probe)
    probe.send(.invite, on: link) { Invite(number: 1, wait: 30_000, context: []).write(to: &$0) }
    #expect(try probe.goodbye(on: link) == .refused)
    #expect(!probe.node.ownedSession.isOwned)
  }

  @Test("a creator that starts again owns its session still, and has the statements")
  func restarts() throws {
    var probe = NodeProbe(owns: true)
    _ = probe.join(1, NodeProbe.peer(2))
    probe.input(.setRole(.moderator, of: NodeProbe.peer(2)))
    let record = try NodeRecord(decoding: probe.node.record.encoded)
    #expect(record.governance == probe.node.ownedSession.record && record.governance != nil)
    let again = NodeProbe(owns: true, incarnation: 2, restoring: record)
    #expect(again.node.ownedSession.record == probe.node.ownedSession.record)
    #expect(again.node.ownedSession.roles == [NodeProbe.me: .creator, NodeProbe.peer(2): .moderator])
    #expect(again.node.roster.admits(NodeProbe.peer(2)))
  }

  @Test("newcomers are guests if the creator says so, also after it starts again, until it gives them a role")
  func newcomersAreGuests() throws {
    var probe = NodeProbe(owns: true, newcomersAreGuests: true)
    let bob = NodeProbe.peer(2)
    _ = probe.join(1, bob)
    #expect(probe.node.ownedSession.roles == [NodeProbe.me: .creator, bob: .guest])
    #expect(probe.input(.setRole(.member, of: bob)) == .done && probe.node.ownedSession.roles[bob] == .member)
    let record = try NodeRecord(decoding: probe.node.record.encoded)
    var again = NodeProbe(owns: true, incarnation: 2, restoring: record)
    _ = again.join(1, NodeProbe.peer(3))
    let roles = again.node.ownedSession.roles
    #expect(roles[bob] == .member && roles[NodeProbe.peer(3)] == .guest)
  }

  @Test("a moderator lets newcomers in as guests by the creator's word, and makes no members of them")
  func moderatorsGuests() throws {
    var probe = NodeProbe(signs: true)
    let link = try Self.enter(&probe)
    let (bob, eve) = (NodeProbe.peer(2), NodeProbe.peer(3))
    Self.statements(
      [
        try Self.statement(.admission, of: NodeProbe.me, serial: 2, role: .moderator),
        try Self.statement(.admission, of: Statement.newcomers, role: .guest),
        try Self.statement(.admission, of: eve),
      ], on: link, to: &probe)
    _ = probe.join(2, bob)
    let roles: Table<PeerID, SessionRole> = [
      Self.creator: .creator, NodeProbe.me: .moderator, bob: .guest, eve: .member,
    ]
    #expect(probe.node.ownedSession.roles == roles)
    #expect(probe.input(.setRole(.member, of: bob)) == .refused(.notPermitted))
    #expect(probe.input(.setRole(.guest, of: eve)) == .done && probe.node.ownedSession.roles[eve] == .guest)
    #expect(probe.input(.setRole(.member, of: eve)) == .done && probe.node.ownedSession.roles[eve] == .member)
    #expect(probe.input(.setRole(.member, of: NodeProbe.peer(4))) == .refused(.notPermitted))
    let words = try #require(probe.node.ownedSession.record).statements.filter { $0.subject == bob }
    Self.statements([try Self.statement(.admission, of: bob, naming: words.map(\.hash))], on: link, to: &probe)
    #expect(probe.node.ownedSession.roles[bob] == .member)
  }

  @Test("an open session says nothing of all this, also to a creator")
  func openIsSilent() throws {
    var probe = NodeProbe(signs: true)
    let link = probe.join(1, NodeProbe.peer(2))
    probe.wait(seconds: 12, keeping: [link])
    let types = try probe.frames(on: link).map(\.type)
    #expect(!types.contains { [.charter, .statements, .statementsDigest].contains($0) })
    #expect(probe.node.record.encoded[4] == 1)
  }

  @Test("members with other statements are sent all, once a second")
  func antiEntropy() throws {
    var probe = NodeProbe(owns: true)
    let link = probe.join(1, NodeProbe.peer(2))
    _ = try probe.frames(on: link)
    for _ in 0..<3 { probe.send(.statementsDigest, on: link) { $0.write(SHA256Digest(words: .zero)) } }
    #expect(try probe.frames(on: link).count { $0.type == .statements } == 1)
    let digest = try #require(probe.node.ownedSession.record).statements.map(\.hash.bytes).flatMap(\.self)
    probe.wait(seconds: 2, keeping: [link])
    _ = try probe.frames(on: link)
    probe.send(.statementsDigest, on: link) { $0.write(SHA256Digest(hashing: digest)) }
    #expect(try probe.frames(on: link).allSatisfy { $0.type != .statements })
  }
}
