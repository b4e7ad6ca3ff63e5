import Basics

/// What a node keeps over the end of its process, and how it comes back with it.
///
/// Nothing here has to be on the disk before a message leaves. A restarted process is another node, of a random incarnation:
/// no word that its earlier start gave binds it, and no word of it can be taken for one of that start. A record that is a
/// little old is corrected by the first member that is met.
extension Node {
  /// What has to be kept now.
  package var record: NodeRecord {
    var record = NodeRecord(peerID: me.peer, service: configuration.service)
    // Who has left or was removed comes back as a stranger.
    guard !hasEnded else { return record }
    record.epoch = election.maxEpochSeen
    record.joinSequence = election.joinSequence
    record.rules = rules
    record.roster = roster.entries
    return record
  }

  /// What has to be kept, if it is not what was given out last.
  mutating func takeChangedRecord() -> NodeRecord? {
    guard configuration.keepsRecord, !isKept else { return nil }
    let record = record
    keptRecord = record
    return record
  }

  /// Whether the record that was given out last still holds; arrays that share their memory are not compared in full.
  private var isKept: Bool {
    guard let kept = keptRecord else { return false }
    guard !hasEnded else { return kept.roster.isEmpty }
    return kept.roster == roster.entries && kept.epoch == election.maxEpochSeen && kept.rules == rules
      && kept.joinSequence == election.joinSequence
  }

  /// Goes on where an earlier start of this peer was, before this one has met anybody.
  mutating func restore(_ record: NodeRecord, at now: Instant) {
    precondition(record.peerID == me.peer && record.service == configuration.service, "another node's record")
    guard !record.roster.isEmpty else { return }
    let mistakes = configuration.mistakes.node
    if !mistakes.contains(.forgetsRules) { rules = record.rules }
    if !mistakes.contains(.forgetsEpoch) { election.resume(epoch: record.epoch, joinSequence: record.joinSequence) }
    graph.setJoinSequence(election.joinSequence)
    guard !mistakes.contains(.forgetsMembers) else { return }
    roster = Roster(restoring: record.roster)
    _ = roster.assert(ownEntry)
    for entry in roster.entries where entry.status == .present && entry.peerID != me.peer {
      // Whoever was away knocks at every door at once: the others do not know yet that they would be answered.
      members[entry.peerID] = Member(plan: DialPlan(addresses: entry.addresses, start: now))
    }
    if !members.isEmpty { elect(.join, at: now) }
  }
}
