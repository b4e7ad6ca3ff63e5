import Basics
import PeerProtocol

/// One call of an election as seen from outside.
struct ElectionObservation {
  /// The election after the call.
  var election: HostElection
  var heard: (message: ElectionMessage, from: NodeID)?
  var said: [ElectionOutput]
  var wish: ElectionWish?
  /// The time on the node's clock, and that of the simulation.
  var local: Instant
  var now: Instant
}

/// A call of an app, or of the node around it, to an election.
enum ElectionWish: Sendable {
  case resign, join, left(NodeID), other
  /// The node says that it stood still.
  case stalled(Duration)
}
