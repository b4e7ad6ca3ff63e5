import PeerProtocol

/// A session's part in the anchors: the callers that wait for what becomes of edits, and the readers of changes.
struct WorldDesk {
  /// The callers that wait until others hold what was edited.
  let acknowledgements = Pending<AcknowledgementResult>()
  /// The callers that wait for what becomes of a wish about ownership.
  let ownership = Pending<OwnershipResult>()
  /// The readers of anchor changes.
  var readers: [ChangeReader] = []
  /// How far the board of snapshots has come.
  var snapshots = SnapshotDesk()

  /// Resumes every caller.
  func endAll(_ reason: EndReason) {
    acknowledgements.endAll(reason)
    ownership.endAll(reason)
  }
}
