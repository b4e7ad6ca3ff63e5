import PeerProtocol
import WorldModel

/// K1: what a lying member says puts no honest one out.
///
/// It may do so by right: to a member that follows it as host, to one that has no link to the host and for which it
/// is the way there, and to a newcomer that has heard of no host and knows nobody else. Whatever else makes an honest member take the removal of another honest one is a breach.
struct RemovalWatch {
  private let liar: PeerID
  private let machines: [PeerID]
  /// The peers that each node has taken for removed.
  private var removed: [Set<PeerID>]
  /// The host that each node followed after its last step.
  private var hosts: [PeerID?]
  /// The host that each node followed last, itself not counted.
  private var followed: [PeerID?]
  /// Whether the liar removed an honest member by right.
  private(set) var isSettled = false

  init(count: Int, liar: Int) {
    self.liar = SessionPeer.identity(of: liar)
    machines = (0..<count).map(SessionPeer.identity)
    removed = Array(repeating: [], count: count)
    hosts = Array(repeating: nil, count: count)
    followed = hosts
  }

  mutating func started(_ index: Int) {
    removed[index] = []
    hosts[index] = nil
    followed[index] = nil
  }

  /// Looks at a node after a step; what is wrong, or nil.
  mutating func stepped(_ index: Int, _ node: borrowing Node) -> String? {
    let before = hosts[index]
    hosts[index] = node.host?.peer
    if let host = hosts[index], host != machines[index] { followed[index] = host }
    guard machines[index] != liar, !isSettled else { return nil }
    // A node that is alone believes its last host, or the only peer that it knows.
    if node.hasEnded, followed[index] == liar || followed[index] == nil && knowsNobodyElse(node) { isSettled = true }
    for victim in machines where victim != liar && node.roster[victim]?.status == .kicked {
      guard removed[index].insert(victim).inserted else { continue }
      guard before == liar || node.host?.peer == liar || isOutOfReach(of: node) else {
        return "K1 \(index + 1) took the removal of \(victim.prefix), which no host made"
      }
      isSettled = true
    }
    return nil
  }

  /// Whether a node holds nobody but the liar, and perhaps itself, for a member.
  private func knowsNobodyElse(_ node: borrowing Node) -> Bool {
    node.roster.entries.allSatisfy { $0.status != .present || $0.peerID == liar || $0.peerID == node.me.peer }
  }

  /// Whether a node has no link to the host it follows, so that others speak for that.
  private func isOutOfReach(of node: borrowing Node) -> Bool {
    guard let host = node.host, host != node.me else { return false }
    return !node.memberSummaries.contains { $0.peerID == host.peer && $0.isDirect }
  }
}
