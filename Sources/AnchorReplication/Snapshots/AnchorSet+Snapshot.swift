import Basics
import WorldModel

extension AnchorSet {
  /// The version of the snapshot's layout.
  static let snapshotVersion: UInt8 = 1

  /// The whole state in canonical bytes: equal vectors give equal bytes.
  ///
  /// Layout: version 1, vector, varint count, the entries in the order of their keys. Actors in entries are numbers
  /// into the vector. Cut it with ``SnapshotChunks`` and go on with ``cursorAfterSnapshot()``.
  package func encodeSnapshot() -> [UInt8] {
    var writer = ByteWriter(capacity: table.entries.count * 160 + actors.count * 24 + 16)
    writer.write(Self.snapshotVersion)
    vector.encode(into: &writer)
    writer.writeVarint(UInt64(table.entries.count))
    let numbers = snapshotNumbers
    let creators = creators
    for slot in slotsByKey(numbers) {
      table.entries[slot].encode(into: &writer, creators: creators) { index, writer in
        writer.writeVarint(UInt64(numbers[Int(index)]))
      }
    }
    return writer.bytes
  }

  /// The number of each actor in the vector; those that wrote nothing have none.
  private var snapshotNumbers: [UInt16] {
    var numbers = [UInt16](repeating: .max, count: actors.count)
    for (number, index) in actors.inOrder.filter({ actors.seen[Int($0)] > 0 }).enumerated() {
      numbers[Int(index)] = UInt16(number)
    }
    return numbers
  }

  /// The slots in the order of their keys.
  private func slotsByKey(_ numbers: [UInt16]) -> [Int] {
    let keys = table.entries.indices.map { slot in
      let key = table.entries[slot].key
      return (order: UInt64(numbers[Int(key.actor)]) << 48 | key.sequence, slot: slot)
    }
    return keys.sorted { $0.order < $1.order }.map(\.slot)
  }

  /// Joins another peer's state into this one.
  ///
  /// An entry on one side only stays if the other side's vector does not cover its key: covered and absent means
  /// removed. On both sides each register keeps its latest stamp. The vectors join by maximum; where they are equal to begin
  /// with, what still differs is brought together too (``reconcile(with:)``). Nothing changes when the bytes are refused.
  ///
  /// - Parameters:
  ///   - author: Whose link it came on; what that peer wrote itself is judged by its clock. Nil judges nothing.
  ///   - acknowledged: How many of the own operations that peer had when the two began to exchange. Of those that came
  ///     to it since, nobody can say whether it wrote before or after, so that values it replaces are told as lost.
  ///   - origin: The origin that the changes are told with: a merge, or words of another peer where the two were not apart.
  /// - Returns: The version vector of the snapshot's sender.
  @discardableResult
  package mutating func merge(
    snapshot bytes: RawSpan, judging author: LinkAuthor? = nil, acknowledged: UInt64 = .max,
    origin: AnchorOrigin = .merge
  ) throws(ReplicationError) -> VersionVector {
    let snapshot: Snapshot
    do throws(DecodingFailure) {
      snapshot = try Snapshot(decoding: bytes, actors: actors, creators: creators, limits: limits)
    } catch {
      throw .malformed(error)
    }
    try checkOwn(snapshot.sequence(of: ActorTable.local))
    // A snapshot is one state: what is beyond a cut cannot be taken out of it.
    for dot in snapshot.versionVector.entries where dot.sequence > cuts.limit(of: dot.actor) { throw .beyondCut(dot) }
    if let author { try judge(snapshot, author) }
    guard snapshot.actors.count <= limits.actors else { throw .overLimit(.actors, limit: limits.actors) }
    table.reserve(try checkRoom(for: snapshot))
    let previous = actors.seen
    let isSameHistory = snapshot.versionVector == vector
    actors = snapshot.actors
    creators = snapshot.creators
    let ownSeen = min(acknowledged, snapshot.sequence(of: ActorTable.local))
    join(snapshot, previous: previous, ownSeen: ownSeen, origin: origin)
    for dot in snapshot.vector {
      guard actors.seen[Int(dot.index)] < dot.sequence else { continue }
      actors.advance(dot.index, to: dot.sequence)
      log.raiseFloor(of: dot.index, to: dot.sequence)
    }
    if isSameHistory { reconcile(with: snapshot, origin: origin) }
    releaseHeld()
    return snapshot.versionVector
  }

  /// Refuses a snapshot in which its sender stamped a register too far ahead of session time.
  private func judge(_ snapshot: Snapshot, _ author: LinkAuthor) throws(ReplicationError) {
    let horizons = snapshot.actors.ids.map { author.horizon(for: $0, limits) ?? .max }
    for entry in snapshot.entries {
      for field in AnchorField.allCases {
        let (time, horizon) = (entry.clocks[field] >> 16, horizons[Int(entry.writer(of: field))])
        guard time > horizon else { continue }
        throw .clockAhead(snapshot.actors.dot(entry.key), by: time - horizon)
      }
    }
  }

  /// Refuses a snapshot that would bring the set beyond twice its limits; gives the number of new entries.
  private func checkRoom(for snapshot: Snapshot) throws(ReplicationError) -> Int {
    var (count, bytes) = (table.entries.count, stateBytes)
    for entry in snapshot.entries where table.slot(of: entry.key) == nil {
      count += 1
      bytes += entry.stateBytes
    }
    guard count <= 2 * limits.anchors else { throw .overLimit(.anchors, limit: 2 * limits.anchors) }
    guard bytes <= 2 * limits.stateBytes else { throw .overLimit(.stateBytes, limit: 2 * limits.stateBytes) }
    return count - table.entries.count
  }

  /// Takes over the entries; `previous` is what was applied of each actor before, `ownSeen` how many of the own
  /// operations their writers are taken to have known.
  private mutating func join(_ snapshot: Snapshot, previous: [UInt64], ownSeen: UInt64, origin: AnchorOrigin) {
    var isKept = [Bool](repeating: false, count: table.entries.count)
    for entry in snapshot.entries {
      clock.observe(entry.latestClock)
      if let slot = table.slot(of: entry.key) {
        isKept[slot] = true
        join(entry, at: slot, ownSeen: ownSeen, origin: origin)
        continue
      }
      let seen = Int(entry.key.actor) < previous.count ? previous[Int(entry.key.actor)] : 0
      guard entry.key.sequence > seen || !rules.contains(.mergeContext) else { continue }
      insert(entry, stamp: latestStamp(of: entry), origin: origin)
    }
    let covered = snapshot.sequences
    for slot in isKept.indices.reversed() where !isKept[slot] {
      let key = table.entries[slot].key
      guard key.sequence <= covered[Int(key.actor)] else { continue }
      let isUnseen = table.entries[slot].lastLocalEdit > ownSeen
      remove(at: slot, stamp: nil, origin: origin) { _ in isUnseen }
    }
  }

  /// Lets each register of an entry that both sides have keep its latest stamp.
  private mutating func join(_ entry: Entry, at slot: Int, ownSeen: UInt64, origin: AnchorOrigin) {
    for field in AnchorField.allCases {
      let present = table.entries[slot].clocks[field]
      guard entry.clocks[field] != present || entry.writer(of: field) != table.entries[slot].writer(of: field)
      else { continue }
      let base = table.entries[slot].lastLocalEdit > ownSeen ? nil : present
      write(
        entry.value(of: field), at: slot, clock: entry.clocks[field], by: entry.writer(of: field), base: base,
        origin: origin)
    }
  }

  func latestStamp(of entry: Entry) -> Stamp {
    AnchorField.allCases.map { field in
      Stamp(clock: entry.clocks[field], actor: actors.ids[Int(entry.writer(of: field))])
    }.max() ?? Stamp(clock: entry.createdClock, actor: actors.ids[Int(entry.key.actor)])
  }
}

extension Entry {
  /// The clock of the register that was written last.
  var latestClock: UInt64 { AnchorField.allCases.reduce(createdClock) { max($0, clocks[$1]) } }
}

/// Repairs different states under equal histories, which must not occur, as when a broken or lying peer has
/// given different operations the same dot.
extension AnchorSet {
  /// Makes this set and the sender of a snapshot with the same vector, which makes it too, hold the same: of each anchor that
  /// still differs once both have joined their states both keep the one whose canonical bytes are the greater.
  mutating func reconcile(with snapshot: Snapshot, origin: AnchorOrigin) {
    for entry in snapshot.entries {
      guard let slot = table.slot(of: entry.key) else { continue }
      let theirs = entry.joined(with: table.entries[slot])
      guard canonical(table.entries[slot]).lexicographicallyPrecedes(canonical(theirs)) else { continue }
      remove(at: slot, stamp: nil, origin: origin) { _ in false }
      insert(theirs, stamp: latestStamp(of: theirs), origin: origin)
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
