import Basics
import PeerProtocol
import Simulator
import Testing
import WorldModel

@Suite("Unreliable messages")
struct UnreliableMessageTests {
  private let member = NodeProbe.peer(1)

  private func say(_ message: UnreliableMessage, to probe: inout NodeProbe, on link: LinkID) {
    probe.send(.unreliableMessage, on: link) { message.write(to: &$0) }
  }

  /// The first bytes of the messages that the app got, with their keys.
  private func told(_ probe: inout NodeProbe) -> [String] {
    probe.takeEvents().compactMap {
      if case .unreliable(let bytes, _, let key, _) = $0 { "\(key)\(bytes[0])" } else { nil }
    }
  }

  /// The messages that left on a link.
  private func sent(_ probe: inout NodeProbe, on link: LinkID) throws -> [UnreliableMessage] {
    try probe.frames(on: link).filter { $0.type == .unreliableMessage }.map {
      try UnreliableMessage(body: $0.body.span.bytes)
    }
  }

  @Test("a message comes once, and not behind a newer one of its key")
  func order() {
    var probe = NodeProbe()
    let link = probe.join(1, member)
    _ = probe.takeEvents()
    for (key, number) in [("a", 5), ("a", 4), ("b", 3), ("a", 5), ("b", 2), ("a", 6)] as [(String, UInt64)] {
      say(UnreliableMessage([UInt8(number)], number: number, key: key), to: &probe, on: link)
    }
    #expect(told(&probe) == ["a5", "b3", "a6"])
  }

  @Test("what others pass on before a member is there waits for it: the newest of each key, within a bound")
  func early() {
    var probe = NodeProbe()
    let link = probe.join(1, member)
    let newcomer = NodeID(peer: NodeProbe.peer(2), incarnation: 8)
    probe.tell([RosterEntry(peerID: newcomer.peer, version: 1, incarnation: 8, name: "b", addresses: [])], on: link)
    _ = probe.takeEvents()
    let route = FrameRoute(from: newcomer, to: probe.node.me)
    let size = ProtocolLimits.unreliableMessage
    for (index, key) in ["lost", "a", "b", "a", "c"].enumerated() {
      let bytes = [UInt8](repeating: UInt8(index + 1), count: size)
      say(UnreliableMessage(bytes, number: UInt64(index + 1), key: key, route: route), to: &probe, on: link)
    }
    #expect(probe.takeEvents().isEmpty)
    let other = probe.join(2, newcomer.peer, incarnation: 8)
    #expect(told(&probe) == ["b3", "a4", "c5"])
    probe.input(.linkClosed(other))
    _ = probe.join(3, newcomer.peer, incarnation: 8)
    #expect(told(&probe).isEmpty)
  }

  @Test("a peer that starts again numbers its messages from the beginning, and they arrive")
  func restart() {
    var probe = NodeProbe()
    let first = probe.join(1, member)
    say(UnreliableMessage([9], number: 9, key: "a"), to: &probe, on: first)
    probe.input(.linkClosed(first))
    _ = probe.takeEvents()
    let second = probe.join(2, member, incarnation: 8)
    say(UnreliableMessage([1], number: 1, key: "a"), to: &probe, on: second)
    #expect(told(&probe) == ["a1"])
  }

  @Test(
    "what is still on its way from a start is not handed over behind a message of the next one",
    arguments: [false, true])
  func formerStart(isKnown: Bool) {
    var probe = NodeProbe()
    let (old, neighbor) = (probe.join(1, member), probe.join(2, NodeProbe.peer(2)))
    _ = probe.takeEvents()
    if isKnown { say(UnreliableMessage([9], number: 9, key: "a"), to: &probe, on: old) }
    let next = NodeID(peer: member, incarnation: 8)
    probe.tell([RosterEntry(peerID: member, version: 2, incarnation: 8, name: "b", addresses: [])], on: neighbor)
    let route = FrameRoute(from: next, to: probe.node.me)
    say(UnreliableMessage([1], number: 1, key: "a", route: route), to: &probe, on: neighbor)
    say(UnreliableMessage([10], number: 10, key: "a"), to: &probe, on: old)
    say(UnreliableMessage([2], number: 2, key: "a", route: route), to: &probe, on: neighbor)
    #expect(told(&probe) == (isKnown ? ["a9"] : []) + ["a1", "a2"])
  }

  @Test("of more keys than are remembered, none goes back")
  func manyKeys() {
    var probe = NodeProbe()
    let link = probe.join(1, member)
    _ = probe.takeEvents()
    let count = ProtocolLimits.unreliableKeys + 10
    for number in 1...count {
      say(UnreliableMessage([0], number: UInt64(number), key: "\(number)"), to: &probe, on: link)
    }
    #expect(told(&probe).count == count)
    for number in 1...count {
      say(UnreliableMessage([0], number: UInt64(number), key: "\(number)"), to: &probe, on: link)
    }
    #expect(told(&probe).isEmpty)
  }

  @Test("what has not left is replaced by a newer one of its key, and what would wait beyond the bound is dropped")
  func replaced() throws {
    var probe = NodeProbe()
    let link = probe.join(1, member)
    probe.isSlow = true
    // The link has its fill: nothing leaves now.
    for _ in 1...2 { probe.input(.send([UInt8](repeating: 1, count: ProtocolLimits.message), to: nil)) }
    _ = try probe.frames(on: link)
    for value in 1...100 {
      probe.input(.send([UInt8(value)], mode: .unreliable(key: "a"), to: nil))
      probe.input(.send([UInt8(value)], mode: .unreliable(key: "b"), to: nil))
    }
    probe.isSlow = false
    probe.input(.writable(link))
    #expect(try sent(&probe, on: link).map { "\($0.key)\($0.bytes)" } == ["a[100]", "b[100]"])
    probe.isSlow = true
    for _ in 1...2 { probe.input(.send([UInt8](repeating: 1, count: ProtocolLimits.message), to: nil)) }
    _ = try probe.frames(on: link)
    for value in 1...1000 {
      let bytes = [UInt8](repeating: 1, count: ProtocolLimits.unreliableMessage)
      probe.input(.send(bytes, mode: .unreliable(key: "\(value)"), to: nil))
      #expect(probe.node.messageLoad.unreliable <= ProtocolLimits.messageWindow / 4)
    }
    #expect(probe.node.messageLoad.unreliable > ProtocolLimits.messageWindow / 5)
  }

  @Test("a message that is too long, or has no number, ends the link")
  func refused() throws {
    for (size, number) in [(ProtocolLimits.unreliableMessage + 1, 1), (1, 0), (1, 1 << 63)] as [(Int, UInt64)] {
      var probe = NodeProbe()
      let link = probe.join(1, member)
      say(UnreliableMessage([UInt8](repeating: 1, count: size), number: number, key: "a"), to: &probe, on: link)
      #expect(try probe.goodbye(on: link) == .protocolError)
    }
  }

  @Test("nobody speaks through others for a member with a link of its own")
  func believed() {
    var probe = NodeProbe()
    let (_, other) = (probe.join(1, member), probe.join(2, NodeProbe.peer(2), incarnation: 8))
    _ = probe.takeEvents()
    let route = FrameRoute(from: NodeID(peer: member, incarnation: 7), to: probe.node.me)
    say(UnreliableMessage([1], number: 1, key: "a", route: route), to: &probe, on: other)
    #expect(told(&probe).isEmpty && probe.closed.isEmpty)
  }

  @Test("a member passes on the newest of each key, and no more than may wait")
  func passedOn() throws {
    var probe = NodeProbe()
    let (one, other) = (probe.join(1, member), probe.join(2, NodeProbe.peer(2), incarnation: 8))
    _ = (try probe.frames(on: one), try probe.frames(on: other))
    probe.isSlow = true
    for _ in 1...2 { probe.input(.send([UInt8](repeating: 1, count: ProtocolLimits.message), to: nil)) }
    _ = try probe.frames(on: other)
    let route = FrameRoute(
      from: NodeID(peer: member, incarnation: 7), to: NodeID(peer: NodeProbe.peer(2), incarnation: 8))
    for number: UInt64 in [1, 2, 9, 4] {
      say(UnreliableMessage([UInt8(number)], number: number, key: "a", route: route), to: &probe, on: one)
    }
    say(UnreliableMessage([3], number: 3, key: "b", route: route), to: &probe, on: one)
    for number in 10...500 as ClosedRange<UInt64> {
      say(UnreliableMessage([0], number: number, key: "b", route: route), to: &probe, on: one)
    }
    let load = probe.node.messageLoad.relayedUnreliable
    #expect(load > 0 && load < 3 * ProtocolLimits.messageCost)
    probe.isSlow = false
    probe.input(.writable(other))
    let passed = try sent(&probe, on: other)
    #expect(passed.map { "\($0.key)\($0.number)" } == ["a9", "b500"])
    #expect(passed.allSatisfy { $0.route?.hops == 1 })
    #expect(told(&probe).isEmpty)
  }

  @Test("a member without a link gets the latest through others, and one that was away gets it when it returns")
  func away() throws {
    var session = try TestSession.row(3)
    let last = { (session: TestSession, index: Int) -> UInt8? in
      session.simulation.monitor.events[index].compactMap {
        if case .unreliable(let bytes, _, _, _) = $0 { bytes[0] } else { nil }
      }.last
    }
    let send = { (value: UInt8, session: inout TestSession) in
      try session.perform(0) { $0.handle(.send([value], mode: .unreliable(key: "a"), to: nil), at: $1) }
    }
    for value: UInt8 in 1...50 { try send(value, &session) }
    session.run(.seconds(2))
    #expect(last(session, 1) == 50 && last(session, 2) == 50)
    session.apply(.cut(1, 2))
    // What leaves before the silence is noticed is lost with the link.
    while try session.node(1).isLinked(to: SessionPeer.identity(of: 2)) { session.run(.milliseconds(100)) }
    session.run(.milliseconds(500))
    for value: UInt8 in 51...60 { try send(value, &session) }
    session.run(.milliseconds(500))
    #expect(last(session, 1) == 60 && last(session, 2) == 50)
    session.apply(.mend(1, 2))
    for _ in 0..<100 where last(session, 2) != 60 { session.run(.milliseconds(100)) }
    let (told, load) = (session.simulation.monitor.events[0], try session.node(0).messageLoad)
    #expect(last(session, 2) == 60, "\(load) \(told.suffix(4))")
  }
}
