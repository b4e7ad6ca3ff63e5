import Basics
import PeerProtocol
import Testing
import WorldModel

@Suite("Locks and limits")
struct SessionRulesTests {
  private let member = NodeProbe.peer(1)
  private let stranger = NodeProbe.peer(2)

  private func results(_ events: [NodeEvent]) -> [InvitationResult] {
    events.compactMap { if case .invitationEnded(_, let result) = $0 { result } else { nil } }
  }

  /// A node that hosts, with one member.
  private func host(limit: Int = ProtocolLimits.members) throws -> (NodeProbe, LinkID) {
    var probe = NodeProbe(memberLimit: limit)
    probe.wait(.seconds(1))
    probe.input(.invite(InvitationID(rawValue: 1), [.loopback(port: 1)], context: [], timeout: .seconds(9)))
    let link = probe.open(1, member, dial: try #require(probe.dials.first).dial)
    probe.send(.hello, on: link) { NodeProbe.hello(member).write(to: &$0) }
    let body = try #require(try probe.frames(on: link).first { $0.type == .invite }?.body)
    var reader = ByteReader(body.span)
    let number = try Invite(reading: &reader).number
    probe.send(.inviteAnswer, on: link) { InviteAnswer(number: number, decision: .accept).write(to: &$0) }
    probe.send(.admit, on: link)
    #expect(probe.node.mayRule)
    return (probe, link)
  }

  @Test("a locked session refuses a stranger's invitation with the reason, and asks nobody")
  func lockRefusesInvitations() throws {
    var (probe, _) = try host()
    probe.input(.setLocked(true))
    let link = probe.greet(2, stranger)
    _ = probe.takeEvents()
    probe.send(.invite, on: link) { Invite(number: 5, wait: 30_000, context: []).write(to: &$0) }
    #expect(try probe.goodbye(on: link) == .locked)
    let wasAsked = probe.takeEvents().contains { if case .invitationReceived = $0 { true } else { false } }
    #expect(!wasAsked)
  }

  @Test("nobody can invite into a locked session, until it is opened again")
  func lockRefusesInviting() throws {
    var (probe, _) = try host()
    probe.input(.setLocked(true))
    _ = probe.takeEvents()
    probe.input(.invite(InvitationID(rawValue: 9), [.loopback(port: 9)], context: [], timeout: .seconds(5)))
    #expect(results(probe.takeEvents()) == [.failed(.locked)])
    probe.input(.setLocked(false))
    let dials = probe.dials.count
    probe.input(.invite(InvitationID(rawValue: 10), [.loopback(port: 9)], context: [], timeout: .seconds(5)))
    #expect(probe.dials.count == dials + 1)
  }

  @Test("an invitation that was accepted after the lock admits nobody")
  func lockBeatsAnAcceptance() throws {
    var (probe, _) = try host()
    let link = probe.greet(2, stranger)
    probe.send(.invite, on: link) { Invite(number: 5, wait: 30_000, context: []).write(to: &$0) }
    let asked = probe.takeEvents().compactMap { event -> InvitationID? in
      if case .invitationReceived(let id, from: stranger, _, _) = event { id } else { nil }
    }
    probe.input(.setLocked(true))
    probe.input(.answer(try #require(asked.first), .accept))
    #expect(try probe.goodbye(on: link) == .locked)
    #expect(!probe.node.memberSummaries.contains { $0.peerID == stranger })
  }

  @Test("a member whose link broke comes back into a locked session")
  func membersReturn() throws {
    var (probe, link) = try host()
    probe.input(.setLocked(true))
    probe.input(.linkClosed(link))
    let back = probe.greet(3, member)
    probe.send(.admit, on: back)
    #expect(probe.node.memberSummaries.map(\.status) == [.connected])
  }

  @Test("a full session refuses the next peer with the reason limit, both when it invites and when it is invited")
  func limitRefuses() throws {
    var (probe, _) = try host(limit: 2)
    let link = probe.greet(2, stranger)
    probe.send(.invite, on: link) { Invite(number: 5, wait: 30_000, context: []).write(to: &$0) }
    #expect(try probe.goodbye(on: link) == .limitExceeded)
    _ = probe.takeEvents()
    probe.input(.invite(InvitationID(rawValue: 9), [.loopback(port: 9)], context: [], timeout: .seconds(5)))
    #expect(results(probe.takeEvents()) == [.failed(.limitExceeded)])
  }

  @Test("a locked session tells each new member's link of the lock, and a member takes it over")
  func rulesSpread() throws {
    var (probe, link) = try host()
    _ = try probe.frames(on: link)
    probe.input(.setLocked(true))
    let body = try #require(try probe.frames(on: link).first { $0.type == .rules }?.body)
    var follower = NodeProbe()
    let up = follower.join(1, member)
    follower.send(.rules, on: up) { $0.write(bytes: body) }
    #expect(follower.node.rules.isLocked)
    #expect(follower.takeEvents().contains { if case .rulesChanged(let rules) = $0 { rules.isLocked } else { false } })
  }

  @Test("only the host, or a peer that is alone, may lock")
  func onlyTheHostLocks() {
    var probe = NodeProbe()
    _ = probe.join(1, member)
    #expect(!probe.node.mayRule)
    probe.input(.setLocked(true))
    #expect(!probe.node.rules.isLocked)
  }

  @Test("rules merge to the same on all members, whatever the order, and no version uses up the numbers")
  func rulesMergeAlike() throws {
    func rules(_ version: UInt32, _ isLocked: Bool, _ limit: UInt8) throws -> SessionRules {
      var writer = ByteWriter()
      writer.write(version)
      writer.write(UInt8(isLocked ? 1 : 0))
      writer.write(limit)
      var reader = ByteReader(writer.bytes.span)
      return try SessionRules(reading: &reader)
    }
    let all = [try rules(1, false, 8), try rules(1, true, 64), try rules(1, true, 8), try rules(2, false, 64)]
    for first in 0..<4 {
      var merged = SessionRules()
      for offset in 0..<4 { _ = merged.merge(all[(first + offset) % 4]) }
      #expect(merged == all[3])
    }
    var merged = SessionRules()
    #expect(merged.merge(try rules(.max, true, 8)) == false)
    #expect(throws: DecodingFailure.self) { try rules(1, false, 1) }
    #expect(throws: DecodingFailure.self) { try rules(1, false, 65) }
    #expect(throws: DecodingFailure.self) { try rules(0, true, 64) }
  }
}
