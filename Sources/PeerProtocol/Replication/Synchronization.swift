import AnchorReplication
import Basics
import WorldModel

/// Whether this node has all that its members had when it was linked to them.
struct Synchronization: Sendable {
  /// By linked member, what it had when the link came up; nil while it has not told.
  private var targets: Table<PeerID, VersionVector?> = [:]
  /// Whether every target was reached, and the session's map was whole.
  var isReached = false

  /// A link became a member's: what that has is not known yet.
  mutating func expect(_ peer: PeerID) { targets.updateValue(nil, forKey: peer) }

  /// A member is linked no more.
  mutating func forget(_ peer: PeerID) { targets[peer] = nil }

  /// A member's vector came; the first on a link says what has to be caught up with.
  mutating func note(_ vector: VersionVector, of peer: PeerID, in turn: inout Turn) {
    guard case .some(.none) = targets[peer] else { return }
    targets[peer] = vector
    if !turn.anchors.vector.covers(vector) { isReached = false }
  }

  /// Tells the app when nothing is missing any more.
  mutating func check(in turn: inout Turn) {
    if turn.mesh.isFetchingMap {
      isReached = false
      return
    }
    guard !isReached, !targets.isEmpty else { return }
    let vector = turn.anchors.vector
    guard targets.values.allSatisfy({ target in target.map(vector.covers) ?? false }) else { return }
    isReached = true
    turn.report(.synchronized(turn.anchors.digest))
  }
}
