package import AnchorReplication
package import PeerProtocol
package import WorldModel

/// Runs one ``Node`` on an event loop: feeds it what the sockets say, does what it asks, and sleeps until its deadline.
///
/// It is confined to its loop. After every input it drains the node to nil, so that what one input causes leaves in one
/// write for each link.
package final class NodeDriver {
  /// Called on the loop with what the node tells the app, in order, after each turn.
  package var onEvents: ([NodeEvent]) -> Void = { _ in }
  /// Called on the loop when new connections cannot be taken, with a sentence.
  package var onTrouble: (TransportFailure) -> Void = { _ in }

  private var node: Node
  private let transport: SecureTransport
  private let timer: DriverTimer
  private var backlog: [LinkID: ArraySlice<UInt8>] = [:]
  private var dials: [PeerProtocol.DialID: PeerTransport.DialID] = [:]
  private var events: [NodeEvent] = []
  private var isDraining = false
  private var suspended: Int64

  /// A driver for a node whose configuration was made for this identity.
  package init(loop: EventLoop, identity: TLSIdentity, configuration: NodeConfiguration) throws(TransportFailure) {
    node = Node(configuration, at: Self.now)
    suspended = Self.suspendedTime
    transport = try SecureTransport(loop: loop, identity: identity)
    timer = DriverTimer(loop)
    transport.delegate = self
    timer.action = { [unowned self] in feed(.tick) }
  }
}
