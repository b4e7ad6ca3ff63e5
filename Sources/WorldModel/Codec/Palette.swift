/// The different Floats of a component that has few of them, as rounded and organised clouds do.
///
/// Their places among the sorted ones are small numbers, whose neighbours are near.
struct Palette: ~Copyable {
  /// A value must occur so often, on average, to be worth its place.
  private static let occurrences = 8
  /// The most values.
  private static let limit = 8191

  /// The bits of the values in the order of the numbers.
  let values: FrameRows
  /// For each element the place of its value.
  private(set) var ranks: FrameRows

  /// The palette of a component, or nil when too few of its elements are equal.
  init?(_ rows: borrowing FrameRows) {
    var ranks = FrameRows(count: rows.count)
    guard let found = Self.collect(rows, to: &ranks) else { return nil }
    let sorted = found.indices.map { UInt64(FloatModel.ordered(found[$0]) ^ 1 << 31) << 32 | UInt64($0) }.sorted()
    var places = [UInt32](repeating: 0, count: found.count)
    for (rank, key) in sorted.enumerated() { places[Int(truncatingIfNeeded: key & 0xffff_ffff)] = UInt32(rank) }
    for element in 0..<rows.count { ranks.address[element] = places[Int(ranks.address[element])] }
    values = FrameRows(sorted.map { found[Int(truncatingIfNeeded: $0 & 0xffff_ffff)] })
    self.ranks = ranks
  }

  /// Collects the different elements, and for each element which of them it is.
  ///
  /// - Returns: The different elements as they came, or nil when they are too many.
  private static func collect(_ rows: borrowing FrameRows, to indices: inout FrameRows) -> [UInt32]? {
    let most = min(rows.count / occurrences, limit)
    // A power of two, at least four times the values and at most 2¹⁵.
    let bits = UInt32.bitWidth - UInt32(4 * most + 1).leadingZeroBitCount
    let slots = 1 << min(bits, 15)
    let shift = UInt32(32 - min(bits, 15))
    var found: [UInt32] = []
    // One more than the index of the element in a slot; zero when it is empty.
    return withUnsafeTemporaryAllocation(of: UInt16.self, capacity: slots) { table in
      table.initialize(repeating: 0)
      for element in 0..<rows.count {
        let value = rows.address[element]
        var slot = Int((value &* 0x9E37_79B1) &>> shift)
        while table[slot] > 0, found[Int(table[slot]) &- 1] != value { slot = (slot &+ 1) & (slots &- 1) }
        if table[slot] == 0 {
          // Half of all elements new from the start on: this is not going to be a palette.
          guard found.count < min(most, 64 + element / 2) else { return nil }
          found.append(value)
          table[slot] = UInt16(found.count)
        }
        indices.address[element] = UInt32(table[slot] &- 1)
      }
      return found
    }
  }

  /// Replaces places by the values.
  ///
  /// - Returns: Whether every place has a value.
  static func restore(_ rows: inout FrameRows, from values: borrowing FrameRows) -> Bool {
    let values = values.elements
    for element in 0..<rows.count {
      let rank = Int(rows.address[element])
      guard rank < values.count else { return false }
      rows.address[element] = values[rank]
    }
    return true
  }
}
