import AnchorReplication
package import PeerProtocol
import WorldModel

/// Watches whole sessions: what a node tells its app must never be a divergence, an unexpected end or a lost epoch,
/// and it must not remember a later deadline than it has.
package struct SessionMonitor: SimulationMonitor {
  package typealias Node = SessionPeer

  /// The first invariant that did not hold.
  package private(set) var violation: String?
  /// What happened, if it is recorded.
  package var transcript: Transcript
  private var epochs: [UInt64]

  package init(count: Int, transcript: Transcript) {
    self.transcript = transcript
    epochs = Array(repeating: 0, count: count)
  }

  package mutating func started(_ index: Int, node: borrowing SessionPeer, at now: Instant) {
    epochs[index] = 0
  }

  package mutating func resumed(
    _ index: Int, node: borrowing SessionPeer, slept: Int64, local: Instant, at now: Instant
  ) {}

  package mutating func stepped(_ index: Int, node: borrowing SessionPeer, local: Instant, at now: Instant) {
    for event in node.events { check(event, of: index, node.node.me, at: now) }
    if node.node.oversleeps { fail("T1 \(index + 1) remembers a later deadline than it has", at: now) }
  }

  private mutating func check(_ event: NodeEvent, of index: Int, _ me: NodeID, at now: Instant) {
    switch event {
    case .divergence(let peer): fail("C1 \(index + 1) and \(peer.short) differ under equal vectors", at: now)
    case .ended(let reason): fail("\(index + 1) was put out of the session: \(reason)", at: now)
    case .hostChanged(_, let host, let epoch, let reason):
      if host == me, epoch <= epochs[index] {
        fail("E2 \(index + 1) claims epoch \(epoch) after \(epochs[index])", at: now)
      }
      epochs[index] = max(epochs[index], epoch)
      let name = host.map { String($0.peer.prefix) } ?? "none"
      transcript.add(at: now, "\(index + 1) host \(name) epoch \(epoch) \(reason)")
    case .peerJoined(let peer, _): transcript.add(at: now, "\(index + 1) sees \(peer.prefix) join")
    case .peerLeft(let peer, _, let reason): transcript.add(at: now, "\(index + 1) loses \(peer.prefix): \(reason)")
    case .mapReceived(let map, let from, _, _):
      transcript.add(at: now, "\(index + 1) has map \(map.description.prefix(6)) from \(from.prefix)")
    case .mapSourceRefused(_, let peer, let failure):
      fail("\(index + 1) refused a chunk of \(peer.prefix): \(failure)", at: now)
    default: break
    }
  }

  package mutating func fail(_ text: String, at now: Instant) {
    violation = violation ?? "\(now) \(text)"
  }
}
