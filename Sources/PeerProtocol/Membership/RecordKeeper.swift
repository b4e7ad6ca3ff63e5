import Basics
import WorldModel

/// The record that a node keeps over the end of its process.
///
/// Nothing here has to be on the disk before a message leaves. A restarted process is another node, of a random incarnation:
/// no word that its earlier start gave binds it, and no word of it can be taken for one of that start. A record that is a
/// little old is corrected by the first member that is met.
struct RecordKeeper: Sendable {
  /// The record that was given out last.
  private var kept: NodeRecord?

  /// The record to keep now.
  func record(in turn: borrowing Turn) -> NodeRecord {
    var record = NodeRecord(peerID: turn.me.peer, service: turn.configuration.service)
    // A peer that has left or was removed comes back as a stranger.
    guard !turn.hasEnded else { return record }
    record.epoch = turn.mesh.reign.highestEpoch
    record.joinSequence = turn.mesh.reign.joinSequence
    record.rules = turn.mesh.rules
    record.roster = turn.mesh.roster.entries
    record.governance = turn.mesh.governance.record
    return record
  }

  /// Gives out what has to be kept.
  mutating func take(in turn: borrowing Turn) -> NodeRecord {
    let record = record(in: turn)
    kept = record
    return record
  }

  /// Whether the record that was given out last still holds; arrays that share their memory are not compared in full.
  func isKept(in turn: borrowing Turn) -> Bool {
    guard let kept else { return false }
    guard !turn.hasEnded else { return kept.roster.isEmpty }
    return kept.roster == turn.mesh.roster.entries && kept.epoch == turn.mesh.reign.highestEpoch
      && kept.governance == turn.mesh.governance.record && kept.rules == turn.mesh.rules
      && kept.joinSequence == turn.mesh.reign.joinSequence
  }
}
