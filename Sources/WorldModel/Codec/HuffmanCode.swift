/// Code words of at most eleven bits for bytes, shorter ones for more frequent bytes.
///
/// The lengths are Huffman's, computed in whole numbers, so that the same counts give the same code on every machine.
/// The words follow from the lengths as in RFC 1951, section 3.2.2.
enum HuffmanCode {
  /// The most bits of a code word.
  static let longest = 11
  /// The number of different bytes.
  static let symbols = 256

  /// Finds the length of each byte's code word; zero for bytes that do not occur.
  ///
  /// - Parameters:
  ///   - counts: How often each byte occurs, below 2²⁴; at least two do.
  ///   - lengths: Memory for 256 lengths.
  static func assign(_ counts: UnsafePointer<UInt32>, to lengths: UnsafeMutablePointer<UInt8>) {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 2 * symbols) { leaves in
      guard let leaves = leaves.baseAddress else { return }
      lengths.update(repeating: 0, count: symbols)
      let count = sort(counts, to: leaves)
      merge(leaves, count, to: lengths)
      limit(leaves, count, lengths)
    }
  }

  /// Writes the bytes that occur in the order of their counts, each with its count in the high 24 bits.
  ///
  /// - Parameter leaves: Memory for twice 256 numbers; the second half is overwritten.
  /// - Returns: How many occur.
  private static func sort(_ counts: UnsafePointer<UInt32>, to leaves: UnsafeMutablePointer<UInt32>) -> Int {
    var count = 0
    var most: UInt32 = 0
    for symbol in 0..<symbols {
      leaves[count] = counts[symbol] &<< 8 | UInt32(truncatingIfNeeded: symbol)
      count &+= counts[symbol] > 0 ? 1 : 0
      most |= counts[symbol]
    }
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { starts in
      for shift in stride(from: UInt32(8), to: 32, by: 8) where most &>> (shift &- 8) > 0 {
        starts.initialize(repeating: 0)
        for leaf in 0..<count { starts[Int(leaves[leaf] &>> shift & 255)] &+= 1 }
        var start = 0
        for digit in 0..<256 { (starts[digit], start) = (start, start &+ starts[digit]) }
        for leaf in 0..<count {
          let digit = Int(leaves[leaf] &>> shift & 255)
          leaves[symbols &+ starts[digit]] = leaves[leaf]
          starts[digit] &+= 1
        }
        leaves.update(from: leaves + symbols, count: count)
      }
    }
    return count
  }

  /// Joins the two rarest again and again; a byte's code word is as long as its way to the last joint.
  private static func merge(_ leaves: UnsafePointer<UInt32>, _ count: Int, to lengths: UnsafeMutablePointer<UInt8>) {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 3 * symbols) { memory in
      guard let weights = memory.baseAddress else { return }
      // Parents of the leaves, then those of the joints.
      let parents = weights + symbols
      var (leaf, joint) = (0, 0)
      for made in 0..<(count - 1) {
        var weight: UInt32 = 0
        for _ in 0..<2 {
          if leaf < count, joint == made || leaves[leaf] &>> 8 <= weights[joint] {
            weight &+= leaves[leaf] &>> 8
            parents[leaf] = UInt32(truncatingIfNeeded: made)
            leaf &+= 1
          } else {
            weight &+= weights[joint]
            parents[symbols &+ joint] = UInt32(truncatingIfNeeded: made)
            joint &+= 1
          }
        }
        weights[made] = weight
      }
      // From here on the weights are depths.
      weights[count - 2] = 0
      for made in stride(from: count - 3, through: 0, by: -1) {
        weights[made] = weights[Int(parents[symbols &+ made])] &+ 1
      }
      for leaf in 0..<count {
        let depth = Int(weights[Int(parents[leaf])]) &+ 1
        lengths[Int(leaves[leaf] & 255)] = UInt8(truncatingIfNeeded: min(depth, longest))
      }
    }
  }

  /// Makes rare bytes' words longer until there is room for all, and frequent ones' shorter until none is left.
  private static func limit(_ leaves: UnsafePointer<UInt32>, _ count: Int, _ lengths: UnsafeMutablePointer<UInt8>) {
    // A word of n bits takes 2^(11 − n) of the 2^11 places.
    var room = 1 << longest
    for leaf in 0..<count { room &-= 1 &<< (longest &- Int(lengths[Int(leaves[leaf] & 255)])) }
    var rarest = 0
    while room < 0 {
      let symbol = Int(leaves[rarest] & 255)
      if Int(lengths[symbol]) < longest {
        lengths[symbol] += 1
        room &+= 1 &<< (longest &- Int(lengths[symbol]))
      } else {
        rarest += 1
      }
    }
    // While there is room, a word that takes no more exists: the places of all words larger than it are a multiple of
    // the next power of two, and the room is not.
    for leaf in stride(from: count - 1, through: 0, by: -1) {
      let symbol = Int(leaves[leaf] & 255)
      while room > 0, 1 &<< (longest &- Int(lengths[symbol])) <= room {
        room &-= 1 &<< (longest &- Int(lengths[symbol]))
        lengths[symbol] -= 1
      }
    }
    // A decoder relies on it: every eleven bits begin a word.
    assert(room == 0, "the code has gaps")
  }

  /// Calls `body` for each byte that has a code word, in the order of the words.
  @inline(__always)
  static func forEachInOrder(_ lengths: UnsafePointer<UInt8>, _ body: (_ symbol: Int, _ length: Int) -> Void) {
    withUnsafeTemporaryAllocation(of: UInt16.self, capacity: symbols + longest + 2) { memory in
      guard let order = memory.baseAddress else { return }
      let starts = order + symbols
      starts.update(repeating: 0, count: longest + 2)
      for symbol in 0..<symbols { starts[Int(lengths[symbol]) &+ 1] &+= 1 }
      for length in 1...(longest + 1) { starts[length] &+= starts[length &- 1] }
      let absent = Int(starts[1])
      for symbol in 0..<symbols {
        let place = starts[Int(lengths[symbol])]
        order[Int(place)] = UInt16(truncatingIfNeeded: symbol)
        starts[Int(lengths[symbol])] = place &+ 1
      }
      for place in absent..<symbols { body(Int(order[place]), Int(lengths[Int(order[place])])) }
    }
  }
}
