import Basics
import Testing
import WorldModel

@testable import PeerProtocol

/// Who takes the places of a session.
@Suite struct AttackRosterTests {
  private static func departed(_ range: Range<Int>) -> [RosterEntry] {
    range.map { number in
      RosterEntry(
        peerID: NodeProbe.peer(10_000 + number), version: 1, status: .left, incarnation: 1, name: "gone", addresses: [])
    }
  }

  @Test func `1,080 departures that one member invents keep nobody out, and it may name 256 of them`() throws {
    var probe = NodeProbe()
    let liar = probe.join(1, NodeProbe.peer(1))
    probe.tell(Self.departed(0..<1_080), on: liar)
    #expect(probe.node.roster.entries.count { $0.status == .left } == ProtocolLimits.departuresOfTeller)
    let newcomer = NodeProbe.peer(2)
    _ = probe.join(2, newcomer)
    #expect(probe.node.roster.admits(newcomer))
    #expect(probe.closed.isEmpty)
  }

  @Test func `in a full roster invented departures give way, and neither true ones nor removals do`() throws {
    var probe = NodeProbe()
    // One member leaves, one is removed.
    let leaver = probe.join(1, NodeProbe.peer(1))
    let removed = probe.join(2, NodeProbe.peer(2))
    probe.wait(seconds: 6, keeping: [leaver, removed])
    probe.send(.goodbye, on: leaver) { Goodbye(.left).write(to: &$0) }
    probe.input(.kick(NodeProbe.peer(2)))
    let liars = (3..<9).map { probe.join(UInt64($0), NodeProbe.peer($0)) }
    for (number, liar) in liars.enumerated() {
      probe.tell(Self.departed((number * 300)..<((number + 1) * 300)), on: liar)
    }
    #expect(probe.node.roster.entries.count == ProtocolLimits.roster)
    for number in 20..<40 { _ = probe.join(UInt64(number), NodeProbe.peer(number)) }
    #expect((20..<40).allSatisfy { probe.node.roster.admits(NodeProbe.peer($0)) })
    #expect(probe.node.roster[NodeProbe.peer(1)]?.status == .left)
    #expect(probe.node.roster[NodeProbe.peer(2)]?.status == .kicked)
    #expect(probe.node.roster.entries.count == ProtocolLimits.roster)
  }

  @Test func `63 identities that are accepted and never admit take no place`() throws {
    var probe = NodeProbe()
    for number in 1...100 {
      let phantom = probe.accept(UInt64(number), NodeProbe.peer(number))
      if number > 10 { probe.input(.linkClosed(phantom)) }
    }
    #expect(probe.node.roster.presentCount == 1)
    #expect(probe.node.memberSummaries.isEmpty)
    let newcomer = NodeProbe.peer(200)
    let link = probe.join(200, newcomer)
    #expect(probe.node.roster.admits(newcomer))
    // Its members hear of nobody else.
    let told = try probe.frames(on: link).filter { $0.type == .roster }.flatMap { frame in
      var reader = ByteReader(frame.body.span)
      return try RosterFrame(reading: &reader).entries.map(\.peerID)
    }
    #expect(Set(told) == [NodeProbe.me, newcomer])
  }

  @Test func `the link of a peer that is accepted and does not admit ends after ten seconds`() throws {
    var probe = NodeProbe()
    let phantom = probe.accept(1, NodeProbe.peer(1))
    probe.wait(seconds: 9, keeping: [phantom])
    #expect(probe.closed.isEmpty)
    probe.wait(seconds: 2, keeping: [phantom])
    #expect(probe.closed == [phantom])
    #expect(try probe.goodbye(on: phantom) == .timedOut)
  }

  @Test func `an accepted peer takes its place with its admission, on any link, within a minute`() throws {
    let peer = NodeProbe.peer(1)
    for seconds in [59, 61] {
      var probe = NodeProbe()
      let first = probe.accept(1, peer)
      probe.input(.linkClosed(first))
      probe.wait(seconds: seconds, keeping: [])
      let second = probe.greet(2, peer)
      probe.send(.admit, on: second)
      #expect(probe.node.roster.admits(peer) == (seconds == 59))
      #expect((try probe.frames(on: second).contains { $0.type == .admit }) == (seconds == 59))
    }
  }
}
