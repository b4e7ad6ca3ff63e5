import Basics
import WorldModel

/// The entries of a set in one dense array, found by key or by the app's id.
///
/// Two keys can carry the same id, when two maps hold the same anchor. Of those the entry written last shows, so that a
/// map that is saved and shared again does not undo what was edited meanwhile; of two never edited the one with the
/// smaller key (actor, then number). The others are kept, because every peer must end with the same state.
struct EntryTable: Sendable {
  /// The entries, in no order that means anything.
  private(set) var entries: [Entry] = []
  /// The bytes of all names and payloads.
  private(set) var stateBytes = 0
  /// The keys of the entries whose lock names an owner.
  private(set) var owned: Set<PackedKey> = []
  private var byKey = SlotIndex()
  /// The entries that show, by id.
  private var byID = SlotIndex()
  private var hidden: [AnchorID: [PackedKey]] = [:]
  private let seeded = SeededHash()
  private var digest = DigestSum()

  /// The effect of a change of the entries on the anchors that an app sees.
  enum Visibility {
    /// The id appeared.
    case added
    /// Another entry of the same id shows now.
    case replaced
    /// The id is no longer visible.
    case removed
    /// Nothing that shows changed.
    case unchanged
  }

  /// The number of anchors an app sees.
  var visibleCount: Int { byID.count }

  /// Where the entry with `key` is.
  @inline(__always)
  func slot(of key: PackedKey) -> Int? { byKey.find(seeded(key)) { entries.span[$0].key == key } }

  /// Where the entry that shows under `id` is.
  @inline(__always)
  func slot(showing id: AnchorID) -> Int? { byID.find(seeded(id)) { entries.span[$0].id == id } }

  /// The same for one of many: `next` is where it is likely to be, and then where the one after it is.
  ///
  /// Anchors are mostly written in the order in which they came. Then the index, whose cells lie anywhere, is not read.
  @inline(__always)
  func slot(of key: PackedKey, next: inout Int) -> Int? {
    let slot = next < entries.count && entries.span[next].key == key ? next : self.slot(of: key)
    advance(&next, behind: slot)
    return slot
  }

  /// The same for the entry that shows under `id`.
  @inline(__always)
  func slot(showing id: AnchorID, next: inout Int) -> Int? {
    let isNext = next < entries.count && entries.span[next].id == id && hidden.isEmpty
    let slot = isNext ? next : self.slot(showing: id)
    advance(&next, behind: slot)
    return slot
  }

  @inline(__always)
  private func advance(_ next: inout Int, behind slot: Int?) {
    guard let slot else { return }
    next = slot + 1 == entries.count ? 0 : slot + 1
  }

  /// Whether the entry at `slot` is the one that shows under its id.
  @inline(__always)
  func isVisible(_ slot: Int) -> Bool { hidden.isEmpty || self.slot(showing: entries[slot].id) == slot }

  /// Whether some id has more than one entry.
  @inline(__always) var hasHidden: Bool { !hidden.isEmpty }

  /// Every key that carries `id`, the one that shows first.
  func keys(of id: AnchorID) -> [PackedKey] {
    guard let slot = slot(showing: id) else { return [] }
    return [entries[slot].key] + (hidden[id] ?? [])
  }

  /// The slots of all entries that show, in the order of their ids.
  func visibleSlotsInOrder() -> [Int] {
    entries.indices.filter(isVisible).sorted { entries[$0].id < entries[$1].id }
  }

  /// Adds an entry whose key is not in the table.
  mutating func insert(_ entry: Entry, actors: ActorTable) -> Visibility {
    let slot = entries.count
    let shown = self.slot(showing: entry.id)
    reserveForOneMore()
    entries.append(entry)
    entries[slot].marks = []
    byKey.insert(slot, hash: seeded(entry.key)) { [entries, seeded] in seeded(entries[$0].key) }
    stateBytes += entry.stateBytes
    if entry.lock.owner != nil { owned.insert(entry.key) }
    digest.insert()
    markStale(slot)
    guard let shown else {
      byID.insert(slot, hash: seeded(entry.id)) { [entries, seeded] in seeded(entries[$0].id) }
      return .added
    }
    let shownKey = entries[shown].key
    guard outranks(slot, shown, actors) else {
      hidden[entry.id, default: []].append(entry.key)
      return .unchanged
    }
    byID.move(shown, to: slot, hash: seeded(entry.id))
    hidden[entry.id, default: []].append(shownKey)
    return .replaced
  }

  /// Takes the entry at `slot` out; the last entry moves into its place.
  mutating func remove(at slot: Int, actors: ActorTable) -> (entry: Entry, visibility: Visibility) {
    let entry = entries[slot]
    let visibility = forget(entry, at: slot, actors: actors)
    byKey.remove(slot, hash: seeded(entry.key)) { [entries, seeded] in seeded(entries[$0].key) }
    stateBytes -= entry.stateBytes
    if entry.lock.owner != nil { owned.remove(entry.key) }
    digest.remove(at: slot)
    let last = entries.count - 1
    if slot != last {
      let moved = entries[last]
      if isVisible(last) { byID.move(last, to: slot, hash: seeded(moved.id)) }
      byKey.move(last, to: slot, hash: seeded(moved.key))
      entries[slot] = moved
      if moved.marks.contains(.stale) { digest.stale.append(UInt32(slot)) }
    }
    entries.removeLast()
    return (entry, visibility)
  }

  /// Makes room for `additional` entries.
  mutating func reserve(_ additional: Int) {
    entries.reserveCapacity(entries.count + additional)
    byKey.reserve(byKey.count + additional) { [entries, seeded] in seeded(entries[$0].key) }
    byID.reserve(byID.count + additional) { [entries, seeded] in seeded(entries[$0].id) }
  }

  /// Lets the entry at `slot`, which was written, show if it is now the one written last; true when it did not before.
  mutating func showIfLatest(_ slot: Int, actors: ActorTable) -> Bool {
    let id = entries[slot].id
    guard hidden[id] != nil, let shown = self.slot(showing: id), shown != slot, outranks(slot, shown, actors) else {
      return false
    }
    byID.move(shown, to: slot, hash: seeded(id))
    hidden[id]?.removeAll { $0 == entries[slot].key }
    hidden[id]?.append(entries[shown].key)
    return true
  }

  /// Changes the entry at `slot`, which the digest will take up when it is next read.
  @inline(__always)
  mutating func update<R>(_ slot: Int, _ change: (inout Entry) -> R) -> R {
    markStale(slot)
    return change(&entries[slot])
  }

  /// Stores a value in a register at `slot`.
  mutating func store(_ value: AnchorFieldValue, at slot: Int) {
    stateBytes -= entries[slot].stateBytes
    entries[slot].store(value)
    stateBytes += entries[slot].stateBytes
    if case .lock(let lock) = value {
      if lock.owner == nil { owned.remove(entries[slot].key) } else { owned.insert(entries[slot].key) }
    }
    markStale(slot)
  }

  /// Records which undrained change is the latest of the entry at `slot`.
  @inline(__always)
  mutating func noteChange(at slot: Int, index: Int) {
    entries[slot].change = UInt32(truncatingIfNeeded: index)
  }

  /// Marks the entry at `slot`; false when it was already.
  @inline(__always)
  mutating func mark(_ slot: Int, _ mark: Entry.Marks) -> Bool {
    guard !entries[slot].marks.contains(mark) else { return false }
    entries[slot].marks.insert(mark)
    return true
  }

  /// Takes a mark off the entry that shows under `id`, if one does.
  mutating func unmark(_ id: AnchorID, _ mark: Entry.Marks) {
    if let slot = slot(showing: id) { entries[slot].marks.remove(mark) }
  }

  /// Takes a mark off every entry.
  mutating func unmarkAll(_ mark: Entry.Marks) {
    for slot in entries.indices { entries[slot].marks.remove(mark) }
  }

  /// Brings the digest up to date and gives it; `encode` writes the canonical form of an entry.
  mutating func foldedDigest(encode: (Entry, inout ByteWriter) -> Void) -> SHA256Digest {
    var writer = ByteWriter(capacity: 512)
    for slot in digest.stale where slot < entries.count && entries[Int(slot)].marks.contains(.stale) {
      entries[Int(slot)].marks.remove(.stale)
      writer.removeAll()
      encode(entries[Int(slot)], &writer)
      digest.replace(at: Int(slot), by: SHA256Digest(hashing: writer.bytes))
    }
    digest.stale.removeAll(keepingCapacity: true)
    return digest.value
  }

  @inline(__always)
  private mutating func markStale(_ slot: Int) {
    guard !entries.span[slot].marks.contains(.stale) else { return }
    entries[slot].marks.insert(.stale)
    digest.stale.append(UInt32(slot))
  }

  /// Takes the id of an entry that is about to go off the books, and shows the next key that carries it.
  private mutating func forget(_ entry: Entry, at slot: Int, actors: ActorTable) -> Visibility {
    guard isVisible(slot) else {
      hidden[entry.id]?.removeAll { $0 == entry.key }
      if hidden[entry.id]?.isEmpty == true { hidden[entry.id] = nil }
      return .unchanged
    }
    guard let next = bestHidden(entry.id, actors) else {
      byID.remove(slot, hash: seeded(entry.id)) { [entries, seeded] in seeded(entries[$0].id) }
      return .removed
    }
    byID.move(slot, to: next, hash: seeded(entry.id))
    hidden[entry.id]?.removeAll { $0 == entries[next].key }
    if hidden[entry.id]?.isEmpty == true { hidden[entry.id] = nil }
    return .replaced
  }

  /// The hidden entry that would show if there were no other of the same id.
  private func bestHidden(_ id: AnchorID, _ actors: ActorTable) -> Int? {
    var best: Int?
    for key in hidden[id] ?? [] {
      guard let slot = slot(of: key) else { continue }
      if let present = best, !outranks(slot, present, actors) { continue }
      best = slot
    }
    return best
  }

  /// Whether the entry at `left` shows rather than the one at `right`, which has the same id.
  private func outranks(_ left: Int, _ right: Int, _ actors: ActorTable) -> Bool {
    let (leftClock, rightClock) = (entries[left].writtenAt, entries[right].writtenAt)
    guard leftClock == rightClock else { return leftClock > rightClock }
    return actors.precedes(entries[left].key, entries[right].key)
  }

  /// Grows by a quarter rather than twofold: 65,536 entries are 13 MB.
  private mutating func reserveForOneMore() {
    guard entries.count == entries.capacity else { return }
    entries.reserveCapacity(entries.count + max(16, entries.count / 4))
  }
}

extension ActorTable {
  /// Whether `left` is the smaller dot, by actor and then by number.
  func precedes(_ left: PackedKey, _ right: PackedKey) -> Bool {
    guard left.actor == right.actor else { return ids[Int(left.actor)] < ids[Int(right.actor)] }
    return left.sequence < right.sequence
  }

  /// The dot behind a packed key.
  func dot(_ key: PackedKey) -> Dot { Dot(actor: ids[Int(key.actor)], sequence: key.sequence) }
}

extension SeededHash {
  @inline(__always)
  fileprivate func callAsFunction(_ key: PackedKey) -> UInt64 { mix(UInt64(key.actor), key.sequence) }

  @inline(__always)
  fileprivate func callAsFunction(_ id: AnchorID) -> UInt64 { mix(id.high, id.low) }
}
