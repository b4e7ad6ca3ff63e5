package import AnchorReplication
import Basics
package import PeerProtocol

/// A simulated session that does nothing but elect its host.
package struct ElectionWorld {
  /// The simulation: what happens when and to whom.
  package var simulation: Simulation<ElectionPeer, ElectionMonitor>
  /// The decisions of each node's app, by number.
  package var configurations: [ElectionConfiguration]
  private let rules: ProtocolRules
  private var random: SeededRandom

  /// Machines with skewed and drifting clocks on which nothing runs yet.
  package init(
    seed: UInt64, count: Int, rules: ProtocolRules = .all, profile: NetworkProfile = NetworkProfile(),
    transcript: Transcript = Transcript(isOn: false)
  ) {
    random = SeededRandom(seed: seed)
    self.rules = rules
    configurations = Array(repeating: ElectionConfiguration(), count: count)
    let monitor = ElectionMonitor(count: count, transcript: transcript)
    simulation = Simulation(count: count, profile: profile, random: random.split(), monitor: monitor)
    for index in 0..<count {
      let skew = Int64(random.below(UInt64(1_000_000_000_000)))
      simulation.setClock(index, skew: skew, drift: Int64(random.below(201)) - 100)
    }
  }

  /// The number of machines.
  package var count: Int { simulation.count }

  /// The first invariant that did not hold.
  package var violation: String? { simulation.monitor.violation }

  /// The election of a node; nil if nothing runs there.
  package func election(_ index: Int) -> HostElection? { simulation.node(index)?.election }

  /// Applies a fault and records it.
  package mutating func apply(_ fault: Fault) {
    let now = simulation.now
    simulation.monitor.note(fault.description, at: now)
    let (rules, configurations, count) = (rules, configurations, count)
    var chance = random.split()
    simulation.apply(fault) { index, local in
      let me = ElectionPeer.identity(of: index, incarnation: chance.next())
      return ElectionPeer(
        index: index, count: count, me: me, configuration: configurations[index], rules: rules,
        random: chance.split(), at: local)
    }
  }

  /// Runs until every component agrees on its host, at most `limit` nanoseconds; how long that took, or nil.
  package mutating func runUntilAgreed(within limit: Int64, step: Int64 = 10_000_000) -> Int64? {
    let start = simulation.now
    while disagreement() != nil {
      guard simulation.now.nanoseconds(since: start) < limit, violation == nil else { return nil }
      simulation.run(for: step)
    }
    return simulation.now.nanoseconds(since: start)
  }

  /// E1: what is wrong now with the hosts of the connected components; nil if all agree.
  package func disagreement() -> String? {
    for component in simulation.components() {
      if let text = disagreement(in: component) { return text }
    }
    return nil
  }

  /// The number of the host that every running node follows; nil if they do not agree.
  package func commonHost() -> Int? {
    let running = (0..<count).filter(simulation.isRunning)
    guard let first = running.first, disagreement(in: running) == nil else { return nil }
    return election(first)?.host.map(ElectionPeer.index)
  }

  private func disagreement(in component: [Int]) -> String? {
    let hosts = component.filter { election($0)?.isHost == true }
    let canHost = component.contains { configurations[$0].canHost }
    guard hosts.count == (canHost ? 1 : 0) else {
      return "E1 the nodes \(component.map { $0 + 1 }) have the hosts \(hosts.map { $0 + 1 })"
    }
    let (host, epoch) = (hosts.first.flatMap { election($0)?.me }, hosts.first.flatMap { election($0)?.epoch })
    for index in component {
      guard let election = election(index), election.host != host || (host != nil && election.epoch != epoch) else {
        continue
      }
      let names = [election.host, host].map { $0.map { String(ElectionPeer.index(of: $0) + 1) } ?? "none" }
      return "E1 \(index + 1) follows \(names[0]) epoch \(election.epoch), not \(names[1]) epoch \(epoch ?? 0)"
    }
    return nil
  }
}

/// The wishes that apps may have of their node's election.
extension ElectionWorld {
  package mutating func requestHost(_ index: Int) {
    wish(index, "asks to be host", .other, .request)
  }

  package mutating func handover(_ index: Int, to other: Int) {
    guard let target = election(other)?.me else { return }
    wish(index, "hands over to \(other + 1)", .other, .handover(to: target))
  }

  package mutating func resign(_ index: Int) {
    wish(index, "resigns", .resign, .resign)
  }

  /// A node enters the session of another one.
  package mutating func join(_ index: Int, of other: Int) {
    wish(index, "enters the session of \(other + 1)", .join, .join(election(other)?.me))
  }

  /// A node says goodbye: it resigns, tells all, and its process ends.
  package mutating func leave(_ index: Int) {
    guard let gone = election(index)?.me, simulation.isAwake(index) else { return }
    resign(index)
    simulation.run(for: 20_000_000)
    apply(.crash(index, silently: false))
    for other in 0..<count where other != index && simulation.areLinked(index, other) {
      wish(other, "hears the goodbye of \(index + 1)", .left(gone), .left(gone))
    }
  }

  private mutating func wish(_ index: Int, _ text: String, _ wish: ElectionWish, _ input: ElectionInput) {
    guard simulation.isAwake(index) else { return }
    simulation.monitor.note("\(index + 1) \(text)", at: simulation.now)
    simulation.perform(index) { node, now in node.perform(wish, input, at: now) }
  }
}
