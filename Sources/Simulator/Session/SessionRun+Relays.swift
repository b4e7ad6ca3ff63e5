import Basics
import PeerProtocol

/// Messages between two members that reach each other only through others.
extension SessionRun {
  /// The ways between the two change while one of them is slow; one of the two restarts and numbers its messages from 1.
  ///
  /// M4: no unreliable message comes behind a newer one of its key, and those of the new start arrive. M6: while nothing changes,
  /// a burst arrives within a second, since each member passes it on in its order.
  mutating func relays() {
    guard world.count > 3, settleIn() else { return }
    let sender = random.below(world.count)
    let reader = random.node(otherThan: sender, of: world.count)
    world.apply(.cut(sender, reader))
    // Four seconds of silence end the link, at the latest 1.1 s later.
    world.simulation.run(for: 8_000_000_000)
    for _ in 0..<8 where world.violation == nil { changeWays(from: sender, to: reader) }
    restart(sender, heardBy: reader)
    for _ in 0..<3 where world.violation == nil {
      sendBurst(from: sender, to: reader)
      sendBurst(from: reader, to: sender)
    }
  }

  /// Messages go over a slow way, and then, because the sender has lost that, over another one, where they are faster.
  private mutating func changeWays(from sender: Int, to reader: Int) {
    let ways = (0..<world.count).filter { $0 != sender && $0 != reader }
    let slow = ways[random.below(ways.count)]
    let delay = 400_000_000 + Int64(random.below(UInt64(800_000_000)))
    world.apply(.clog(from: slow, to: reader, delay: delay))
    tellAll(keys: MessageApp.keys, at: sender)
    world.simulation.run(for: 150_000_000)
    world.apply(.reset(sender, slow))
    world.simulation.run(for: 1_000_000)
    tellAll(keys: MessageApp.keys, at: sender)
    world.simulation.run(for: delay)
    world.apply(.clog(from: slow, to: reader, delay: 0))
    world.simulation.run(for: 1_000_000_000)
  }

  /// Restarts a node that has sent more messages than its new start will.
  private mutating func restart(_ sender: Int, heardBy reader: Int) {
    tellAll(keys: Array(repeating: MessageApp.restKey, count: 60), at: sender)
    world.simulation.run(for: 500_000_000)
    world.crash(sender, silently: random.chance(percent: 50))
    world.simulation.run(for: 1_000_000_000)
    world.start(sender, withRecord: true)
    guard let took = agree(within: 30_000_000_000), let start = world.node(sender)?.me,
      let receiver = world.node(reader)?.me
    else { return }
    time = took
    for _ in 0..<20 {
      tellAll(keys: [MessageApp.restKey], at: sender)
      world.simulation.run(for: 200_000_000)
      if world.simulation.monitor.messages.hasArrived(MessageApp.restKey, from: start, at: receiver) { return }
    }
    fail("M4 \(reader + 1) gets no unreliable message of \(start)")
  }

  private mutating func tellAll(keys: [String], at index: Int) {
    for key in keys { messages?.sendUnreliably(key, size: 8, to: nil, in: &world, at: index) }
  }

  private mutating func sendBurst(from sender: Int, to reader: Int) {
    // As much as a member retains to pass on.
    messages?.sendAtOnce(6, size: 0, to: [SessionPeer.identity(of: reader)], in: &world, at: sender)
    world.simulation.run(for: 1_000_000_000)
    guard let node = world.node(sender)?.me, let text = world.simulation.monitor.messages.missing(from: node) else {
      return
    }
    fail("M6 after a second: \(text)")
  }
}
