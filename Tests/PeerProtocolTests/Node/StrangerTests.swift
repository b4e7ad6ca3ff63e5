import Basics
import PeerProtocol
import Testing

/// What a peer that nobody has admitted can make a node do.
@Suite("A stranger")
struct StrangerTests {
  private static let other = NodeProbe.peer(1)

  private static func invite(_ number: UInt64, _ probe: inout NodeProbe, on link: LinkID) {
    probe.send(.invite, on: link) { Invite(number: number, wait: 30_000, context: []).write(to: &$0) }
  }

  @Test("invites four times on a link; the next one ends it")
  func invitations() throws {
    var probe = NodeProbe()
    let link = probe.greet(1, Self.other)
    for number in 1...4 {
      Self.invite(UInt64(number), &probe, on: link)
      probe.send(.inviteCancel, on: link) { $0.write(UInt64(number)) }
    }
    #expect(probe.closed == [])
    Self.invite(5, &probe, on: link)
    #expect(try probe.goodbye(on: link) == .limitExceeded)
    #expect(probe.closed == [link])
    let received = probe.takeEvents().count { if case .invitationReceived = $0 { true } else { false } }
    #expect(received == 4)
  }

  @Test("has no place kept where it listens, and a member has", arguments: [true, false])
  func places(isMember: Bool) throws {
    var probe = NodeProbe()
    let home = SocketAddress(host: .ipv4(0xC0A8_0007), port: 4000)
    let link = probe.open(1, Self.other)
    var hello = NodeProbe.hello(Self.other)
    hello.addresses = [home]
    probe.send(.hello, on: link) { hello.write(to: &$0) }
    if isMember {
      Self.invite(1, &probe, on: link)
      for event in probe.events {
        if case .invitationReceived(let id, _, _, _) = event { probe.input(.answer(id, .accept)) }
      }
      probe.send(.admit, on: link)
    }
    #expect(probe.node.isMember(at: home.host) == isMember)
    #expect(probe.node.memberHosts.contains(home.host) == isMember)
    #expect(!probe.node.isMember(at: .ipv4(0xC0A8_0008)))
  }

  @Test("has 256 frames, also of kinds that nobody knows; a member has more", arguments: [true, false])
  func frames(isMember: Bool) throws {
    var probe = NodeProbe()
    let link = isMember ? probe.join(1, Self.other) : probe.greet(1, Self.other)
    // No body, and a number that no frame has.
    let unknown: [UInt8] = [0, 0, 0, 0, 250]
    for _ in 0..<256 { probe.send(bytes: unknown, on: link) }
    #expect(probe.closed == [])
    probe.send(bytes: unknown, on: link)
    #expect(probe.closed == (isMember ? [] : [link]))
    #expect(try probe.goodbye(on: link) == (isMember ? nil : .limitExceeded))
  }
}
