import WorldModel

extension Node {
  /// Who hosts, as this node sees it.
  package var host: NodeID? { turn.mesh.host }

  /// Counts the hosts of a session.
  package var epoch: UInt64 { turn.mesh.reign.epoch }

  /// The time all members share (milliseconds).
  package func sessionTime(at now: Instant) -> UInt64 { turn.mesh.reign.clock.time(at: now) }

  /// This node's part in the choice of a host.
  package var election: HostElection { coordination.election }

  mutating func handover(to peer: PeerID, at now: Instant) {
    guard let node = roster[peer]?.node else { return }
    elect(.handover(to: node), at: now)
  }

  mutating func elect(_ input: ElectionInput, at now: Instant) {
    turn.tell(.elect(input))
    settle()
  }
}
