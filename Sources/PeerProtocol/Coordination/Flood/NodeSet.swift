/// A set of small numbers below 256, the slots of nodes in a ``PresenceGraph``; it never allocates.
package struct NodeSet: Equatable, Sendable {
  /// The number of slots.
  package static let capacity = 256

  // Four words and not one vector, for the reason given at `SHA256Digest`.
  private var first: UInt64 = 0
  private var second: UInt64 = 0
  private var third: UInt64 = 0
  private var fourth: UInt64 = 0

  /// The empty set.
  package init() {}

  /// Whether nothing is in it.
  package var isEmpty: Bool { first | second | third | fourth == 0 }

  /// The number of slots in it.
  package var count: Int { (0..<4).reduce(0) { $0 + self[$1].nonzeroBitCount } }

  /// Whether `slot` is in it.
  package func contains(_ slot: Int) -> Bool {
    self[slot >> 6] & 1 << UInt64(slot & 63) != 0
  }

  /// Adds `slot`.
  package mutating func insert(_ slot: Int) {
    self[slot >> 6] |= 1 << UInt64(slot & 63)
  }

  /// Takes `slot` out.
  package mutating func remove(_ slot: Int) {
    self[slot >> 6] &= ~(1 << UInt64(slot & 63))
  }

  /// Takes the smallest slot out; nil if the set is empty.
  package mutating func popFirst() -> Int? {
    for index in 0..<4 where self[index] != 0 {
      let bit = self[index].trailingZeroBitCount
      self[index] &= self[index] - 1
      return index << 6 | bit
    }
    return nil
  }

  /// The nodes in either.
  package func union(_ other: Self) -> Self { combined(with: other, |) }

  /// The nodes in both.
  package func intersection(_ other: Self) -> Self { combined(with: other, &) }

  /// The nodes in this set and not in the other.
  package func subtracting(_ other: Self) -> Self { combined(with: other) { $0 & ~$1 } }

  private func combined(with other: Self, _ combine: (UInt64, UInt64) -> UInt64) -> Self {
    var result = Self()
    result.first = combine(first, other.first)
    result.second = combine(second, other.second)
    result.third = combine(third, other.third)
    result.fourth = combine(fourth, other.fourth)
    return result
  }

  private subscript(index: Int) -> UInt64 {
    get {
      switch index {
      case 0: first
      case 1: second
      case 2: third
      default: fourth
      }
    }
    set {
      switch index {
      case 0: first = newValue
      case 1: second = newValue
      case 2: third = newValue
      default: fourth = newValue
      }
    }
  }
}
