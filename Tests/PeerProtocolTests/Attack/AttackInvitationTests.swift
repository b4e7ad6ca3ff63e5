import Basics
import Testing
import WorldModel

@testable import PeerProtocol

/// Who keeps others from asking.
@Suite struct AttackInvitationTests {
  private static func invite(_ probe: inout NodeProbe, on link: LinkID, number: UInt64 = 5) {
    probe.send(.invite, on: link) { Invite(number: number, wait: 60_000, context: []).write(to: &$0) }
  }

  private static func answers(_ probe: inout NodeProbe, on link: LinkID) throws -> [InviteAnswer.Decision] {
    try probe.frames(on: link).filter { $0.type == .inviteAnswer }.map { frame in
      var reader = ByteReader(frame.body.span)
      return try InviteAnswer(reading: &reader).decision
    }
  }

  private static func asked(_ probe: inout NodeProbe) -> Int {
    probe.takeEvents().count { if case .invitationReceived = $0 { true } else { false } }
  }

  @Test func `20 identities of one machine have two invitations waiting, and others find room`() throws {
    for hosts in [
      (0..<20).map { _ in SocketAddress.Host.ipv4(0x0a00_0009) },
      (0..<20).map { SocketAddress.Host.ipv6(high: 0x2001_0db8 << 32, low: UInt64($0 + 1), scope: 0) },
    ] {
      var probe = NodeProbe()
      for (number, host) in hosts.enumerated() {
        let link = probe.greet(UInt64(number), NodeProbe.peer(number), from: SocketAddress(host: host, port: 1))
        Self.invite(&probe, on: link)
        #expect(try Self.answers(&probe, on: link) == (number < 2 ? [] : [.busy]))
      }
      #expect(Self.asked(&probe) == ProtocolLimits.pendingInvitationsOfSource)
      let other = probe.greet(99, NodeProbe.peer(99), from: SocketAddress(host: .ipv4(0x0a00_0005), port: 1))
      Self.invite(&probe, on: other)
      #expect(Self.asked(&probe) == 1)
    }
  }

  @Test func `a busy peer is asked again after 1, 2 and 4 seconds, and then counts as declining`() throws {
    var probe = NodeProbe()
    let peer = NodeProbe.peer(1)
    probe.input(.invite(InvitationID(rawValue: 1), [.loopback(port: 1)], context: [], timeout: .seconds(50)))
    let link = probe.open(1, peer, dial: try #require(probe.dials.first).dial)
    probe.send(.hello, on: link) { NodeProbe.hello(peer).write(to: &$0) }
    for pause in [nil, 1, 2, 4] {
      if let pause {
        probe.wait(seconds: pause - 1, keeping: [link])
        probe.wait(.milliseconds(990))
        #expect(try !probe.frames(on: link).contains { $0.type == .invite })
        probe.wait(.milliseconds(20))
      }
      let body = try #require(try probe.frames(on: link).first { $0.type == .invite }?.body)
      var reader = ByteReader(body.span)
      let number = try Invite(reading: &reader).number
      probe.send(.inviteAnswer, on: link) { InviteAnswer(number: number, decision: .busy).write(to: &$0) }
    }
    let results = probe.takeEvents().compactMap { if case .invitationEnded(_, let result) = $0 { result } else { nil } }
    #expect(results == [.declined(peer, reason: "busy")])
  }
}
