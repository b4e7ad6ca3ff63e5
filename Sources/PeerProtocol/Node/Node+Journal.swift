package import AnchorReplication
package import Basics

extension Node {
  /// Takes over the anchors of an earlier session, before this one has met anybody.
  ///
  /// Session time goes on from the latest stamp in them, so that new edits are not taken for older ones and others do not
  /// take them for edits from the future.
  ///
  /// - Throws: ``ReplicationError`` at the first record that is refused; the ones before it have been taken.
  package mutating func restoreAnchors(_ records: [JournalRecord], at now: Instant) throws(ReplicationError) {
    defer {
      election.beginSessionTime(at: anchors.latestSessionTime, now)
      publishAnchorChanges()
    }
    try anchors.restore(records)
  }
}
