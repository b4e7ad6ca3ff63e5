import Basics
import PeerProtocol

/// A session in which nothing goes wrong, to measure what it costs.
package struct QuietSession {
  private var simulation: Simulation<SessionPeer, SessionMonitor>

  /// `count` nodes that have found each other and agree on a host; nil if they do not within a minute.
  package init?(count: Int, seed: UInt64) {
    simulation = Simulation(
      count: count, profile: NetworkProfile(), random: SeededRandom(seed: seed),
      monitor: SessionMonitor(count: count, transcript: Transcript(isOn: false)))
    for index in 0..<count {
      simulation.start(index) { SessionPeer(index: index, count: count, seed: seed &+ UInt64(index), at: $0) }
      simulation.run(for: 50_000_000)
    }
    for _ in 0..<60 where !simulation.isOneSession { simulation.run(for: 1_000_000_000) }
    guard simulation.isOneSession else { return nil }
    simulation.run(for: 10_000_000_000)
  }

  /// Lets time pass (ns).
  package mutating func run(for nanoseconds: Int64) { simulation.run(for: nanoseconds) }
}

extension Simulation where Node == SessionPeer {
  /// The nodes that run.
  var nodes: [PeerProtocol.Node] { (0..<count).compactMap { node($0)?.node } }

  /// Whether all are linked to all and follow one host.
  var isOneSession: Bool {
    let nodes = nodes
    return nodes.allSatisfy { node in
      node.host != nil && node.host == nodes[0].host && node.memberSummaries.count { $0.isDirect } == nodes.count - 1
    }
  }
}
