import WorldModel

/// The kinds that were written after their anchors were added, the latest of each anchor.
struct KindBook: Sendable {
  /// The write that stands for an anchor.
  private struct Register: Sendable {
    let write: KindWrite
    /// Counts the writes that were stored here, so that readers find what is new to them.
    let version: UInt64
  }

  /// The version of the latest write that was stored here; 0 before the first.
  private(set) var version: UInt64 = 0
  /// Bytes of names and outlines.
  private(set) var stateBytes = 0
  /// The digest of all writes.
  private(set) var digest = KindDigest()
  private var registers: [PackedKey: Register] = [:]
  /// The keys by the version of their writes; a key stands here more than once until the list is shortened.
  private var order: [(version: UInt64, key: PackedKey)] = []
  /// Writes whose anchors have not arrived.
  private var early: [Dot: KindWrite] = [:]

  /// Whether no anchor has another kind than it was added with.
  var isEmpty: Bool { registers.isEmpty }
  /// Whether a write waits for its anchor.
  var hasEarly: Bool { !early.isEmpty }

  /// The write that stands for the anchor `key`.
  subscript(key: PackedKey) -> KindWrite? { registers[key]?.write }

  /// Stores the latest write of the anchor `key`.
  mutating func store(_ write: KindWrite, of key: PackedKey) {
    remove(key)
    version += 1
    registers[key] = Register(write: write, version: version)
    stateBytes += write.kind.byteCount
    digest.add(write)
    order.append((version, key))
    if order.count > 2 * registers.count + 64 { order.removeAll { registers[$0.key]?.version != $0.version } }
  }

  /// Forgets the anchor `key`.
  mutating func remove(_ key: PackedKey) {
    guard let old = registers.removeValue(forKey: key) else { return }
    stateBytes -= old.write.kind.byteCount
    digest.subtract(old.write)
  }

  /// Forgets some writes, also of those that wait for their anchors; the anchors of those that stood, in order.
  mutating func removeAll(where isUnwanted: (KindWrite) -> Bool) -> [PackedKey] {
    early = early.filter { !isUnwanted($1) }
    let keys = order.filter { entry in
      registers[entry.key].map { $0.version == entry.version && isUnwanted($0.write) } ?? false
    }.map(\.key)
    for key in keys { remove(key) }
    return keys
  }

  /// The first write after `version` that still stands, and its version.
  func next(after version: UInt64) -> (version: UInt64, write: KindWrite)? {
    var (low, high) = (0, order.count)
    while low < high {
      let middle = (low + high) / 2
      if order[middle].version <= version { low = middle + 1 } else { high = middle }
    }
    while low < order.count {
      if let register = registers[order[low].key], register.version == order[low].version {
        return (register.version, register.write)
      }
      low += 1
    }
    return nil
  }

  // MARK: Early writes

  /// Keeps a write until its anchor arrives.
  ///
  /// Without room all that wait are dropped: the next digest brings them again.
  mutating func wait(_ write: KindWrite, limit: Int) {
    if let waiting = early[write.key], waiting.follows(write) { return }
    if early[write.key] == nil, early.count >= limit { early = [:] }
    early[write.key] = write
  }

  /// The write that waited for the anchor `key`, which has arrived.
  mutating func takeEarly(_ key: Dot) -> KindWrite? { early.removeValue(forKey: key) }
}
