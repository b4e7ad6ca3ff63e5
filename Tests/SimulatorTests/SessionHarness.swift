import Basics
import PeerProtocol
import Simulator

/// Whole nodes over the virtual network, steered step by step; nodes are numbered from 0.
struct SessionHarness {
  var simulation: Simulation<SessionPeer, SessionMonitor>
  private var seeds: SeededRandom

  /// `count` machines of which none runs yet.
  init(count: Int, seed: UInt64 = 1) {
    seeds = SeededRandom(seed: seed)
    var profile = NetworkProfile()
    // Only the nodes themselves give up on a silent connection.
    profile.silence = nil
    simulation = Simulation(
      count: count, profile: profile, random: seeds.split(),
      monitor: SessionMonitor(count: count, transcript: Transcript(isOn: true)))
  }

  /// A session of `count` nodes that have found each other.
  static func joined(_ count: Int, seed: UInt64 = 1) -> Self {
    var harness = Self(count: count, seed: seed)
    for index in 0..<count {
      harness.apply(.start(index))
      harness.run(0.05)
    }
    harness.run(15)
    return harness
  }

  mutating func apply(_ fault: Fault) {
    let seed = seeds.next()
    let count = simulation.count
    simulation.apply(fault) { SessionPeer(index: $0, count: count, seed: seed, at: $1) }
  }

  /// Ends processes and starts them again with the records that they kept, `seconds` later.
  mutating func restart(_ indices: Range<Int>, after seconds: Double) throws {
    let records = try indices.map { index in
      try simulation.node(index)?.records.last.map { try NodeRecord(decoding: $0) }
    }
    for index in indices { apply(.crash(index, silently: true)) }
    run(seconds)
    let (seed, count) = (seeds.next(), simulation.count)
    for (index, record) in zip(indices, records) {
      simulation.apply(.start(index)) { SessionPeer(index: $0, count: count, seed: seed, restoring: record, at: $1) }
    }
  }

  /// Lets this many seconds pass.
  mutating func run(_ seconds: Double) { simulation.run(for: Int64(seconds * 1e9)) }

  mutating func handle(_ input: Input, on index: Int) {
    simulation.perform(index) { peer, now in peer.perform(at: now) { node, now in node.handle(input, at: now) } }
  }

  func node(_ index: Int) -> Node { simulation.node(index)!.node }

  /// How the members stand as one of them sees it, in the order of their numbers.
  func statuses(_ index: Int) -> [Member.Status] { node(index).memberSummaries.map(\.status) }

  /// Whether each of these nodes has a direct link to all the others.
  func isMesh(_ nodes: [Int]) -> Bool {
    nodes.allSatisfy { index in
      let direct = node(index).memberSummaries.filter(\.isDirect).map(\.peerID)
      return nodes.allSatisfy { $0 == index || direct.contains(SessionPeer.identity(of: $0)) }
    }
  }

  /// The seconds until `condition` holds, looked at every 50 ms; nil if it does not within `limit`.
  mutating func seconds(until limit: Double, _ condition: (Self) -> Bool) -> Double? {
    let start = simulation.now
    while Double(simulation.now.nanoseconds(since: start)) < limit * 1e9 {
      if condition(self) { return Double(simulation.now.nanoseconds(since: start)) / 1e9 }
      run(0.05)
    }
    return nil
  }
}
