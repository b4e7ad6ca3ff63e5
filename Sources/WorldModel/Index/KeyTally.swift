/// Counts how often each of many keys occurs, in their order and in bounded memory.
///
/// All keys are added once for each *stretch* of them. The first stretch is all there are. Once a stretch has more
/// different keys than there is room for, it is cut at the middle one of those that are held, and what lies behind the cut
/// has a turn of its own. A part that was cut off has at least a quarter as many keys as there is room for, so that few
/// turns are needed, whatever the keys and their order: for n different keys at most 4 n / room, and one.
///
///     var tally = KeyTally()
///     while tally.beginStretch() {
///       tally.add(keys)
///       for (key, count) in tally.finishStretch() { … }
///     }
struct KeyTally {
  /// The keys that are held, 16 bytes each: 16 MiB, as much as a block with large descriptors takes.
  static let room = 1 << 20
  /// Keys are below this.
  static let end: UInt128 = 1 << 96

  private let room: Int
  /// How many keys are added before they are put in order.
  private let batch: Int
  /// Keys in their upper 96 bits, and how often they occurred in the lower 32: the order of both is that of the keys.
  private(set) var entries: [UInt128] = []
  /// How many of the entries were put in order before.
  private var folded = 0
  private var lowest: UInt128 = 0
  /// Where the stretches begin that have not had their turn, the next one last.
  private var cuts: [UInt128] = []
  private var hasBegun = false

  /// A tally that holds at most `room` keys, which are at least 4.
  init(room: Int = KeyTally.room) {
    precondition(room >= 4, "a tally needs room")
    self.room = room
    batch = min(65_536, room / 4)
  }

  /// The keys of this stretch; others are passed over.
  var stretch: Range<UInt128> { lowest..<(cuts.last ?? Self.end) }

  /// Begins the next stretch, and returns false when all have had their turn.
  mutating func beginStretch() -> Bool {
    entries.removeAll(keepingCapacity: true)
    folded = 0
    guard hasBegun else {
      hasBegun = true
      return true
    }
    guard let next = cuts.popLast() else { return false }
    lowest = next
    return true
  }

  /// Counts keys, which may be of other stretches too; at most 2³² − 1 in all.
  mutating func add(_ keys: some Sequence<UInt128>) {
    var stretch = stretch
    for key in keys where stretch.contains(key) {
      entries.append(key << 32 | 1)
      guard entries.count - folded == batch else { continue }
      fold()
      stretch = self.stretch
    }
  }

  /// The keys of the stretch in their order, and how often each was added.
  mutating func finishStretch() -> some Sequence<(key: UInt128, count: Int)> {
    join(from: 0)
    return entries.lazy.map { ($0 >> 32, Int($0 & 0xffff_ffff)) }
  }

  /// Makes one entry of equal ones among those that came last; when little room is left, among all, and cuts the stretch.
  private mutating func fold() {
    join(from: folded)
    if entries.count > room - batch {
      join(from: 0)
      if entries.count > room / 2 {
        let middle = entries.count / 2
        cuts.append(entries[middle] >> 32)
        entries.removeSubrange(middle...)
      }
    }
    folded = entries.count
  }

  /// Puts the entries from a place on in order, and makes one of those with equal keys.
  private mutating func join(from start: Int) {
    var end = start
    entries.withUnsafeMutableBufferPointer { entries in
      // In its place: a slice of the array would be a copy. Runs that were put in order before are merged.
      var rest = UnsafeMutableBufferPointer(rebasing: entries[start...])
      rest.sort()
      for entry in rest {
        if end > start, entries[end - 1] >> 32 == entry >> 32 {
          entries[end - 1] += entry & 0xffff_ffff
        } else {
          entries[end] = entry
          end += 1
        }
      }
    }
    entries.removeSubrange(end...)
  }
}
