import Basics
import PeerProtocol

/// Processes that end and come back with what they had kept.
extension SessionRun {
  /// In a session that is locked, so that no invitation helps, first one member restarts, then all do at once.
  ///
  /// R1: all are members again. R2: epochs go on rising. R3: the session is still locked. R4: who was removed stays out.
  mutating func restarts() {
    guard settleIn(), let host = world.commonHost() else { return }
    let removed = world.count > 2 ? random.node(otherThan: host, of: world.count) : nil
    if let removed { expel(removed, by: host) }
    world.perform(host) { node, now in node.handle(.setLocked(true), at: now) }
    world.simulation.run(for: 2_000_000_000)
    let members = (0..<world.count).filter { $0 != removed }
    let epoch = world.node(host)?.epoch ?? 0
    let one = members[random.below(members.count)]
    restart([one])
    // The others have noticed at last that the link to the earlier start is dead.
    guard let first = agree(within: 20_000_000_000) else { return }
    restart(members)
    guard let last = agree(within: 20_000_000_000) else { return }
    time = max(first, last)
    check(members, after: epoch)
    guard let removed, let host = world.commonHost(of: members) else { return }
    world.perform(host) { node, now in node.handle(.setLocked(false), at: now) }
    world.start(removed, withRecord: false)
    world.simulation.run(for: 8_000_000_000)
    let identity = SessionPeer.identity(of: removed)
    for index in members where world.node(index)?.roster.admits(identity) == true {
      return fail("R4 \(index + 1) takes \(removed + 1) in, which was removed")
    }
  }

  private mutating func expel(_ index: Int, by host: Int) {
    world.simulation.monitor.expel(index)
    world.perform(host) { node, now in node.handle(.kick(SessionPeer.identity(of: index)), at: now) }
    world.simulation.run(for: 1_000_000_000)
    world.crash(index, silently: false)
  }

  /// Ends these processes within a moment and starts them again, each after a wait of its own.
  private mutating func restart(_ indices: [Int]) {
    let silently = random.chance(percent: 50)
    for index in indices { world.crash(index, silently: silently) }
    var order = indices
    order.shuffle(using: &random)
    for index in order {
      world.simulation.run(for: Int64(random.below([50_000_000, 1_000_000_000, 4_000_000_000][random.below(3)])))
      world.start(index, withRecord: true)
    }
  }

  private mutating func check(_ members: [Int], after epoch: UInt64) {
    for index in members {
      guard let node = world.node(index) else { continue }
      if node.epoch <= epoch { fail("R2 \(index + 1) is at epoch \(node.epoch) after \(epoch)") }
      if !node.rules.isLocked { fail("R3 \(index + 1) takes the session for open") }
    }
  }
}
