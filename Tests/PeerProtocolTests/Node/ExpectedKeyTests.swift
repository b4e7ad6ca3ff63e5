import Basics
import PeerProtocol
import Testing
import WorldModel

/// An invitation, and the dial of a member, is for one key: what answers with another one is sent nothing.
@Suite("The key that is expected")
struct ExpectedKeyTests {
  private static let id = InvitationID(rawValue: 1)
  private let bob = NodeProbe.peer(1)
  private let mallory = NodeProbe.peer(2)
  private let addresses: [SocketAddress] = [.loopback(port: 1), .loopback(port: 2)]

  private func inviting(_ expected: PeerID?, at addresses: [SocketAddress]) -> NodeProbe {
    var probe = NodeProbe()
    probe.input(.invite(Self.id, addresses, expecting: expected, context: [1], timeout: .seconds(30)))
    return probe
  }

  private func results(_ probe: inout NodeProbe) -> [InvitationResult] {
    probe.takeEvents().compactMap { if case .invitationEnded(Self.id, let result) = $0 { result } else { nil } }
  }

  private func reached(_ probe: inout NodeProbe) -> [PeerID] {
    probe.takeEvents().compactMap { if case .invitationReached(Self.id, let peer) = $0 { peer } else { nil } }
  }

  @Test("the expected key is greeted and invited, and the app is told that it was reached")
  func expected() throws {
    var probe = inviting(bob, at: [addresses[0]])
    let link = probe.open(1, bob, dial: try #require(probe.dials.first).dial)
    #expect(try probe.frames(on: link).map(\.type) == [.hello])
    #expect(reached(&probe).isEmpty)
    probe.send(.hello, on: link) { NodeProbe.hello(bob).write(to: &$0) }
    #expect(try probe.frames(on: link).map(\.type) == [.invite])
    #expect(reached(&probe) == [bob])
  }

  @Test("another key is sent not one byte, and the invitation names both keys")
  func foreign() throws {
    var probe = inviting(bob, at: [addresses[0]])
    let link = probe.open(1, mallory, dial: try #require(probe.dials.first).dial)
    #expect(try probe.frames(on: link).isEmpty)
    #expect(probe.closed == [link])
    #expect(results(&probe) == [.identityMismatch(expected: bob, found: mallory)])
    #expect(probe.node.invitedPeers.isEmpty && probe.node.memberSummaries.isEmpty)
  }

  @Test("another key at one address does not keep the expected one at the next from being invited")
  func nextAddress() throws {
    var probe = inviting(bob, at: addresses)
    _ = probe.open(1, mallory, dial: try #require(probe.dials.first).dial)
    probe.wait(.milliseconds(10))
    #expect(probe.dials.map(\.address) == addresses)
    let link = probe.open(2, bob, dial: try #require(probe.dials.last).dial)
    probe.send(.hello, on: link) { NodeProbe.hello(bob).write(to: &$0) }
    #expect(reached(&probe) == [bob])
    #expect(results(&probe).isEmpty)
  }

  @Test("where the other addresses stay silent the invitation ends after five seconds, and not as unreachable")
  func othersSilent() throws {
    var probe = inviting(bob, at: addresses)
    let dial = try #require(probe.dials.first).dial
    probe.input(.dialConnected(dial))
    _ = probe.open(1, mallory, dial: dial)
    probe.wait(.seconds(4.9))
    #expect(results(&probe).isEmpty)
    // The address of the other key is not dialled again.
    #expect(probe.dials.dropFirst().allSatisfy { $0.address == addresses[1] })
    probe.wait(.seconds(0.2))
    #expect(results(&probe) == [.identityMismatch(expected: bob, found: mallory)])
  }

  @Test("without an expectation the first key that answers is invited, and a second one is sent nothing")
  func first() throws {
    var probe = inviting(nil, at: addresses)
    probe.wait(.seconds(1.1))
    #expect(probe.dials.count == 2)
    let link = probe.open(1, bob, dial: probe.dials[0].dial)
    let second = probe.open(2, mallory, dial: probe.dials[1].dial)
    #expect(try probe.frames(on: second).isEmpty && probe.closed == [second])
    probe.send(.hello, on: link) { NodeProbe.hello(bob).write(to: &$0) }
    #expect(try probe.frames(on: link).map(\.type) == [.hello, .invite])
  }

  @Test("a dial of a member that leads to a key of no member is closed without a byte")
  func memberDial() throws {
    var probe = NodeProbe()
    let link = probe.join(1, bob)
    let carol = RosterEntry(
      peerID: NodeProbe.peer(3), version: 1, incarnation: 9, name: "carol", addresses: [.loopback(port: 3)])
    var frames = ByteWriter()
    Roster.writeFrames([carol], to: &frames)
    probe.send(bytes: frames.bytes, on: link)
    probe.wait(.seconds(1.5))
    let dial = try #require(probe.dials.first { $0.address == .loopback(port: 3) }).dial
    let impostor = probe.open(2, mallory, dial: dial)
    #expect(try probe.frames(on: impostor).isEmpty)
    #expect(probe.closed == [impostor])
    // Carol is dialled on.
    let dials = probe.dials.count
    probe.wait(.seconds(2))
    #expect(probe.dials.count > dials)
  }
}
