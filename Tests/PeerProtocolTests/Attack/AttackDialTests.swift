import Basics
import Testing
import WorldModel

@testable import PeerProtocol

/// Whom a node dials because one member says so.
@Suite struct AttackDialTests {
  private static let liar = NodeProbe.peer(1)
  private static let far = SocketAddress(host: .ipv4(0x0a00_0005), port: 4000)
  private static let victim = SocketAddress.Host.ipv4(0x0a00_0009)

  /// A node with a member that lies, linked from `remote`.
  private static func meeting(from remote: SocketAddress = far) throws -> (probe: NodeProbe, link: LinkID, dials: Int) {
    var probe = NodeProbe()
    let link = probe.join(1, liar, from: remote)
    probe.wait(seconds: 1, keeping: [link])
    return (probe, link, probe.dials.count)
  }

  private static func invented(_ number: Int, at addresses: [SocketAddress]) -> RosterEntry {
    RosterEntry(
      peerID: NodeProbe.peer(1000 + number), version: 1, incarnation: 1, name: "invented", addresses: addresses)
  }

  private static let sixty = (0..<60).map { number in
    invented(number, at: (0..<8).map { SocketAddress(host: victim, port: UInt16(1 + 8 * number + $0)) })
  }

  @Test func `of the dials to 60 invented members that nobody answers 16 are under way`() throws {
    var (probe, link, before) = try Self.meeting()
    probe.tell(Self.sixty, on: link)
    probe.wait(seconds: 30, keeping: [link])
    #expect(probe.dials.count - before == ProtocolLimits.unprovenDials)
  }

  @Test func `of those that somebody answers eight authenticate at a time, for a second each`() throws {
    var (probe, link, before) = try Self.meeting()
    let addresses = (0..<40).map { SocketAddress(host: .ipv4(0x0a00_0100 + UInt32($0)), port: 1) }
    probe.tell(addresses.enumerated().map { Self.invented($0.offset, at: [$0.element]) }, on: link)
    // All that this node dials answers at once, and says nothing more.
    let start = probe.now
    var moments: [Duration] = []
    for _ in 0..<400 {
      for dial in probe.dials[(before + moments.count)...] {
        moments.append(probe.now - start)
        probe.input(.dialConnected(dial.dial))
      }
      probe.wait(.milliseconds(10), keeping: [link])
    }
    #expect(moments.count == ProtocolLimits.unprovenDials)
    for (index, moment) in moments.enumerated() where index >= ProtocolLimits.authenticatingDials {
      #expect(moment - moments[index - ProtocolLimits.authenticatingDials] >= ProtocolTimes.dialTurn)
    }
  }

  @Test func `dials that lead back to this node are not under way for ever`() throws {
    var (probe, link, before) = try Self.meeting()
    for round in 0..<3 {
      probe.tell(
        (0..<16).map { number in
          Self.invented(100 * round + number, at: [SocketAddress(host: .ipv4(0x0a00_0100 + UInt32(number)), port: 1)])
        }, on: link)
      probe.wait(.seconds(2))
      let dials = probe.dials[before...].map(\.dial)
      #expect(dials.count >= 16)
      before = probe.dials.count
      for dial in dials {
        let own = probe.open(1000 + dial.rawValue, NodeProbe.me, dial: dial)
        #expect(probe.closed.contains(own))
      }
      probe.send(.ping, on: link) { $0.write(UInt64(1)) }
    }
  }

  @Test func `60 invented members at one machine make four dials a second, and ever fewer`() throws {
    var (probe, link, before) = try Self.meeting()
    probe.tell(Self.sixty, on: link)
    var counts: [Int] = []
    var refused = before
    for second in 0..<120 {
      let start = probe.dials.count
      // News of them every second does not help.
      probe.tell(
        Self.sixty.map { entry in
          var next = entry
          (next.version, next.name) = (UInt32(second + 2), "invented \(second)")
          return next
        }, on: link)
      for _ in 0..<10 {
        probe.wait(.milliseconds(100))
        let dials = probe.dials[refused...].map(\.dial)
        for dial in dials { probe.input(.dialFailed(dial, refused: true)) }
        refused += dials.count
      }
      probe.send(.ping, on: link) { $0.write(UInt64(1)) }
      counts.append(probe.dials.count - start)
    }
    // A second of ours may touch two of the limit's.
    #expect(counts.max() ?? 0 <= 2 * ProtocolLimits.dialsToHost)
    #expect(counts.reduce(0, +) <= 120 * (ProtocolLimits.dialsToHost + 1))
    #expect(probe.dials[before...].allSatisfy { $0.address.host == Self.victim })
  }

  @Test func `a member that was never linked is dialled every 16 seconds in the end, another one every four`() throws {
    for (isKnown, pause) in [(true, ProtocolTimes.dialBackoffMost), (false, ProtocolTimes.dialBackoffOfUnknown)] {
      var random = SeededRandom(seed: 1)
      var plan = DialPlan(addresses: [Self.far], start: .zero)
      plan.isKnown = isKnown
      var now = Instant.zero
      for number in 1...12 {
        let dial = DialID(rawValue: UInt64(number))
        #expect(plan.attempt(dial, at: now, random: &random) == Self.far)
        plan.failed(dial, refused: true, at: now)
        if number == 12 { #expect(plan.nextAttempt - now >= ProtocolTimes.dialTurn + pause) }
        now = plan.nextAttempt
      }
    }
  }

  @Test func `addresses of this machine, of nobody and of many are not dialled for a member on the network`() throws {
    let ports = [
      SocketAddress.loopback(port: 22), SocketAddress(host: .ipv6(high: 0, low: 1, scope: 0), port: 22),
      SocketAddress(host: .ipv4(0), port: 22), SocketAddress(host: .ipv6(high: 0, low: 0, scope: 0), port: 22),
      SocketAddress(host: .ipv4(0xe000_00fb), port: 22), SocketAddress(host: .ipv4(0xffff_ffff), port: 22),
      SocketAddress(host: .ipv6(high: 0xff02 << 48, low: 0xfb, scope: 0), port: 22),
    ]
    for (remote, dialled) in [(Self.far, []), (SocketAddress.loopback(port: 5), Array(ports.prefix(2)))] {
      var (probe, link, before) = try Self.meeting(from: remote)
      probe.tell([Self.invented(0, at: ports)], on: link)
      probe.wait(seconds: 10, keeping: [link])
      #expect(Set(probe.dials[before...].map(\.address)) == Set(dialled))
    }
  }

  @Test func `what a peer on the network says of itself leads to this machine no more than what others say`() throws {
    var probe = NodeProbe()
    var hello = NodeProbe.hello(Self.liar)
    hello.addresses = [SocketAddress.loopback(port: 22), SocketAddress(host: Self.victim, port: 4000)]
    let link = probe.open(1, Self.liar, from: Self.far)
    probe.send(.hello, on: link) { hello.write(to: &$0) }
    probe.send(.invite, on: link) { Invite(number: 1, wait: 30_000, context: []).write(to: &$0) }
    for case .invitationReceived(let id, _, _, _) in probe.takeEvents() { probe.input(.answer(id, .accept)) }
    probe.send(.admit, on: link)
    let addresses = probe.node.roster[Self.liar]?.addresses ?? []
    #expect(addresses.contains(SocketAddress(host: Self.victim, port: 4000)))
    #expect(!addresses.contains { $0.host.isLoopback })
  }
}
