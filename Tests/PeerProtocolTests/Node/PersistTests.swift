import AnchorReplication
import Basics
import PeerProtocol
import Testing
import WorldModel

@Suite("A node that keeps what it needs to come back")
struct PersistTests {
  private let member = NodeProbe.peer(1)

  /// Lets the member's host speak: the node follows it.
  private func beat(_ probe: inout NodeProbe, from peer: PeerID, epoch: UInt64, number: UInt32, on link: LinkID) {
    probe.send(.election, on: link) { body in
      let origin = NodeID(peer: peer, incarnation: 7)
      FloodHeader(origin: origin, nonce: UInt64(number), linkVersion: 0, destination: nil).write(to: &body)
      // A Beat: kind, epoch, number, size, priority, session time, the next place in the order of joining.
      body.write(UInt8(1))
      body.write(epoch)
      body.write(number)
      body.write(UInt16(2))
      body.write(UInt8(128))
      body.write(UInt64(1000))
      body.write(UInt32(3))
    }
  }

  /// A node with one member that hosts, at this epoch.
  private func joined(epoch: UInt64 = 9) -> (NodeProbe, LinkID) {
    var probe = NodeProbe()
    let link = probe.join(1, member)
    beat(&probe, from: member, epoch: epoch, number: 1, on: link)
    return (probe, link)
  }

  @Test("a fresh node keeps one record, of itself alone")
  func fresh() {
    let probe = NodeProbe()
    #expect(probe.records.map { $0.roster.map(\.peerID) } == [[NodeProbe.me]])
    #expect(probe.records.map(\.peerID) == [NodeProbe.me] && probe.records.map(\.service) == ["test"])
  }

  @Test("a join, a new epoch, a place in the order, a lock, a removal: one record each, with the news in it")
  func news() throws {
    var probe = NodeProbe()
    var count = probe.records.count
    func news(_ probe: NodeProbe) -> Int {
      defer { count = probe.records.count }
      return probe.records.count - count
    }
    probe.wait(.seconds(1))
    #expect(probe.node.host == probe.node.me && news(probe) == 1)
    #expect(probe.records.last?.epoch == 1 && probe.records.last?.joinSequence == 1)
    let link = probe.greet(1, member)
    #expect(news(probe) == 0)
    probe.send(.invite, on: link) { Invite(number: 1, wait: 30_000, context: []).write(to: &$0) }
    #expect(news(probe) == 0)
    for event in probe.takeEvents() {
      if case .invitationReceived(let id, _, _, _) = event { probe.input(.answer(id, .accept)) }
    }
    #expect(news(probe) == 0)
    probe.send(.admit, on: link)
    #expect(news(probe) == 1)
    #expect(probe.records.last?.roster.map(\.status) == [.present, .present])
    beat(&probe, from: member, epoch: 9, number: 1, on: link)
    #expect(news(probe) == 1 && probe.records.last?.epoch == 9)
    probe.send(.rules, on: link) {
      $0.write(UInt32(1))
      $0.write(UInt8(1))
      $0.write(UInt8(64))
    }
    #expect(news(probe) == 1 && probe.records.last?.rules.isLocked == true)
    let gone = RosterEntry(
      peerID: NodeProbe.peer(5), version: 3, status: .kicked, incarnation: 1, name: "", addresses: [])
    probe.send(.roster, on: link) {
      $0.writeVarint(1)
      gone.write(to: &$0)
    }
    #expect(news(probe) == 1 && probe.records.last?.roster.contains(gone) == true)
    #expect(probe.records.last == probe.node.record)
  }

  @Test("Beats, pings, vectors, edits, messages and broken links change nothing that is kept")
  func rest() throws {
    var (probe, link) = joined()
    let count = probe.records.count
    for number in UInt32(2)...60 {
      probe.wait(.milliseconds(500))
      beat(&probe, from: member, epoch: 9, number: number, on: link)
      probe.send(.ping, on: link) { $0.write(UInt64(number)) }
      probe.send(.message, on: link) {
        MessageHead(chain: 1, previous: UInt64(number) - 2, number: UInt64(number) - 1).write(to: &$0)
      }
      try probe.edit(.place(Anchor(id: AnchorID(high: 1, low: UInt64(number)), name: "a")))
    }
    probe.input(.linkClosed(link))
    probe.wait(.milliseconds(500))
    #expect(probe.records.count == count)
  }

  @Test("what comes back has its members, rules, epoch and place, another incarnation, and says it once")
  func comesBack() throws {
    let (before, _) = joined()
    var kept = try #require(before.records.last)
    kept.joinSequence = 4
    let probe = NodeProbe(incarnation: 2, restoring: kept)
    #expect(probe.node.roster.admits(member) && probe.node.me.incarnation == 2)
    #expect(probe.node.election.maxEpochSeen == 9 && probe.node.election.joinSequence == 4)
    let own = try #require(probe.node.roster[NodeProbe.me])
    let former = try #require(kept.roster.first { $0.peerID == NodeProbe.me })
    #expect(own.incarnation == 2 && own.replaces(former))
    #expect(probe.records == [probe.node.record])
    // It listens first, and does not host a session of its own beside that of the others.
    #expect(probe.node.host == nil && probe.node.election.deadline.map { $0 - probe.now } == .seconds(2))
  }

  @Test("who knocks again is a member at once, without an invitation, from either side")
  func rejoins() throws {
    let (before, _) = joined()
    let kept = try #require(before.records.last)
    var incoming = NodeProbe(incarnation: 2, restoring: kept)
    let link = incoming.greet(1, member)
    #expect(try incoming.frames(on: link).contains { $0.type == .admit })
    incoming.send(.admit, on: link)
    #expect(incoming.node.memberSummaries.map(\.status) == [.connected])
    let wasAsked = incoming.takeEvents().contains { if case .invitationReceived = $0 { true } else { false } }
    #expect(!wasAsked)
  }

  @Test("members are dialled where they were, all at once, whoever has the lower id")
  func dials() throws {
    var record = NodeRecord(peerID: NodeProbe.me, service: "test")
    let peers = (1...6).map(NodeProbe.peer)
    record.roster = peers.enumerated().map { number, peer in
      RosterEntry(
        peerID: peer, version: 1, incarnation: 1, name: "", addresses: [.loopback(port: UInt16(5000 + number))])
    }.sorted { $0.peerID < $1.peerID }
    #expect(Set(peers.map { $0 < NodeProbe.me }).count == 2)
    var probe = NodeProbe(incarnation: 2, restoring: record)
    probe.input(.tick)
    #expect(Set(probe.dials.map(\.address.port)) == Set(5000..<5006))
  }

  @Test("who was removed stays out, and a lock holds, when their host comes back")
  func removalsAndLocks() throws {
    var record = NodeRecord(peerID: NodeProbe.me, service: "test")
    record.rules.setForTest(locked: true)
    record.roster = [
      RosterEntry(peerID: member, version: 4, status: .kicked, incarnation: 1, name: "", addresses: [])
    ]
    var probe = NodeProbe(incarnation: 2, restoring: record)
    let removed = probe.greet(1, member)
    #expect(try probe.goodbye(on: removed) == .kicked)
    let stranger = probe.greet(2, NodeProbe.peer(2))
    probe.send(.invite, on: stranger) { Invite(number: 5, wait: 30_000, context: []).write(to: &$0) }
    #expect(try probe.goodbye(on: stranger) == .locked)
  }

  @Test("who has left or was removed keeps nothing of the session, and starts as a stranger")
  func leaves() throws {
    var (probe, _) = joined()
    probe.input(.leave)
    let left = try #require(probe.records.last)
    #expect(left == NodeRecord(peerID: NodeProbe.me, service: "test"))
    let again = NodeProbe(incarnation: 2, restoring: left)
    #expect(again.node.roster.presentCount == 1 && again.node.election.maxEpochSeen == 0)
    var (removed, link) = joined()
    removed.send(.goodbye, on: link) { Goodbye(.kicked).write(to: &$0) }
    #expect(removed.node.hasEnded && removed.records.last == left)
  }

  @Test("a member that went on alone says so before the one who comes back loses patience")
  func hearsRefusal() throws {
    let (before, _) = joined()
    var probe = NodeProbe(incarnation: 2, restoring: before.records.last)
    let link = probe.greet(1, member)
    for _ in 0..<11 {
      probe.wait(.seconds(1))
      probe.send(.pong, on: link) { $0.write(UInt64(0)) }
    }
    #expect(!probe.closed.contains(link))
    probe.send(.goodbye, on: link) { Goodbye(.refused).write(to: &$0) }
    #expect(!probe.node.roster.admits(member))
    let dials = probe.dials.count
    probe.wait(.seconds(30))
    #expect(probe.dials.count == dials)
  }

  @Test("a driver that keeps nothing is asked to keep nothing")
  func off() {
    let configuration = NodeConfiguration(peerID: NodeProbe.me, incarnation: 1, name: "", service: "s", seed: 1)
    var node = Node(configuration, at: .zero)
    while let output = node.nextOutput() {
      if case .persist = output { Issue.record("a record nobody wanted") }
    }
  }
}

extension SessionRules {
  /// The rules as the host of a locked session has them.
  fileprivate mutating func setForTest(locked: Bool) {
    var reader = ByteReader([1, 0, 0, 0, locked ? 1 : 0, 64].span)
    if let rules = try? SessionRules(reading: &reader) { self = rules }
  }
}
