import AnchorReplication
import Basics
import PeerProtocol
import Simulator
import Testing
import WorldModel

@Suite("Ownership")
struct OwnershipTests {
  private func id(_ number: UInt64) -> OwnershipRequestID { OwnershipRequestID(rawValue: number) }

  /// Lets a node wish something and gives what becomes of it.
  private func wish(
    _ index: Int, _ wish: OwnershipWish, _ anchor: AnchorID, timeout: Duration = .seconds(5),
    for duration: Duration = .milliseconds(400), in session: inout TestSession
  ) throws -> [OwnershipResult] {
    session.forgetEvents()
    try session.perform(index) { node, now in node.handle(.wish(id(9), wish, of: anchor, timeout: timeout), at: now) }
    session.run(duration)
    return results(index, session)
  }

  private func results(_ index: Int, _ session: TestSession) -> [OwnershipResult] {
    session.simulation.monitor.events[index].compactMap {
      if case .ownershipSettled(_, let result) = $0 { result } else { nil }
    }
  }

  private func owner(_ index: Int, of anchor: AnchorID, in session: TestSession) throws -> PeerID? {
    try session.node(index).owner(of: anchor, at: session.simulation.localTime(index))?.owner
  }

  private func met(_ results: [OwnershipResult]) -> AnchorLock? {
    if case .met(let lock)? = results.first, results.count == 1 { lock } else { nil }
  }

  @Test("a free anchor is granted to who asks, through a row of peers, and all know its owner")
  func granted() throws {
    var session = try TestSession.row(4)
    let lamp = try session.place(0)
    for index in 0..<4 {
      let lock = met(try wish(index, .own(lease: nil), lamp, in: &session))
      let me = try session.node(index).me.peer
      #expect(lock?.owner == me, "node \(index + 1)")
      for other in 0..<4 { #expect(try owner(other, of: lamp, in: session) == me) }
    }
    // Each grant took the anchor from the one before, which agreed by itself.
    #expect(met(try wish(3, .release, lamp, in: &session))?.owner == nil)
    #expect(try owner(0, of: lamp, in: session) == nil)
  }

  @Test("an owner whose app decides gives, or keeps, or says nothing until the time is up", arguments: 0...2)
  func decided(_ answer: Int) throws {
    var session = try TestSession(3, asking: true)
    let lamp = try session.place(0)
    #expect(met(try wish(1, .own(lease: nil), lamp, in: &session)) != nil)
    #expect(try wish(2, .own(lease: nil), lamp, timeout: .seconds(2), in: &session) == [])
    let questions = session.simulation.monitor.events[1].compactMap { event -> OwnershipQuestionID? in
      if case .ownershipRequested(let id, lamp, _) = event { id } else { nil }
    }
    try #require(questions.count == 1)
    if answer < 2 {
      try session.perform(1) { node, now in node.handle(.answerOwnership(questions[0], accepts: answer == 0), at: now) }
    }
    session.run(.seconds(3))
    switch answer {
    case 0: #expect(met(results(2, session))?.owner == (try session.node(2).me.peer))
    case 1: #expect(results(2, session) == [.declined])
    default:
      // The host may be a moment ahead in finding that the owner does not answer.
      #expect([[.declined], [.unanswered]].contains(results(2, session)))
    }
    #expect(try owner(0, of: lamp, in: session) == (try session.node(answer == 0 ? 2 : 1).me.peer))
  }

  @Test("only the owner releases and gives; a gift goes to a member alone")
  func given() throws {
    var session = try TestSession(3)
    let lamp = try session.place(0)
    #expect(try wish(1, .release, lamp, in: &session) == [.notOwner])
    #expect(met(try wish(1, .own(lease: nil), lamp, in: &session)) != nil)
    let third = try session.node(2).me.peer
    #expect(try wish(0, .give(third), lamp, in: &session) == [.notOwner])
    #expect(met(try wish(1, .give(third), lamp, in: &session))?.owner == third)
    let stranger = NodeProbe.peer(9)
    #expect(try wish(2, .give(stranger), lamp, timeout: .seconds(1), for: .seconds(2), in: &session) == [.unanswered])
    #expect(try wish(0, .own(lease: nil), AnchorID(high: 8, low: 8), in: &session) == [.unknownAnchor])
  }

  @Test("a lease ends by itself, and asking again extends it")
  func lease() throws {
    var session = try TestSession(2)
    let lamp = try session.place(0)
    let first = met(try wish(0, .own(lease: .seconds(3)), lamp, in: &session))
    session.run(.seconds(2))
    let second = met(try wish(0, .own(lease: .seconds(3)), lamp, in: &session))
    #expect(try #require(second).leaseUntil > #require(first).leaseUntil)
    session.run(.seconds(2))
    #expect(try owner(1, of: lamp, in: session) != nil)
    session.run(.seconds(1))
    #expect(try owner(1, of: lamp, in: session) == nil)
  }

  /// The locks of an anchor that a node told its app of, by what they name as owner.
  private func told(_ index: Int, of anchor: AnchorID, in session: TestSession) throws -> Int {
    session.simulation.monitor.events[index].count { event in
      guard case .anchors(let changes) = event else { return false }
      return changes.contains { change in
        if change.id == anchor, case .updated(let fields) = change.kind { fields.contains(.lock) } else { false }
      }
    }
  }

  private func lock(_ index: Int, of anchor: AnchorID, in session: TestSession) throws -> AnchorLock {
    try session.node(index).anchors.lock(of: anchor) ?? .free
  }

  @Test(
    "who asks for the anchor of an owner that is lost, before the host has freed it, is told by its policy",
    arguments: [false, true])
  func orphansAsked(_ keeps: Bool) throws {
    var session = try TestSession(3, keepingOrphans: keeps)
    let lamp = try session.place(0)
    let host = try session.host
    let (owner, other) = ((host + 1) % 3, (host + 2) % 3)
    #expect(met(try wish(owner, .own(lease: nil), lamp, in: &session)) != nil)
    session.apply(.crash(owner, silently: false))
    session.run(.seconds(15))
    let results = try wish(other, .own(lease: nil), lamp, in: &session)
    #expect(keeps ? results == [.declined] : met(results) != nil)
  }

  enum End: CaseIterable { case left, lost, host }

  @Test(
    "when an owner leaves, is lost, or dies as host, the host frees its anchors, and everybody is told once",
    arguments: End.allCases)
  func orphansFreed(_ end: End) throws {
    var session = try TestSession(3)
    let lamp = try session.place(0)
    let host = try session.host
    let owner = end == .host ? host : (host + 1) % 3
    let granted = try #require(met(try wish(owner, .own(lease: nil), lamp, in: &session)))
    session.forgetEvents()
    switch end {
    case .left:
      try session.perform(owner) { node, now in node.handle(.leave, at: now) }
      session.run(.milliseconds(500))
    case .lost, .host:
      session.apply(.crash(owner, silently: true))
      // Its silence has to be noticed, and its dials to fail for long enough.
      session.run(.seconds(2))
      #expect(try lock((owner + 1) % 3, of: lamp, in: session) == granted)
      session.run(.seconds(15))
    }
    for index in 0..<3 where index != owner {
      let freed = try lock(index, of: lamp, in: session)
      #expect(freed.owner == nil && (freed.epoch, freed.number) > (granted.epoch, granted.number))
      #expect(try told(index, of: lamp, in: session) == 1)
    }
    session.run(.seconds(10))
    for index in 0..<3 where index != owner { #expect(try told(index, of: lamp, in: session) == 1) }
  }

  @Test("a host that keeps orphans frees them when the lease is over, and so does any host", arguments: [false, true])
  func leaseFreed(_ keeps: Bool) throws {
    var session = try TestSession(3, keepingOrphans: keeps)
    let lamp = try session.place(0)
    let host = try session.host
    let owner = (host + 1) % 3
    #expect(met(try wish(owner, .own(lease: .seconds(20)), lamp, in: &session)) != nil)
    session.forgetEvents()
    if keeps { session.apply(.crash(owner, silently: true)) }
    session.run(.seconds(18))
    #expect(try lock(host, of: lamp, in: session).owner != nil)
    session.run(.seconds(4))
    #expect(try lock(host, of: lamp, in: session).owner == nil)
    #expect(try told(host, of: lamp, in: session) == 1)
  }

  @Test("an owner that is away for a moment keeps its anchors, whoever hosts then")
  func keptMeanwhile() throws {
    var session = try TestSession(3)
    let lamp = try session.place(0)
    let host = try session.host
    let owner = (host + 1) % 3
    let granted = try #require(met(try wish(owner, .own(lease: nil), lamp, in: &session)))
    session.apply(.crash(host, silently: true))
    for other in 0..<3 where other != owner { session.apply(.cut(owner, other)) }
    session.run(.seconds(3))
    session.apply(.heal)
    session.run(.seconds(15))
    #expect(try lock(owner, of: lamp, in: session) == granted)
    #expect(try lock((host + 2) % 3, of: lamp, in: session) == granted)
  }

  @Test("anchors that come before their owner, as from a journal, wait ten seconds for it")
  func early() throws {
    var session = try TestSession(2)
    let lamp = try session.place(0)
    let stranger = NodeProbe.peer(9)
    try session.perform(0) { node, now in
      let lock = AnchorLock(owner: stranger, leaseUntil: AnchorLock.endless, epoch: node.epoch, number: 1)
      try node.edit(.setLock(lock, of: lamp), at: now)
    }
    session.run(.seconds(8))
    #expect(try lock(1, of: lamp, in: session).owner == stranger)
    session.run(.seconds(4))
    #expect(try lock(1, of: lamp, in: session).owner == nil)
  }

  @Test("a request outlives the host that it was made to")
  func newHost() throws {
    var session = try TestSession(3)
    let lamp = try session.place(0)
    let host = try session.host
    let other = (host + 1) % 3
    session.apply(.crash(host, silently: true))
    #expect(met(try wish(other, .own(lease: nil), lamp, timeout: .seconds(20), for: .seconds(8), in: &session)) != nil)
  }

  @Test("of two grants made on the two sides of a split the one with the higher fencing stands for all")
  func fencing() throws {
    var session = try TestSession(4)
    let lamp = try session.place(0)
    session.apply(.split([0, 0, 1, 1]))
    session.run(.seconds(15))
    let left = met(try wish(0, .own(lease: nil), lamp, in: &session))
    let right = met(try wish(2, .own(lease: nil), lamp, in: &session))
    session.apply(.heal)
    session.run(.seconds(40))
    let winner = [try #require(left), try #require(right)].max { ($0.epoch, $0.number) < ($1.epoch, $1.number) }
    for index in 0..<4 { #expect(try owner(index, of: lamp, in: session) == winner?.owner) }
  }
}
