import AnchorReplication
import Basics

/// The kinds that leave on a link: first all, then those of this node and of others that the other side has no link to.
///
/// They leave behind the operations, so that their anchors are there. The digest finds what was missed, such as kinds of a member
/// whose link to the other side has just gone, and they leave again.
struct KindStream: Sendable {
  /// The version up to which the kinds of this node have been looked at.
  private var read: UInt64 = 0
  /// Up to this version all kinds of ``parts`` leave, of all writers; nil until the first one is looked at.
  private var repairTo: UInt64?
  /// A bit for each part of the digest that the other side lacks something of.
  private var parts = UInt16.max
  /// How often the other side's digest is looked at.
  private var pause = RestartPause()

  /// Whether there is anything to look at.
  func isBehind(_ version: UInt64) -> Bool { read < version }

  /// Appends frames of kinds while the window has room; `actors` are those whose edits this node brings the other side.
  mutating func write(for actors: KeySet<ActorID>, in turn: inout Turn) {
    let version = turn.anchors.kindVersion
    let (parts, limit) = (parts, repairTo ?? version)
    repairTo = limit
    while isBehind(version), turn.outbox.scratch.count < ProtocolLimits.transmitWindow / 2 {
      var list = ByteWriter()
      let count = turn.anchors.readKinds(
        after: &read, limit: ProtocolLimits.statePart,
        where: { number, write in
          if number <= limit { return parts & 1 << KindDigest.part(of: write.key) != 0 }
          return actors.contains(write.stamp.actor)
        }, into: &list)
      if count > 0 {
        turn.outbox.scratch.writeFrame(.kinds) { body in
          body.write(UInt16(count))
          body.write(bytes: list.bytes)
        }
      }
      // Everything after the last write of a version was replaced or removed.
      if count == 0 { read = version }
    }
  }

  /// Looks at the other side's digest, at most once in a second; whether it counted.
  mutating func compare(_ theirs: KindDigest, in turn: borrowing Turn) -> Bool {
    guard pause.admits(at: turn.now) else { return false }
    let missing = turn.anchors.kindDigest.difference(to: theirs)
    guard missing != 0 else { return false }
    let isRepairing = repairTo.map { read < $0 } ?? true
    parts = isRepairing ? parts | missing : missing
    repairTo = max(repairTo ?? 0, read)
    read = 0
    return true
  }
}
