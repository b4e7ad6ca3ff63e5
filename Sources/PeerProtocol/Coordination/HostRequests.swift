import AnchorReplication
import Basics
import WorldModel

/// Whether a host hands over to a member that asks to be host.
package enum HostRequestRule: Sendable, Equatable {
  /// If that member has announced a higher priority than the host's.
  case byPriority
  /// Always.
  case granted
  /// As the app decides: ``NodeEvent/hostRequested(by:)``.
  case asked
}

/// The requests to be host that the app of this node, which hosts, has not answered yet: one of each member.
struct HostRequests: Sendable {
  private var waiting: KeySet<NodeID> = []

  /// A member asks; whether the app has to be asked, because it was not yet.
  mutating func begin(_ node: NodeID) -> Bool { waiting.insert(node) }

  /// The app has answered a peer; which start of it asked, nil when none did.
  mutating func end(_ peer: PeerID) -> NodeID? {
    waiting.first { $0.peer == peer }.flatMap { waiting.remove($0) }
  }

  /// This node hosts no longer: nobody waits for it.
  mutating func endAll() { waiting = [] }
}
