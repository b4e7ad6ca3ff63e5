package import AnchorReplication

/// Deliberate mistakes for tests, of the node and of what it is made of: the simulator has to notice each one.
///
/// The default is the correct protocol. Nothing but tests ever sets another value.
package struct NodeMistakes: Sendable {
  /// Rules of the election that are broken.
  package var election = ElectionPolicy.correct
  /// Rules of the replication that are switched off.
  package var replication = ReplicationPolicy.standard
  /// Rules of the node that are broken.
  package var node = NodePolicy.correct

  /// No mistake.
  package init(
    election: ElectionPolicy = .correct, replication: ReplicationPolicy = .standard, node: NodePolicy = .correct
  ) {
    self.election = election
    self.replication = replication
    self.node = node
  }
}

/// Rules of the node that tests break, one at a time, to show that each is needed.
package struct NodePolicy: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// No mistake.
  package static let correct: Self = []
  /// Vectors are compared when a link begins, and never again.
  package static let noPeriodicVectors = Self(rawValue: 1 << 0)
  /// A stream goes on as before when the other side loses its link to an author.
  package static let noRelayRestart = Self(rawValue: 1 << 1)
  /// What is said wrongly of a peer is corrected neither by that peer nor by those linked to it.
  package static let noReassertion = Self(rawValue: 1 << 2)
  /// A restarted process writes as the actor of its earlier start.
  package static let reusesActor = Self(rawValue: 1 << 3)
  /// A restarted process forgets, of what it has kept, who belongs to the session and who was removed.
  package static let forgetsMembers = Self(rawValue: 1 << 4)
  /// A restarted process forgets, of what it has kept, whether the session is locked.
  package static let forgetsRules = Self(rawValue: 1 << 5)
  /// A restarted process forgets, of what it has kept, how far the epochs had come.
  package static let forgetsEpoch = Self(rawValue: 1 << 6)
  /// A host leaves anchors to owners that are gone, and with leases that are over.
  package static let leavesOrphans = Self(rawValue: 1 << 7)
  /// Whatever a member says of others, and of this node, is taken.
  package static let believesEverything = Self(rawValue: 1 << 8)
}
