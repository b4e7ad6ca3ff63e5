/// A hash index that stores only slots, in 4 bytes each: the keys stay in the entries it points to.
///
/// Linear probing (Knuth, TAOCP 3, 6.4) at a load of at most one half, with backward shifts instead of marks for what
/// was removed. Twelve bits of the hash beside each slot spare looking at entries that are not meant. No result
/// depends on the order in the table.
package struct SlotIndex: Sendable {
  /// The largest number of slots: 20 bits of a cell.
  static let maximumCount = 1 << 20 - 1

  /// Twelve bits of hash and a slot plus one; 0 is free.
  private var cells: [UInt32] = []
  /// The number of slots in the index.
  package private(set) var count = 0

  /// An empty index.
  package init() {}

  /// The slot whose hash is `hash` and for which `matches` holds; nil when there is none.
  @inline(__always)
  package func find(_ hash: UInt64, _ matches: (Int) -> Bool) -> Int? {
    guard !cells.isEmpty else { return nil }
    let mask = cells.count - 1
    var cell = Int(truncatingIfNeeded: hash) & mask
    let tag = Self.cell(-1, hash)
    while cells[cell] != 0 {
      // Equal tags leave the slot's bits alone.
      if (cells[cell] ^ tag) >> 20 == 0 {
        let slot = Self.slot(cells[cell])
        if matches(slot) { return slot }
      }
      cell = (cell + 1) & mask
    }
    return nil
  }

  /// Adds a slot that is not in the index; `hashOf` gives the hash of every slot that is.
  package mutating func insert(_ slot: Int, hash: UInt64, hashOf: (Int) -> UInt64) {
    if 2 * (count + 1) > cells.count { grow(to: max(16, 2 * cells.count), hashOf) }
    place(Self.cell(slot, hash), hash)
    count += 1
  }

  /// Makes room for `total` slots.
  mutating func reserve(_ total: Int, hashOf: (Int) -> UInt64) {
    var size = max(16, cells.count)
    while size < 2 * total { size *= 2 }
    if size > cells.count { grow(to: size, hashOf) }
  }

  /// Lets the cell of `slot`, which has this hash, point to another slot.
  package mutating func move(_ slot: Int, to other: Int, hash: UInt64) {
    cells[cell(of: slot, hash)] = Self.cell(other, hash)
  }

  /// Takes `slot`, which has this hash, out.
  package mutating func remove(_ slot: Int, hash: UInt64, hashOf: (Int) -> UInt64) {
    let mask = cells.count - 1
    var hole = cell(of: slot, hash)
    var next = (hole + 1) & mask
    while cells[next] != 0 {
      let home = Int(truncatingIfNeeded: hashOf(Self.slot(cells[next]))) & mask
      // A slot may fill the hole unless its home lies behind the hole.
      if (next - home) & mask >= (next - hole) & mask {
        cells[hole] = cells[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    cells[hole] = 0
    count -= 1
  }

  /// Takes all slots out, and keeps the memory unless they used little of it: it is cleared whole.
  package mutating func removeAll() {
    if cells.count > 32 * max(16, count) {
      cells = []
    } else {
      for cell in cells.indices { cells[cell] = 0 }
    }
    count = 0
  }

  /// The slot in a cell; −1 for a free one.
  @inline(__always)
  private static func slot(_ cell: UInt32) -> Int { Int(cell & 0xf_ffff) - 1 }

  /// The cell of a slot with this hash.
  @inline(__always)
  private static func cell(_ slot: Int, _ hash: UInt64) -> UInt32 {
    UInt32(truncatingIfNeeded: hash >> 32) & 0xfff0_0000 | UInt32(truncatingIfNeeded: slot + 1)
  }

  private func cell(of slot: Int, _ hash: UInt64) -> Int {
    let mask = cells.count - 1
    var cell = Int(truncatingIfNeeded: hash) & mask
    while Self.slot(cells[cell]) != slot { cell = (cell + 1) & mask }
    return cell
  }

  private mutating func place(_ value: UInt32, _ hash: UInt64) {
    let mask = cells.count - 1
    var cell = Int(truncatingIfNeeded: hash) & mask
    while cells[cell] != 0 { cell = (cell + 1) & mask }
    cells[cell] = value
  }

  private mutating func grow(to size: Int, _ hashOf: (Int) -> UInt64) {
    let old = cells
    cells = [UInt32](repeating: 0, count: size)
    for value in old where value != 0 { place(value, hashOf(Self.slot(value))) }
  }
}

/// A hash of two words that differs from process to process, so that no peer can choose keys that collide.
package struct SeededHash: Sendable {
  private let seed: UInt64

  /// The seed of this process, as the standard library draws it.
  package init() {
    var hasher = Hasher()
    hasher.combine(0)
    seed = UInt64(bitPattern: Int64(hasher.finalize()))
  }

  /// Two 64 × 64 → 128-bit products, each folded, as in wyhash (Wang Yi).
  @inline(__always)
  package func mix(_ first: UInt64, _ second: UInt64) -> UInt64 {
    let left = (first ^ seed).multipliedFullWidth(by: 0xa076_1d64_78bd_642f)
    let right = (left.high ^ left.low ^ second).multipliedFullWidth(by: 0xe703_7ed1_a0b4_28db)
    return right.high ^ right.low
  }
}
