import Basics
import WorldModel

/// Repairs different states under equal histories, which must not occur, as when a broken or lying peer has
/// given different operations the same dot.
extension AnchorSet {
  /// Makes this set and the sender of a snapshot with the same vector, which makes it too, hold the same: of each anchor that
  /// still differs once both have joined their states both keep the one whose canonical bytes are the greater.
  mutating func reconcile(with snapshot: Snapshot) {
    for entry in snapshot.entries {
      guard let slot = table.slot(of: entry.key) else { continue }
      let theirs = entry.joined(with: table.entries[slot])
      guard canonical(table.entries[slot]).lexicographicallyPrecedes(canonical(theirs)) else { continue }
      remove(at: slot, stamp: nil, origin: .merge) { _ in false }
      insert(theirs, stamp: latestStamp(of: theirs), origin: .merge)
    }
  }

  private func canonical(_ entry: Entry) -> [UInt8] {
    var writer = ByteWriter(capacity: 256)
    entry.encodeCanonically(into: &writer, actors: actors, creators: creators)
    return writer.bytes
  }
}

extension Entry {
  /// The registers of a peer after it merges the later registers of `other`.
  fileprivate func joined(with other: Entry) -> Entry {
    var joined = self
    joined.lastLocalEdit = other.lastLocalEdit
    for field in AnchorField.allCases
    where other.clocks[field] != clocks[field] || other.writer(of: field) != writer(of: field) {
      // The other entry contains this one already: a register with another stamp there is later.
      joined.store(other.value(of: field))
      joined.stamp(field, clock: other.clocks[field], writer: other.writer(of: field))
    }
    return joined
  }
}
