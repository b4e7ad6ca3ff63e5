import PeerProtocol
import Simulator
import Testing

@Suite("Locks and removals in whole sessions")
struct MembershipRuleTests {
  private func host(_ harness: SessionHarness, _ nodes: [Int]) throws -> Int {
    let hosts = Set(nodes.compactMap { harness.node($0).host?.peer })
    #expect(hosts.count == 1)
    let host = try #require(hosts.first)
    return try #require(nodes.first { SessionPeer.identity(of: $0) == host })
  }

  /// Within half a minute all of `rest` hold a member as removed, and it has learnt so.
  private func expectRemoval(of victim: Int, from rest: [Int], in harness: inout SessionHarness) {
    let time = harness.seconds(until: 30) { harness in
      rest.allSatisfy { harness.node($0).roster[SessionPeer.identity(of: victim)]?.status == .kicked }
    }
    #expect(time != nil)
    harness.run(10)
    let hasEnded = harness.node(victim).hasEnded
    #expect(hasEnded)
    #expect(harness.isMesh(rest))
  }

  @Test("a lock survives the crash of its host, and a member that starts again comes back into the locked session")
  func lockSurvivesItsHost() throws {
    var harness = SessionHarness.joined(4)
    let first = try host(harness, [0, 1, 2, 3])
    harness.handle(.setLocked(true), on: first)
    harness.run(1)
    harness.apply(.crash(first, silently: true))
    harness.run(12)
    let rest = [0, 1, 2, 3].filter { $0 != first }
    let second = try host(harness, rest)
    #expect(rest.allSatisfy { harness.node($0).rules.isLocked })
    harness.apply(.start(first))
    let time = harness.seconds(until: 10) { $0.isMesh([0, 1, 2, 3]) }
    #expect(time != nil)
    harness.handle(.setLocked(false), on: second)
    harness.run(1)
    #expect([0, 1, 2, 3].allSatisfy { !harness.node($0).rules.isLocked })
  }

  @Test("a stranger stays outside of a locked session and comes in once it is opened")
  func lockKeepsStrangersOut() throws {
    var harness = SessionHarness(count: 3)
    for index in 0..<2 { harness.apply(.start(index)) }
    harness.run(5)
    let host = try host(harness, [0, 1])
    harness.handle(.setLocked(true), on: host)
    harness.apply(.start(2))
    harness.run(20)
    #expect(harness.node(2).memberSummaries.isEmpty)
    #expect(harness.node(0).memberSummaries.count == 1)
    harness.handle(.setLocked(false), on: host)
    let time = harness.seconds(until: 70) { $0.isMesh([0, 1, 2]) }
    #expect(time != nil)
  }

  @Test("who was removed is out at once everywhere, and stays out when it starts again with the same identity")
  func removalOutlivesARestart() throws {
    var harness = SessionHarness.joined(4)
    let host = try host(harness, [0, 1, 2, 3])
    let victim = (host + 1) % 4
    let rest = [0, 1, 2, 3].filter { $0 != victim }
    harness.handle(.kick(SessionPeer.identity(of: victim)), on: host)
    harness.run(1)
    #expect(rest.allSatisfy { harness.statuses($0).count == 2 })
    harness.apply(.crash(victim, silently: false))
    harness.apply(.start(victim))
    harness.run(20)
    #expect(harness.node(victim).memberSummaries.isEmpty)
    #expect(rest.allSatisfy { harness.statuses($0).count == 2 })
  }

  @Test("who was removed in the other half of a split is out after the merge, in whatever half", arguments: [2, 4])
  func removalHoldsThroughAMerge(_ halfOfTheVictim: Int) throws {
    var harness = SessionHarness.joined(6)
    let victims = Array(0..<halfOfTheVictim)
    let others = Array(halfOfTheVictim..<6)
    harness.apply(.split((0..<6).map { victims.contains($0) ? 0 : 1 }))
    harness.run(20)
    let (host, foreign) = (try host(harness, others), try host(harness, victims))
    let victim = try #require(victims.first { $0 != foreign })
    harness.handle(.kick(SessionPeer.identity(of: victim)), on: host)
    harness.run(1)
    harness.apply(.heal)
    let rest = (0..<6).filter { $0 != victim }
    expectRemoval(of: victim, from: rest, in: &harness)
  }

  /// Six that were split, of which 4 and 5 were one half and have removed a member; and who removed it.
  private func removedInAHalf(isVictimOnOtherSide: Bool) throws -> (SessionHarness, victim: Int, remover: Int) {
    let half = [4, 5]
    var harness = SessionHarness.joined(6)
    harness.apply(.split((0..<6).map { half.contains($0) || $0 == 3 && !isVictimOnOtherSide ? 1 : 0 }))
    harness.run(20)
    // Nobody removes the host that stays.
    let victim = !isVictimOnOtherSide || harness.node(3).host != harness.node(3).me ? 3 : 2
    if harness.node(4).host == harness.node(victim).me {
      harness.handle(.handover(SessionPeer.identity(of: 4)), on: victim)
      harness.run(3)
    }
    let remover = try host(harness, half)
    harness.handle(.kick(SessionPeer.identity(of: victim)), on: remover)
    harness.run(1)
    return (harness, victim, remover)
  }

  /// The other half hosts in the end, and believes no single member.
  @Test(
    "a removal made in a half of two holds however late the second of the two is linked to the other half",
    arguments: [true, false], [true, false])
  func removalHoldsThroughALateMerge(isHostLate: Bool, isVictimOnOtherSide: Bool) throws {
    var (harness, victim, remover) = try removedInAHalf(isVictimOnOtherSide: isVictimOnOtherSide)
    let late = isHostLate ? remover : 9 - remover
    let rest = (0..<6).filter { $0 != victim }
    harness.apply(.heal)
    for index in rest where index < 4 { harness.apply(.cut(late, index)) }
    harness.run(120)
    for index in rest where index < 4 { harness.apply(.mend(late, index)) }
    expectRemoval(of: victim, from: rest, in: &harness)
  }

  @Test("a removal made in a half of two holds although one of the two never comes back", arguments: [true, false])
  func removalHoldsWithoutItsWitness(isVictimOnOtherSide: Bool) throws {
    var (harness, victim, remover) = try removedInAHalf(isVictimOnOtherSide: isVictimOnOtherSide)
    let lost = 9 - remover
    harness.apply(.crash(lost, silently: true))
    harness.run(15)
    harness.apply(.heal)
    expectRemoval(of: victim, from: (0..<6).filter { $0 != victim && $0 != lost }, in: &harness)
  }

  @Test("a removal made in a half of two holds although both have started again since, and one is linked late")
  func removalHoldsThroughRestarts() throws {
    var (harness, victim, remover) = try removedInAHalf(isVictimOnOtherSide: true)
    try harness.restart(4..<6, after: 12)
    harness.run(12)
    let rest = (0..<6).filter { $0 != victim }
    harness.apply(.heal)
    for index in rest where index < 4 { harness.apply(.cut(remover, index)) }
    harness.run(60)
    for index in rest where index < 4 { harness.apply(.mend(remover, index)) }
    expectRemoval(of: victim, from: rest, in: &harness)
  }

  @Test("a removal made in one half holds although its subject has started again in the other")
  func removalHoldsForALaterStart() throws {
    var (harness, victim, _) = try removedInAHalf(isVictimOnOtherSide: true)
    for _ in 0..<3 {
      harness.apply(.crash(victim, silently: true))
      harness.run(12)
      harness.apply(.start(victim))
      harness.run(5)
    }
    harness.apply(.heal)
    expectRemoval(of: victim, from: (0..<6).filter { $0 != victim }, in: &harness)
  }

  @Test("a member that does not host removes nobody")
  func onlyTheHostRemoves() throws {
    var harness = SessionHarness.joined(3)
    let host = try host(harness, [0, 1, 2])
    harness.handle(.kick(SessionPeer.identity(of: (host + 2) % 3)), on: (host + 1) % 3)
    harness.run(10)
    #expect(harness.isMesh([0, 1, 2]))
  }

  @Test("every member knows all links of the session")
  func presenceIsKnownToAll() {
    var harness = SessionHarness.joined(4)
    #expect((0..<4).allSatisfy { harness.node($0).presence.count == 6 })
    harness.apply(.cut(0, 1))
    harness.run(8)
    #expect((0..<4).allSatisfy { harness.node($0).presence.count == 5 })
  }
}
