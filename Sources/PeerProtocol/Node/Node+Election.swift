package import WorldModel

extension Node {
  /// Who hosts, as this node sees it.
  package var host: NodeID? { election.host }

  /// Counts the hosts of a session.
  package var epoch: UInt64 { election.epoch }

  /// The time all members share (milliseconds).
  package func sessionTime(at now: Instant) -> UInt64 { election.sessionTime(at: now) }

  mutating func handover(to peer: PeerID, at now: Instant) {
    guard let node = roster[peer]?.node else { return }
    election.handover(to: node, at: now)
    drainElection(at: now)
  }

  mutating func requestHost(at now: Instant) {
    election.requestHost(at: now)
    drainElection(at: now)
  }

  /// Tells the election who can be reached.
  mutating func updateElection(at now: Instant) {
    election.setReachable(reachable.compactMap { roster[$0.peer]?.electionMember }, at: now)
    drainElection(at: now)
  }

  mutating func receiveElection(_ message: ElectionMessage, from node: NodeID, at now: Instant) {
    guard roster[node.peer]?.node == node, roster.admits(node.peer) else { return }
    election.handle(message, from: node, at: now)
    drainElection(at: now)
  }

  mutating func drainElection(at now: Instant) {
    while let output = election.nextOutput() {
      switch output {
      case .broadcast(let message): flood(.election, message.encoded, to: nil)
      case .send(let message, let node): flood(.election, message.encoded, to: node)
      case .hostChanged(let from, let to, let epoch, let reason):
        tell(.hostChanged(from: from, to: to, epoch: epoch, reason: reason))
      case .joinSequenceChanged(let sequence):
        joinSequence = sequence
        if let entry = reassert() { gossip([entry], except: nil) }
      }
    }
  }

  mutating func floodLinkState(at now: Instant) {
    _ = linkStates.report(neighbours, of: me, at: now)
    flood(.linkState, LinkStates.encode(neighbours), to: nil)
  }
}
