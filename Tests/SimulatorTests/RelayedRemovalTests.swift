import Basics
import PeerProtocol
import Simulator
import Testing

/// Removals and departures where not every pair of members has a link.
@Suite("Removals without a link to the host")
struct RelayedRemovalTests {
  /// A session of machines of which only these pairs have a link; machine 0 hosts.
  private static func session(_ count: Int, links: [(Int, Int)]) throws -> SessionHarness {
    var harness = SessionHarness.joined(count)
    for one in 0..<count {
      for other in 0..<one where !links.contains(where: { $0 == (one, other) || $0 == (other, one) }) {
        harness.apply(.cut(one, other))
      }
    }
    harness.run(12)
    let host = (0..<count).first { harness.node($0).host == harness.node($0).me }
    harness.handle(.handover(SessionPeer.identity(of: 0)), on: try #require(host))
    harness.run(2)
    for index in 0..<count {
      try #require(harness.node(index).host?.peer == SessionPeer.identity(of: 0))
      try #require(harness.statuses(index) == Array(repeating: .connected, count: count - 1))
    }
    return harness
  }

  /// When each of these nodes first holds this of a peer (milliseconds from now), in the order of the nodes.
  private static func times(
    _ harness: inout SessionHarness, _ status: RosterEntry.Status, of victim: Int, at nodes: [Int]
  ) -> [Int?] {
    var times: [Int: Int] = [:]
    for time in 0..<500 {
      for node in nodes where harness.node(node).roster[SessionPeer.identity(of: victim)]?.status == status {
        times[node] = times[node] ?? time
      }
      harness.run(0.001)
    }
    return nodes.map { times[$0] }
  }

  /// A hop of the simulated network takes up to 3.2 ms each way, and what is seen is rounded to 1 ms.
  private static let hop = 5

  @Test("a removal passes down a row of members as fast as the hops carry it")
  func travelsDownARow() throws {
    var harness = try Self.session(5, links: [(0, 1), (1, 2), (2, 3), (3, 4)])
    harness.handle(.kick(SessionPeer.identity(of: 4)), on: 0)
    let times = Self.times(&harness, .kicked, of: 4, at: [0, 1, 2, 3])
    for (hops, time) in times.enumerated() {
      #expect(try #require(time) <= hops * Self.hop, "after \(hops) hops")
    }
  }

  @Test("who is removed without a link to the host is told by those around it, of whom two agree")
  func victimIsToldByTwo() throws {
    var harness = try Self.session(4, links: [(0, 1), (0, 2), (1, 3), (2, 3), (1, 2)])
    harness.handle(.kick(SessionPeer.identity(of: 3)), on: 0)
    harness.run(0.05)
    #expect(harness.node(3).hasEnded)
  }

  @Test("who hangs on one other member only is left alone, and ends when it meets the host or a second one")
  func victimAtTheEndOfARow() throws {
    var harness = try Self.session(4, links: [(0, 1), (1, 2), (2, 3)])
    harness.handle(.kick(SessionPeer.identity(of: 3)), on: 0)
    harness.run(8)
    #expect(!harness.node(3).hasEnded)
    #expect(harness.node(3).memberSummaries.allSatisfy { $0.status != .connected })
    harness.apply(.mend(0, 3))
    let time = harness.seconds(until: 10) { $0.node(3).hasEnded }
    #expect(time != nil)
  }

  @Test("the host's rules, or that there are none, pass down a row, also where its end was told others")
  func rulesTravelDownARow() throws {
    for isLocked in [true, false] {
      var harness = try Self.session(4, links: [(0, 1), (1, 2), (2, 3)])
      harness.lie(rules: 1 << 16, from: 2, to: 3)
      harness.run(0.1)
      #expect(harness.node(3).rules.version == 1 << 16)
      if isLocked { harness.handle(.setLocked(true), on: 0) }
      harness.run(6)
      #expect((0..<4).allSatisfy { harness.node($0).rules == harness.node(0).rules })
      #expect(harness.node(3).rules.isLocked == isLocked)
    }
  }

  @Test("a departure passes down a row too, as soon as nobody reaches the one that left")
  func departureTravels() throws {
    var harness = try Self.session(5, links: [(0, 1), (1, 2), (2, 3), (0, 4)])
    harness.handle(.leave, on: 4)
    let times = Self.times(&harness, .left, of: 4, at: [0, 1, 2, 3])
    for (hops, time) in times.enumerated() {
      // The host's neighbours announce lost links 50 ms later.
      #expect(try #require(time) <= (hops + 1) * Self.hop + (hops > 0 ? 55 : 0), "after \(hops) hops more")
    }
  }
}

extension SessionHarness {
  /// A node hears rules with this version, unlocked, from one that it is linked to.
  fileprivate mutating func lie(rules version: UInt32, from liar: Int, to index: Int) {
    var frame = ByteWriter()
    frame.writeFrame(.rules) { body in
      body.write(version)
      body.write(bytes: [0, 32])
    }
    let link = node(index).memberSummaries.first { $0.peerID == SessionPeer.identity(of: liar) }?.link
    simulation.perform(index) { peer, now in
      peer.perform(at: now) { node, now in node.receive(frame.bytes, on: link!, at: now) }
    }
  }
}
