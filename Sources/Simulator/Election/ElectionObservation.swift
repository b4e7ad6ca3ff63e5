import Basics
import PeerProtocol

/// What one call of an election looked like from outside.
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

/// What an app, or the node around it, did to an election.
enum ElectionWish: Sendable {
  case resign, join, left(NodeID), other
  /// The node says that it stood still.
  case stalled(Duration)
}
