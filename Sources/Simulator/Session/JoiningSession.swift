import Basics
package import PeerProtocol

/// Nodes that start at once and all invite the first one, to count what joining a session of so many costs.
package struct JoiningSession {
  private var simulation: Simulation<SessionPeer, SessionMonitor>
  /// How long it took until all were linked to all and followed one host (nanoseconds); nil if they did not within a minute.
  package private(set) var time: Int64?

  /// Lets `count` nodes start within `span` (nanoseconds) and join.
  package init(count: Int, seed: UInt64, within span: Int64) {
    simulation = Simulation(
      count: count, profile: NetworkProfile(), random: SeededRandom(seed: seed),
      monitor: SessionMonitor(count: count, transcript: Transcript(isOn: false)))
    for index in 0..<count {
      simulation.start(index) { now in
        var peer = SessionPeer(
          index: index, count: count, seed: seed &+ UInt64(index), invited: 0..<min(index, 1), at: now)
        peer.sentFrames = [:]
        return peer
      }
      simulation.run(for: span / Int64(count))
    }
    for _ in 0..<600 where time == nil {
      simulation.run(for: 100_000_000)
      if simulation.isOneSession { time = simulation.now.nanoseconds(since: .zero) }
    }
  }

  /// The epoch of the host in the end: how many times a node has claimed, at least.
  package var epoch: UInt64 { simulation.nodes.map(\.epoch).max() ?? 0 }

  /// The frames that a node has sent in the mean, and their bytes, by type.
  package var sent: [(type: FrameType, frames: Double, bytes: Double)] {
    var frames: [FrameType: Int] = [:]
    var bytes: [FrameType: Int] = [:]
    for index in 0..<simulation.count {
      guard let peer = simulation.node(index) else { continue }
      frames.merge(peer.sentFrames ?? [:], uniquingKeysWith: +)
      bytes.merge(peer.sentBytes, uniquingKeysWith: +)
    }
    let count = Double(simulation.count)
    return frames.map { ($0, Double($1) / count, Double(bytes[$0] ?? 0) / count) }.sorted { $0.bytes > $1.bytes }
  }
}
