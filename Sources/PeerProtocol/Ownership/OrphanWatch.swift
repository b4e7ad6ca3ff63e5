import Basics
import WorldModel

/// Which owners of anchors are not in the session, as the host sees it.
struct OrphanWatch: Sendable {
  /// Since when owners are not here.
  private var absences: Table<PeerID, Instant> = [:]
  /// When the host looks again for anchors that nobody holds any more.
  var nextLook = Instant.zero

  /// Records since when these owners are not here.
  ///
  /// A host that has just begun may not have met them yet, and anchors may arrive before their owners.
  mutating func look(for owners: KeySet<PeerID>, in turn: borrowing Turn) {
    let present = owners.filter { turn.isPresent($0) }
    absences = absences.filter { owners.contains($0.key) && !present.contains($0.key) }
    for owner in owners where !present.contains(owner) && absences[owner] == nil { absences[owner] = turn.now }
  }

  /// Whether the anchors of `owner` are nobody's: it said that it went, was removed, or was missed for long enough.
  func isMissed(_ owner: PeerID, in turn: borrowing Turn) -> Bool {
    guard !turn.configuration.keepsOrphans, let since = absences[owner] else { return false }
    if let status = turn.mesh.roster[owner]?.status, status != .present { return true }
    return turn.mesh.standings[owner]?.status == .lost || turn.now - since >= ProtocolTimes.lost
  }

  /// Counts the absence of owners only while this node was running.
  mutating func excuse(_ gap: Duration, at now: Instant) {
    absences = absences.mapValues { min($0 + gap, now) }
  }
}

extension Turn {
  /// Whether a peer is this one, or a member that the app counts among the peers.
  func isPresent(_ peer: PeerID) -> Bool { peer == me.peer || mesh.standings[peer]?.isJoined == true }
}
