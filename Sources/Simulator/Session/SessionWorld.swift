package import AnchorReplication
package import Basics
package import PeerProtocol
package import WorldModel

/// A simulated session of whole nodes, with apps that edit anchors, share maps and ask for things.
package struct SessionWorld {
  /// The simulation: what happens when and to whom.
  package var simulation: Simulation<SessionPeer, SessionMonitor>
  /// The rules that every node keeps.
  private let rules: ProtocolRules
  /// Whether every node is recorded, and replayed when it ends.
  private let isRecorded: Bool
  /// Nodes that were replayed, and the steps that took.
  private(set) var replays = (nodes: 0, steps: 0)
  /// The node that lies.
  let liar: Int?
  /// The node that lacks the secret of the others' drivers; nil where the apps have no drivers.
  let stranger: Int?
  /// The parts of an owned session; nil in an open one.
  let cast: OwnedCast?
  private var random: SeededRandom
  /// Decides what a crash leaves on the disks; apart from the rest, so that it moves nothing else.
  private var diskDice: SeededRandom
  /// The records that machines kept of their nodes when these crashed.
  private var disks: [Int: NodeRecord] = [:]
  /// Faults that were applied, by kind.
  package private(set) var faults: [String: Int] = [:]

  /// Machines with skewed and drifting clocks on which nothing runs yet.
  package init(
    seed: UInt64, count: Int, rules: ProtocolRules = .all, liar: Int? = nil, stranger: Int? = nil,
    cast: OwnedCast? = nil, isRecorded: Bool = false, profile: NetworkProfile = NetworkProfile(),
    transcript: Transcript = Transcript(isOn: false)
  ) {
    random = SeededRandom(seed: seed)
    diskDice = SeededRandom(seed: seed ^ 0xd15c)
    self.rules = rules
    self.isRecorded = isRecorded
    self.liar = liar
    self.stranger = stranger
    self.cast = cast
    var profile = profile
    // Nodes find out for themselves that a path is broken.
    profile.silence = nil
    simulation = Simulation(
      count: count, profile: profile, random: random.split(),
      monitor: SessionMonitor(count: count, liar: liar, stranger: stranger, cast: cast, transcript: transcript))
    for index in 0..<count {
      let skew = Int64(random.below(UInt64(1_000_000_000_000)))
      simulation.setClock(index, skew: skew, drift: Int64(random.below(201)) - 100)
    }
  }

  /// Lies told by the node that lies.
  var lies: Int { pastLies + (liar.flatMap { simulation.node($0)?.liar?.count } ?? 0) }
  private var pastLies = 0

  /// The number of machines.
  package var count: Int { simulation.count }
  /// The first invariant that did not hold.
  package var violation: String? { simulation.monitor.violation }
  /// The node on a machine; nil if none runs.
  package func node(_ index: Int) -> Node? { simulation.node(index)?.node }

  /// Applies a fault and records it; half of the processes that restart come back with their records.
  package mutating func apply(_ fault: Fault) {
    if case .crash(let index, _) = fault {
      // Now and then the last record was not on the disk yet.
      keepRecord(of: index, isLatest: diskDice.chance(percent: 80))
    }
    if case .start(let index) = fault, !simulation.isRunning(index), diskDice.chance(percent: 50) { disks[index] = nil }
    run(fault)
  }

  /// Ends a process; its last record is on the disk.
  mutating func crash(_ index: Int, silently: Bool) {
    keepRecord(of: index, isLatest: true)
    run(.crash(index, silently: silently))
  }

  /// Starts a process, with what it has kept or without.
  mutating func start(_ index: Int, withRecord: Bool) {
    if !withRecord { disks[index] = nil }
    run(.start(index))
  }

  private mutating func keepRecord(of index: Int, isLatest: Bool) {
    guard let records = simulation.node(index)?.records else { return }
    let bytes = isLatest ? records.last : records.first
    disks[index] = bytes.flatMap { bytes in
      do throws(NodeRecordFailure) {
        return try NodeRecord(decoding: bytes)
      } catch {
        simulation.monitor.fail("R0 the record of \(index + 1): \(error)", at: simulation.now)
        return nil
      }
    }
  }

  private mutating func run(_ fault: Fault) {
    var text = fault.description
    var kind = fault.kind
    if case .start(let index) = fault, !simulation.isRunning(index), disks[index] != nil {
      (text, kind) = (text + " with its record", "return")
    }
    simulation.monitor.note(text, at: simulation.now)
    faults[kind, default: 0] += 1
    if case .crash(let index, _) = fault {
      if index == liar { pastLies = lies }
      replay(index)
    }
    let (count, rules, liar, disks, isRecorded, stranger, cast) = (
      count, rules, liar, disks, isRecorded, stranger, cast
    )
    var seeds = random.split()
    simulation.apply(fault) { index, local in
      let seed = seeds.next()
      return SessionPeer(
        index: index, count: count, seed: seed, rules: rules, isLiar: index == liar,
        driver: stranger.map { index == $0 ? .foreign(seed) : .honest }, cast: cast, isRecorded: isRecorded,
        restoring: disks[index], at: local)
    }
  }

  /// N1: does again, to a fresh node, what was done to a node since its start; it asks for the same and ends in the same state.
  mutating func replay(_ index: Int) {
    guard let peer = simulation.node(index), let recording = peer.recording else { return }
    let (node, digest) = recording.replay()
    replays.nodes += 1
    replays.steps += recording.steps.count
    var (one, other) = (OutputDigest(), OutputDigest())
    one.add(stateOf: peer.node)
    other.add(stateOf: node)
    if digest != peer.outputDigest {
      simulation.monitor.fail("N1 \(index + 1) asks for other things", at: simulation.now)
    }
    if one != other { simulation.monitor.fail("N1 \(index + 1) ends in another state", at: simulation.now) }
  }

  /// Starts every machine, one after the other, within a time (ns).
  mutating func startAll(within span: Int64 = 400_000_000) {
    for index in 0..<count {
      apply(.start(index))
      simulation.run(for: Int64(random.below(UInt64(span / Int64(count) + 1))))
    }
  }

  /// Lets an app do something with its node; nothing happens where none runs or it stands still.
  package mutating func perform(_ index: Int, _ action: (inout SessionPeer, Instant) -> Void) {
    simulation.perform(index) { peer, now in peer.perform(at: now, action) }
  }

  /// Whether a node takes another one that runs for one that has left.
  func holdsAsGone(_ index: Int, _ other: Int) -> Bool {
    node(index)?.roster[SessionPeer.identity(of: other)]?.status == .left && simulation.isRunning(other)
  }

  /// Lets an app invite a peer.
  mutating func invite(_ other: Int, by index: Int) {
    simulation.monitor.note("\(index + 1) invites \(other + 1) again", at: simulation.now)
    simulation.perform(index) { peer, now in peer.inviteAgain(other, at: now) }
  }

  /// Lets an app edit its anchors as it chooses from what it sees at a session time (ms); an edit that is refused changes
  /// nothing.
  package mutating func edit(_ index: Int, _ choose: (_ anchors: [Anchor], _ time: UInt64) -> AnchorEdit) {
    perform(index) { node, now in
      let edit = choose(node.allAnchors, node.node.sessionTime(at: now))
      node.handle(.edit(edit), at: now)
    }
  }

  /// Lets an app share a map together with its anchors.
  package mutating func share(_ package: MapPackage, anchors: [Anchor] = [], from index: Int) {
    guard simulation.isAwake(index) else { return }
    simulation.monitor.note("\(index + 1) shares a map of \(package.size) bytes", at: simulation.now)
    simulation.monitor.shared(package)
    perform(index) { node, now in
      node.handle(.share(package, anchors: anchors, with: nil), at: now)
    }
  }

  /// A node says goodbye, and its process ends.
  package mutating func leave(_ index: Int) {
    guard simulation.isAwake(index) else { return }
    simulation.monitor.note("\(index + 1) leaves", at: simulation.now)
    perform(index) { node, now in node.handle(.leave, at: now) }
    simulation.run(for: 100_000_000)
    apply(.crash(index, silently: false))
  }

  /// Makes everything work again: heals every path, wakes every sleeper, ends every delay.
  mutating func mendAll() {
    apply(.heal)
    for index in 0..<count {
      if simulation.isRunning(index), !simulation.isAwake(index) { apply(.resume(index)) }
      for other in 0..<count where other != index { simulation.clog(from: index, to: other, delay: 0) }
    }
  }

  /// Runs until everything agrees, at most `limit` nanoseconds; how long that took, or nil.
  package mutating func runUntilAgreed(within limit: Int64, step: Int64 = 100_000_000) -> Int64? {
    let start = simulation.now
    while disagreement() != nil {
      guard simulation.now.nanoseconds(since: start) < limit, violation == nil else { return nil }
      simulation.run(for: step)
    }
    return simulation.now.nanoseconds(since: start)
  }

  /// The number of the host that every node of a group follows; nil if they do not agree.
  package func commonHost(of group: [Int]? = nil) -> Int? {
    let group = group ?? (0..<count).filter(simulation.isRunning)
    guard let host = group.first.flatMap({ node($0)?.host }) else { return nil }
    guard group.allSatisfy({ node($0)?.host == host }) else { return nil }
    return ElectionPeer.index(of: host)
  }

  /// Whether a node has applied everything that was written.
  package func has(_ index: Int, _ written: VersionVector) -> Bool {
    node(index)?.anchors.vector.covers(written) ?? false
  }

  /// The fault of some connected component at rest; nil if there is none.
  ///
  /// All know the same members and follow the same host, hold the same anchors under the same vectors and digests, lack
  /// no operation of a node that lives, and have the same map; no anchor belongs to who is not there.
  package func disagreement() -> String? {
    for component in simulation.components() {
      if let text = disagreement(in: component) { return text }
    }
    return nil
  }

  private func disagreement(in component: [Int]) -> String? {
    guard let first = component.first.flatMap(node) else { return nil }
    if let text = disagreementOnHost(in: component) { return text }
    var reference = first.anchors
    let live = Set(component.compactMap { node($0)?.anchors.actor })
    for index in component {
      guard var node = node(index) else { continue }
      let name = index + 1
      if node.anchors.vector != reference.vector { return "C3 \(name): another vector" }
      if node.digest != reference.digest { return "C1 \(name): another digest" }
      if node.allAnchors != reference.anchors { return "C2 \(name): other anchors" }
      let actor = node.anchors.actor
      if node.anchors.vector[actor] != UInt64(simulation.monitor.anchors.operations.count(of: actor)) {
        return "C3 \(name): an own operation is lost"
      }
      // An operation on an anchor that died with its author waits permanently, but only if its own author is gone too.
      if node.anchors.heldActors.contains(where: live.contains) { return "C7 \(name): held operations" }
      if node.currentMap != first.currentMap { return "M1 \(name): another map" }
    }
    return orphan(in: component) ?? disagreementOnWords(in: component)
  }

  /// W1: whether all know of each member just what that one says of itself.
  private func disagreementOnWords(in component: [Int]) -> String? {
    for author in component {
      guard let said = node(author)?.ownWords else { continue }
      for index in component where node(index)?.words(by: said.author) != said.words {
        return "W1 \(index + 1) knows other words of \(author + 1)"
      }
    }
    return nil
  }

  /// O1: an anchor whose owner is not there, or whose lease is over since long.
  private func orphan(in component: [Int]) -> String? {
    guard let index = component.first, let node = node(index) else { return nil }
    let owners = Set(component.map(SessionPeer.identity))
    let time = node.sessionTime(at: simulation.localTime(index))
    for (anchor, lock) in node.anchors.ownedAnchors {
      guard let owner = lock.owner else { continue }
      if !owners.contains(owner) { return "O1 \(anchor) belongs to \(owner.prefix), which is not there" }
      if lock.leaseUntil + 5_000 < time { return "O1 the lease of \(anchor) is over" }
    }
    return nil
  }

  private func disagreementOnHost(in component: [Int]) -> String? {
    guard let first = component.first.flatMap(node) else { return nil }
    if let host = first.host, !component.contains(where: { node($0)?.me == host }) {
      return "E1 \(component[0] + 1) follows \(host), which is not there"
    }
    for index in component {
      guard let node = node(index) else { continue }
      let connected = node.memberSummaries.filter { $0.status == .connected }.map(\.peerID)
      let expected = component.filter { $0 != index }.map(SessionPeer.identity).sorted()
      if connected != expected {
        return "E1 \(index + 1) sees \(connected.map(\.prefix)), not \(expected.map(\.prefix))"
      }
      if node.rules != first.rules { return "R5 \(index + 1) has other rules" }
      if node.host == nil || node.host != first.host || node.epoch != first.epoch {
        let (mine, theirs) = (node.host.map(\.description) ?? "none", first.host.map(\.description) ?? "none")
        return "E1 \(index + 1) follows \(mine) epoch \(node.epoch), another \(theirs) epoch \(first.epoch)"
      }
    }
    return nil
  }

  /// C2, C6 at any moment: what every node shows is what its operations mean, and joining states obeys the laws.
  package mutating func checkMeaning(_ index: Int) {
    guard let set = node(index)?.anchors else { return }
    simulation.monitor.checkMeaning(index, set, at: simulation.now)
  }

  /// C6: whether joining the states of any three nodes is commutative, associative and idempotent.
  mutating func checkMergeLaws() {
    let sets = (0..<count).compactMap { node($0)?.anchors }
    guard !sets.isEmpty else { return }
    let picked = (0..<3).map { _ in sets[random.below(sets.count)] }
    if let text = MergeLaws.breach(picked[0], picked[1], picked[2]) {
      simulation.monitor.fail("C6 \(text)", at: simulation.now)
    }
  }
}

extension Node {
  /// The words of the node on itself.
  fileprivate var ownWords: (author: NodeID, words: [SpreadWord]) { (me, words(by: me)) }

  /// The words of a member that the node knows; those that are taken back do not count.
  fileprivate func words(by author: NodeID) -> [SpreadWord] {
    words.filter { $0.author == author && !$0.body.isEmpty }
  }
}
