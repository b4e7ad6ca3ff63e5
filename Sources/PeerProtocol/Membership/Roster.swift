package import Basics
package import WorldModel

/// The members of the session: one record a peer, merged record by record, so that two halves of a split that meet
/// again simply hold the union.
///
/// Nobody owns the list of members, and both halves of a split admit and remove. One version for the whole list would
/// make one half win and lose the members of the other. So each record has a version of its own, and the later one
/// stands (a map of last-writer-wins registers; Shapiro et al., *Conflict-free replicated data types*, 2011).
///
/// A plain map of that kind is what a lying member breaks, in two ways:
///
/// - It gives a record the greatest version, and no later word of anybody counts. So versions go round
///   (``RecordVersion``), and of a known peer a leap counts only in its own word, or as a removal.
/// - It invents peers. Those that are present find the room of a session taken. Those that are out must be kept, since
///   an older record of such a peer would be believed again: each teller has a bounded number of them, and `Departures`
///   says which goes first.
///
/// The roster looks at numbers and room alone; whether a record is to be believed is for `Disputes`. Why there is no
/// single authority: Documentation/Decisions/0001-membership-is-a-merged-roster.md.
package struct Roster: Sendable, Equatable {
  /// Every record, in the order of the ids.
  package private(set) var entries: [RosterEntry] = []
  /// Where the records of peers that are out come from.
  private var departures = Departures()

  package init() {}

  /// The roster that an earlier start of this peer has kept: entries in the order of the ids, each peer once.
  package init(restoring entries: [RosterEntry]) {
    self.entries = entries
    for entry in entries where entry.status != .present {
      departures.add(entry.peerID, from: nil, isHearsay: false)
    }
  }

  package static func == (left: Roster, right: Roster) -> Bool { left.entries == right.entries }

  /// The record of `peer`.
  package subscript(peer: PeerID) -> RosterEntry? { index(of: peer).map { entries[$0] } }

  /// Whether `peer` is admitted.
  package func admits(_ peer: PeerID) -> Bool { index(of: peer).map { entries[$0].status == .present } ?? false }

  /// Whether this very start of a peer's process is admitted.
  func admits(_ node: NodeID) -> Bool {
    guard let index = index(of: node.peer) else { return false }
    return entries[index].status == .present && entries[index].incarnation == node.incarnation
  }

  /// The number of admitted peers.
  package var presentCount: Int { entries.count { $0.status == .present } }

  /// Whether one more peer can be admitted.
  var hasRoom: Bool { presentCount < ProtocolLimits.members }

  /// Whether `peer` was never known here as a member, whatever others say that it was.
  func isStranger(_ peer: PeerID) -> Bool {
    index(of: peer).map { entries[$0].status != .present && departures.isHearsay(peer) } ?? true
  }

  /// Whether `entry` replaces what is known.
  ///
  /// A further member of a full session does not, nor a further peer that one member says is out.
  ///
  /// - Parameter teller: The member that tells it; nil for what this node knows itself.
  package func takes(_ entry: RosterEntry, from teller: PeerID? = nil) -> Bool {
    let known = self[entry.peerID]
    if let known, RecordVersion.areApart(entry.version, known.version) {
      // A liar may have told each member another number; that must not keep its removal out, which others have to vouch for.
      let isRemoval = entry.status == .kicked && known.status != .kicked
      let isOwnWord = teller == entry.peerID && known.status == .present && entry.status == .present
      return (isRemoval || isOwnWord) && entry.version <= RecordVersion.greatest
    }
    if let known { return entry.replaces(known) }
    // A newcomer was not there for the steps to a member's number; that somebody is out is not known so far ahead.
    if entry.status == .present { return entry.version <= RecordVersion.greatest && hasRoom }
    return RecordVersion.isPlausible(entry.version, after: 0) && teller.map(departures.mayAdd) ?? true
  }

  /// Takes `entry` if it replaces what is known.
  ///
  /// Returns whether it was news.
  package mutating func merge(_ entry: RosterEntry, from teller: PeerID? = nil) -> Bool {
    guard takes(entry, from: teller) else { return false }
    if index(of: entry.peerID) == nil, entries.count >= ProtocolLimits.roster, !evict() { return false }
    if entry.status == .present {
      departures.remove(entry.peerID)
    } else {
      departures.add(entry.peerID, from: teller, isHearsay: index(of: entry.peerID) == nil)
    }
    set(entry)
    return true
  }

  /// Gives up one record of a peer that is out, one that was removed only if no other is left; whether there was one.
  private mutating func evict() -> Bool {
    let left = entries.lazy.filter { $0.status == .left }.map(\.peerID)
    let out = entries.lazy.filter { $0.status == .kicked }.map(\.peerID)
    guard let peer = departures.first(of: left) ?? departures.first(of: out) else { return false }
    departures.remove(peer)
    let gone = entries.remove(at: position(of: peer))
    assert(gone.peerID == peer && gone.status != .present, "a member was given up")
    return true
  }

  /// Where the record of `peer` stands, or belongs, among the entries.
  private func position(of peer: PeerID) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].peerID < peer { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Where the record of `peer` stands; nil where there is none.
  private func index(of peer: PeerID) -> Int? {
    let index = position(of: peer)
    return index < entries.count && entries[index].peerID == peer ? index : nil
  }

  /// Puts `entry` in the place of what is known, whatever that is.
  private mutating func set(_ entry: RosterEntry) {
    if let index = index(of: entry.peerID) {
      entries[index] = entry
    } else {
      let index = position(of: entry.peerID)
      assert(index == 0 || entries[index - 1].peerID < entry.peerID, "records stand in the order of the ids")
      entries.insert(entry, at: index)
    }
  }

  /// Makes `entry`, of this peer itself, the newest of its records and returns it with its version; nil when nothing changes.
  package mutating func restate(_ entry: RosterEntry) -> RosterEntry? {
    let known = self[entry.peerID]
    let version = known?.version ?? 0
    guard entry.with(version: version) != known else { return nil }
    let newest = entry.with(version: RecordVersion.next(after: version))
    set(newest)
    return newest
  }

  /// Changes the record of `peer` and counts the change.
  ///
  /// Returns the new record; nil when there is none or nothing changed.
  package mutating func update(_ peer: PeerID, _ change: (inout RosterEntry) -> Void) -> RosterEntry? {
    guard let known = self[peer] else { return nil }
    var entry = known
    change(&entry)
    guard entry != known else { return nil }
    entry.version = RecordVersion.next(after: RecordVersion.later(entry.version, known.version))
    return merge(entry) ? entry : nil
  }
}

extension Roster {
  /// Appends frames of `entries`, each within the member's frame limit.
  package static func writeFrames(_ entries: [RosterEntry], to writer: inout ByteWriter) {
    let perFrame = 128
    for start in stride(from: 0, to: entries.count, by: perFrame) {
      let slice = entries[start..<min(start + perFrame, entries.count)]
      writer.writeFrame(.roster) { body in
        body.writeVarint(UInt64(slice.count))
        for entry in slice { entry.write(to: &body) }
      }
    }
  }
}

/// One frame of records.
package struct RosterFrame: Sendable, Equatable, FrameBody {
  package let entries: [RosterEntry]

  package init(_ entries: [RosterEntry]) {
    self.entries = entries
  }

  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    var entries: [RosterEntry] = []
    for _ in 0..<(try reader.readCount(limit: ProtocolLimits.roster)) {
      entries.append(try RosterEntry(reading: &reader))
    }
    self.entries = entries
  }
}
