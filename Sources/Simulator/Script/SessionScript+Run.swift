import AnchorReplication
import Basics
import PeerProtocol
import WorldModel

/// A script on its way.
struct SessionScriptRun {
  var world: SessionWorld
  private var random: SeededRandom
  /// The map that was shared last.
  private var map: MapID?

  init(seed: UInt64, count: Int, rules: ProtocolRules) {
    world = SessionWorld(seed: seed, count: count, rules: rules, transcript: Transcript(isOn: true))
    random = SeededRandom(seed: seed)
  }

  /// Carries out one command; what is wrong with its outcome, or nil.
  mutating func perform(_ command: SessionCommand) -> String? {
    switch command {
    case .fault(.crash(let index, let silently)): world.crash(index, silently: silently)
    case .fault(let fault): world.apply(fault)
    case .startAll: for index in 0..<world.count { world.start(index, withRecord: false) }
    case .start(let index, let withRecord): world.start(index, withRecord: withRecord)
    case .run(let time): world.simulation.run(for: time)
    case .leave(let index): world.leave(index)
    case .kick(let index, let host):
      world.simulation.monitor.expel(index)
      return input(.kick(SessionPeer.identity(of: index)), to: host)
    case .setLocked(let isLocked, let host): return input(.setLocked(isLocked), to: host)
    case .place(let index):
      var dice = random.split()
      world.edit(index) { _, _ in .place(Anchor(id: AnchorID(using: &dice), name: "anchor")) }
    case .share(let index, let chunks): share(chunks, from: index)
    case .cancel(let index): return map.flatMap { input(.cancelMap($0), to: index) }
    case .expect(let expectation, let limit): return wait(for: expectation, within: limit)
    }
    return nil
  }

  /// Gives an input to a node; what the node has against it, or nil.
  private mutating func input(_ input: Input, to index: Int?) -> String? {
    guard let index = index ?? host else { return "there is no host that all follow" }
    var refusal: Refusal?
    world.perform(index) { node, now in
      if case .refused(let reason) = node.handle(input, at: now) { refusal = reason }
    }
    return refusal.map { "\(index + 1) may not: \($0)" }
  }

  /// The nodes that run and have not ended.
  private var present: [Int] { (0..<world.count).filter { world.node($0)?.hasEnded == false } }

  private var host: Int? { world.commonHost(of: present) }

  private mutating func share(_ chunks: Int, from index: Int) {
    let size = 4 * 1024
    var bytes = ByteWriter(capacity: chunks * size)
    while bytes.count < chunks * size { bytes.write(random.next()) }
    let ranges = stride(from: 0, to: bytes.count, by: size).map { $0..<($0 + size) }
    world.share(MapPackage(map: bytes.bytes, ranges: ranges[...]), from: index)
    map = world.node(index)?.currentMap
  }

  /// Lets time pass until an expectation holds; what is wrong at the end, or nil.
  private mutating func wait(for expectation: SessionExpectation, within limit: Int64) -> String? {
    let start = world.simulation.now
    while let wrong = fault(in: expectation) {
      guard world.simulation.now.nanoseconds(since: start) < limit, world.violation == nil else { return wrong }
      world.simulation.run(for: 10_000_000)
    }
    return nil
  }

  private func fault(in expectation: SessionExpectation) -> String? {
    switch expectation {
    case .host: return host == nil ? "there is no host that all follow" : nil
    case .members(let group): return group.lazy.compactMap { strangers(of: $0, in: group) }.first
    case .ended(let index): return world.node(index)?.hasEnded == true ? nil : "\(index + 1) goes on"
    case .locked(let index, let isLocked):
      return world.node(index)?.rules.isLocked == isLocked ? nil : "\(index + 1) takes the session for the opposite"
    case .anchors(let count):
      let found = present.compactMap { world.node($0)?.anchors.count }
      return found.allSatisfy { $0 == count } ? nil : "there are \(found) anchors"
    case .map(let group):
      return group.first { map == nil || world.node($0)?.currentMap != map }.map { "\($0 + 1) lacks the map" }
    case .noMap(let index):
      return map != nil && world.node(index)?.currentMap != map ? nil : "\(index + 1) has the map"
    }
  }

  /// The fault of the members that a node of a group sees.
  private func strangers(of index: Int, in group: [Int]) -> String? {
    guard let node = world.node(index) else { return "nothing runs on \(index + 1)" }
    let seen = node.memberSummaries.filter { $0.status == .connected }.map(\.peerID)
    let expected = group.filter { $0 != index }.map(SessionPeer.identity)
    guard Set(seen) != Set(expected) else { return nil }
    let names = (0..<world.count).filter { seen.contains(SessionPeer.identity(of: $0)) }.map { $0 + 1 }
    return "\(index + 1) sees \(names)"
  }
}
