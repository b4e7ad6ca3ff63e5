import AnchorReplication
import WorldModel

/// Whether this node has all that its members had when it was linked to them.
struct Synchronisation: Sendable {
  /// By linked member, what it had when the link came up; nil while it has not told.
  var targets: [PeerID: VersionVector?] = [:]
  /// Whether every target was reached, and the session's map was whole.
  var isReached = false
}

extension Node {
  /// Whether everything is here that the linked members had when their links came up: their operations, and the
  /// session's map.
  package var isSynchronised: Bool { synchronisation.isReached }

  /// A link became a member's: what it has is not known yet.
  mutating func expectTarget(from peer: PeerID) {
    synchronisation.targets.updateValue(nil, forKey: peer)
  }

  /// A member's vector came; the first on a link says what has to be caught up with.
  mutating func noteTarget(_ vector: VersionVector, of peer: PeerID) {
    guard case .some(.none) = synchronisation.targets[peer] else { return }
    synchronisation.targets[peer] = vector
    if !turn.anchors.vector.covers(vector) { synchronisation.isReached = false }
  }

  /// Tells the app when nothing is missing any more.
  mutating func checkSynchronised() {
    if turn.mesh.isFetchingMap {
      synchronisation.isReached = false
      return
    }
    guard !synchronisation.isReached, !synchronisation.targets.isEmpty,
      synchronisation.targets.values.allSatisfy({ target in target.map(turn.anchors.vector.covers) ?? false })
    else { return }
    synchronisation.isReached = true
    tell(.synchronised(turn.anchors.digest))
  }
}
