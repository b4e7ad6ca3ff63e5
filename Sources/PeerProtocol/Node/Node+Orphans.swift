import AnchorReplication
import Basics
import WorldModel

/// Ownership that ends by itself: of an owner that is gone, and when a lease is over.
///
/// The host alone ends it, by a grant to nobody: so everybody is told by the same operation, and its fencing settles what two
/// hosts do on the two sides of a split.
extension Node {
  /// Looks for such ownership again in this turn, because a member has gone.
  mutating func lookForOrphans(at now: Instant) {
    ownership.nextLook = now
  }

  /// Frees, as host, the anchors that nobody holds any more; at most once a second, or when a member has gone.
  ///
  /// The node is woken that often anyhow.
  mutating func freeOrphans(at now: Instant) {
    guard now >= ownership.nextLook, !configuration.mistakes.node.contains(.leavesOrphans) else { return }
    ownership.nextLook = now + ProtocolTimes.orphanLook
    let owned = host == me && anchors.hasOwnedAnchors ? anchors.ownedAnchors : []
    noteAbsences(of: Set(owned.compactMap(\.lock.owner)), at: now)
    let time = sessionTime(at: now)
    for (anchor, lock) in owned {
      guard let owner = lock.owner, lock.holder(at: time) == nil || isOrphan(of: owner, at: now) else { continue }
      grant(anchor, to: nil, lease: 0, at: now)
    }
  }

  /// Whether the anchors of `owner` are anybody's.
  private func isOrphan(of owner: PeerID, at now: Instant) -> Bool {
    guard !configuration.keepsOrphans, let since = ownership.absences[owner] else { return false }
    return hasLeft(owner) || now - since >= ProtocolTimes.lost
  }

  /// Whether it is known that a peer went: it said so, was removed, or was missed for long enough.
  private func hasLeft(_ peer: PeerID) -> Bool {
    if let status = roster[peer]?.status, status != .present { return true }
    return members[peer]?.status == .lost
  }

  /// Remembers since when owners are not here.
  ///
  /// A host that has just begun may not have met them yet, and anchors may arrive before their owners.
  private mutating func noteAbsences(of owners: Set<PeerID>, at now: Instant) {
    ownership.absences = ownership.absences.filter { owners.contains($0.key) && !isPresent($0.key) }
    for owner in owners where !isPresent(owner) && ownership.absences[owner] == nil { ownership.absences[owner] = now }
  }
}
