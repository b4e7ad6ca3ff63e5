package import Basics

/// A set of chunk numbers, one bit each.
package struct ChunkSet: Sendable, Equatable {
  /// Numbers from 0 to below this one may be members.
  package let capacity: Int
  /// No words until there is a member: announced maps may have many chunks and cost the announcer little.
  private var words: [UInt64] = []

  /// No chunk of `capacity`.
  package init(capacity: Int) {
    self.capacity = capacity
  }

  /// Every chunk of `capacity`.
  package static func all(_ capacity: Int) -> ChunkSet {
    var set = ChunkSet(capacity: capacity)
    set.allocate()
    for index in set.words.indices {
      let rest = capacity - 64 * index
      set.words[index] = rest < 64 ? (1 << UInt64(rest)) - 1 : .max
    }
    return set
  }

  package static func == (left: ChunkSet, right: ChunkSet) -> Bool {
    guard left.capacity == right.capacity else { return false }
    if left.words.isEmpty || right.words.isEmpty { return left.isEmpty && right.isEmpty }
    return left.words == right.words
  }

  private mutating func allocate() {
    if words.isEmpty { words = Array(repeating: 0, count: (capacity + 63) / 64) }
  }

  /// Whether no chunk is a member.
  package var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

  /// The number of members.
  package var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

  package func contains(_ chunk: Int) -> Bool {
    !words.isEmpty && chunk >= 0 && chunk < capacity && words[chunk / 64] >> UInt64(chunk % 64) & 1 == 1
  }

  package mutating func insert(_ chunk: Int) {
    assert((0..<capacity).contains(chunk), "no chunk of this content")
    allocate()
    words[chunk / 64] |= 1 << UInt64(chunk % 64)
  }

  package mutating func remove(_ chunk: Int) {
    guard !words.isEmpty else { return }
    words[chunk / 64] &= ~(1 << UInt64(chunk % 64))
  }

  /// The first member at `start` or after it, and round from 0, that is also in `other`; nil of `other` means all.
  package func first(from start: Int, alsoIn other: ChunkSet?) -> Int? {
    guard !words.isEmpty, other?.words.isEmpty != true else { return nil }
    let home = start / 64 % words.count
    let early: UInt64 = (1 << UInt64(start % 64)) - 1
    for step in 0...words.count {
      let index = (home + step) % words.count
      var word = words[index] & (other.map { $0.words[index] } ?? .max)
      // The home word is looked at twice: first its end, and last of all its beginning.
      if step == 0 { word &= ~early } else if step == words.count { word &= early }
      if word != 0 { return 64 * index + word.trailingZeroBitCount }
    }
    return nil
  }

  /// Bit *i* of byte *j* says whether chunk 8 *j* + *i* is a member; as many bytes as that takes.
  package func write(to writer: inout ByteWriter) {
    for index in 0..<(capacity + 7) / 8 {
      let word = words.isEmpty ? 0 : words[index / 8]
      writer.write(UInt8(truncatingIfNeeded: word >> UInt64(8 * (index % 8))))
    }
  }

  /// Reads the bits of `capacity` chunks; bits beyond it must be zero.
  package init(reading reader: inout ByteReader, capacity: Int) throws(DecodingFailure) {
    self.init(capacity: capacity)
    allocate()
    let start = reader.offset
    for index in 0..<(capacity + 7) / 8 {
      words[index / 8] |= UInt64(try reader.readByte()) << UInt64(8 * (index % 8))
    }
    if capacity % 64 != 0, let last = words.last, last >> UInt64(capacity % 64) != 0 {
      throw .invalid("a chunk beyond the last", offset: start)
    }
  }
}
