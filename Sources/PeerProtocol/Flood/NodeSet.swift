/// A set of small numbers below 256, the places of nodes in a ``PresenceGraph``; it never allocates.
package struct NodeSet: Hashable, Sendable {
  /// The number of places.
  package static let capacity = 256

  private var words = SIMD4<UInt64>.zero

  /// The empty set.
  package init() {}

  /// Whether nothing is in it.
  package var isEmpty: Bool { words == .zero }

  /// The number of places in it.
  package var count: Int { (0..<4).reduce(0) { $0 + words[$1].nonzeroBitCount } }

  /// Whether `place` is in it.
  package func contains(_ place: Int) -> Bool {
    words[place >> 6] & 1 << UInt64(place & 63) != 0
  }

  /// Adds `place`.
  package mutating func insert(_ place: Int) {
    words[place >> 6] |= 1 << UInt64(place & 63)
  }

  /// Takes `place` out.
  package mutating func remove(_ place: Int) {
    words[place >> 6] &= ~(1 << UInt64(place & 63))
  }

  /// Takes the smallest place out; nil if the set is empty.
  package mutating func popFirst() -> Int? {
    for index in 0..<4 where words[index] != 0 {
      let bit = words[index].trailingZeroBitCount
      words[index] &= words[index] - 1
      return index << 6 | bit
    }
    return nil
  }

  /// What is in either.
  package func union(_ other: Self) -> Self { Self(words | other.words) }

  /// What is in both.
  package func intersection(_ other: Self) -> Self { Self(words & other.words) }

  /// What is in this set and not in the other.
  package func subtracting(_ other: Self) -> Self { Self(words & ~other.words) }

  private init(_ words: SIMD4<UInt64>) {
    self.words = words
  }
}
