import AnchorReplication
package import PeerProtocol
import WorldModel

/// One run of whole sessions: faults of every kind while apps edit anchors and share maps, then rest.
///
/// At rest every running node must know the same members, follow the same host, hold the same anchors under the same
/// vectors and digests, and have the same map, whole.
package struct SessionScenario {
  private var simulation: Simulation<SessionPeer, SessionMonitor>
  private var random: SeededRandom
  private let count: Int
  private var failure: String?

  private let options: Options

  /// How long a session may take to come to rest (ns).
  private static let patience: Int64 = 30_000_000_000

  /// What a run does beyond its seed.
  package struct Options: Sendable {
    /// Faults before the rest.
    package var faults = 30
    /// Whether the first node lies until the faults are over.
    package var hasLiar = false
    /// Deliberate mistakes of every node.
    package var mistakes = NodeMistakes()

    package init(faults: Int = 30, hasLiar: Bool = false, mistakes: NodeMistakes = NodeMistakes()) {
      self.faults = faults
      self.hasLiar = hasLiar
      self.mistakes = mistakes
    }
  }

  /// Runs one seed with `count` nodes, 2 at least; the time measured is that from the last fault to rest.
  package static func run(
    seed: UInt64, count: Int, options: Options = Options(), recording: Bool = false
  ) -> RunOutcome {
    var scenario = SessionScenario(seed: seed, count: max(2, count), options: options, recording: recording)
    scenario.startAll()
    scenario.chaos()
    let rest = scenario.rest()
    let simulation = scenario.simulation
    return RunOutcome(
      violation: scenario.violation, time: rest, simulated: simulation.now.nanoseconds, delivered: simulation.delivered,
      transcript: simulation.monitor.transcript)
  }

  private init(seed: UInt64, count: Int, options: Options, recording: Bool) {
    self.options = options
    random = SeededRandom(seed: seed)
    self.count = count
    var profile = NetworkProfile()
    profile.jitter = [500_000, 3_000_000, 20_000_000, 60_000_000][random.below(4)]
    profile.silence = nil
    simulation = Simulation(
      count: count, profile: profile, random: random.split(),
      monitor: SessionMonitor(count: count, transcript: Transcript(isOn: recording)))
    for index in 0..<count {
      let skew = Int64(random.below(UInt64(1_000_000_000_000)))
      simulation.setClock(index, skew: skew, drift: Int64(random.below(201)) - 100)
    }
  }

  private var violation: String? { failure ?? simulation.monitor.violation }

  private mutating func apply(_ fault: Fault) {
    simulation.monitor.transcript.add(at: simulation.now, fault.description)
    let (count, options) = (count, options)
    var seeds = random.split()
    simulation.apply(fault) { index, local in
      SessionPeer(
        index: index, count: count, seed: seeds.next(), mistakes: options.mistakes,
        isLiar: options.hasLiar && index == 0, at: local)
    }
  }

  private mutating func startAll() {
    for index in 0..<count {
      apply(.start(index))
      simulation.run(for: Int64(random.below(UInt64(400_000_000))))
    }
    simulation.run(for: 2_000_000_000)
  }

  private mutating func chaos() {
    var schedule = FaultSchedule(count: count, random: random.split())
    for _ in 0..<options.faults where violation == nil {
      for _ in 0..<random.below(6) { edit(random.below(count)) }
      if random.chance(percent: 6) { shareMap(random.below(count)) }
      let (running, awake) = (simulation.running, simulation.awake)
      apply(schedule.next(running: running, awake: awake))
      simulation.run(for: schedule.pause())
    }
    apply(.heal)
    for index in 0..<count {
      apply(.resume(index))
      for other in 0..<index { apply(.clog(from: index, to: other, delay: 0)) }
      for other in 0..<index { apply(.clog(from: other, to: index, delay: 0)) }
    }
    if options.hasLiar { apply(.crash(0, silently: false)) }
    if (0..<count).allSatisfy({ !simulation.isRunning($0) }) { apply(.start(count - 1)) }
  }

  private mutating func edit(_ index: Int) {
    var dice = random.split()
    simulation.perform(index) { peer, now in
      peer.perform(at: now) { node, now in
        try? node.edit(at: now) { (anchors, time) throws(AnchorError) in try Self.edit(&anchors, time, &dice) }
      }
    }
  }

  private static func edit(_ anchors: inout AnchorSet, _ time: UInt64, _ dice: inout SeededRandom) throws(AnchorError) {
    let known = anchors.anchors
    let place = Transform(translation: [Float(dice.below(100)), Float(dice.below(100)), 0])
    guard !known.isEmpty, dice.below(10) >= 4 else {
      _ = try anchors.place(Anchor(id: AnchorID(using: &dice), name: "a\(dice.below(100))", transform: place), at: time)
      return
    }
    let id = known[dice.below(known.count)].id
    switch dice.below(6) {
    case 0: _ = try anchors.remove(id, at: time)
    case 1: _ = try anchors.rename(id, to: "n\(dice.below(100))", at: time)
    default: _ = try anchors.move(id, to: place, at: time)
    }
  }

  private mutating func shareMap(_ index: Int) {
    var dice = random.split()
    let size = 1 + dice.below(3 * ProtocolLimits.chunk)
    let bytes = (0..<size / 8 + 1).flatMap { _ in
      let word = dice.next()
      return (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
    }
    let package = MapPackage(map: bytes)
    let anchors = (0..<dice.below(4)).map { Anchor(id: AnchorID(using: &dice), name: "map \($0)") }
    simulation.perform(index) { peer, now in
      peer.perform(at: now) { node, now in
        try? node.importAnchors(of: package, anchors: anchors)
        node.handle(.share(package, with: nil), at: now)
      }
    }
  }

  /// Lets the session come to rest; how long that took, or nil.
  private mutating func rest() -> Int64? {
    let start = simulation.now
    var last = ""
    while violation == nil {
      simulation.run(for: 100_000_000)
      guard let text = disagreement() else { return simulation.now.nanoseconds(since: start) }
      if text != last { simulation.monitor.transcript.add(at: simulation.now, "not at rest: \(text)") }
      last = text
      if simulation.now.nanoseconds(since: start) > Self.patience { failure = "\(simulation.now) \(text)" }
    }
    return nil
  }

  /// What is not yet as it must be at rest.
  private func disagreement() -> String? {
    let running = (0..<count).filter(simulation.isRunning)
    guard let first = running.first.flatMap({ simulation.node($0)?.node }) else { return nil }
    var reference = first.anchors
    let digest = reference.digest
    let live = Set(running.compactMap { simulation.node($0)?.node.anchors.actor })
    for index in running {
      guard var node = simulation.node(index)?.node else { continue }
      let name = index + 1
      let connected = node.memberSnapshots.filter { $0.status == .connected }.map(\.peerID)
      let expected = running.filter { $0 != index }.map(SessionPeer.identity).sorted()
      if connected != expected { return "E1 \(name) sees \(connected.map(\.prefix)), not \(expected.map(\.prefix))" }
      if node.host == nil || node.host != first.host || node.epoch != first.epoch {
        let (mine, theirs) = (node.host.map(\.description) ?? "none", first.host.map(\.description) ?? "none")
        return "E1 \(name) follows \(mine) epoch \(node.epoch), another \(theirs) epoch \(first.epoch)"
      }
      if node.anchors.vector != first.anchors.vector { return "C3 \(name): another vector" }
      if node.anchors.digest != digest { return "C1 \(name): another digest" }
      if node.anchors.anchors != reference.anchors { return "C2 \(name): other anchors" }
      // What waits for an anchor that died with its author waits for ever, but only if its own author is gone too.
      if node.anchors.heldActors.contains(where: live.contains) { return "C7 \(name): held operations" }
      if node.currentMap != first.currentMap { return "M1 \(name): another map" }
    }
    return nil
  }
}
