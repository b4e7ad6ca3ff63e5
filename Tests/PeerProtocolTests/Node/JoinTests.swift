import Basics
import PeerProtocol
import Simulator
import TestSupport
import Testing
import WorldModel

/// Two sessions of one peer each that become one.
@Suite("A join")
struct JoinTests {
  /// How long the two are watched, and how often.
  private static let (watch, step): (Duration, Int64) = (.seconds(6), 10_000_000)

  @Test(
    "one of the two hosts at every moment, and both have a host within 0.3 s, whoever was there first and whoever invites",
    arguments: Tier.seeds(1...20 as ClosedRange<UInt64>), [0, 1])
  func isHosted(seed: UInt64, first: Int) throws {
    var simulation = Simulation(
      count: 2, profile: NetworkProfile(), random: SeededRandom(seed: seed),
      monitor: TestSession.Recorder(events: [[], []], times: [[], []]))
    func start(_ index: Int) {
      simulation.apply(.start(index)) { index, now in
        SessionPeer(index: index, count: 2, seed: seed &* 2 &+ UInt64(index), at: now) { _ in }
      }
    }
    start(first)
    simulation.run(for: 10_000_000_000)
    start(1 - first)
    let began = simulation.now
    var (met, agreed): (Instant?, Instant?)
    while simulation.now - began < Self.watch {
      simulation.run(for: Self.step)
      let nodes = [0, 1].compactMap { simulation.node($0)?.node }
      #expect(nodes.contains { $0.host == $0.me }, "nobody hosts after \(simulation.now - began)")
      if met == nil, nodes.allSatisfy({ $0.memberSummaries.count == 1 }) { met = simulation.now }
      if agreed == nil, nodes[0].host != nil, nodes[0].host == nodes[1].host { agreed = simulation.now }
    }
    #expect(try #require(agreed) - #require(met) <= .milliseconds(300))
    #expect(simulation.node(0)?.node.host == simulation.node(1)?.node.host)
  }
}
