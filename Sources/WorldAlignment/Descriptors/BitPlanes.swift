/// Descriptors by columns: a plane holds one bit of 128 sightings, so that one addition counts for all of them.
///
/// A distance is the number of bits that differ. Counting them word by word takes some 60 instructions for 512 bits, where the
/// processor is only known to have SSE2, which has no population count. Here the bits of 128 sightings that differ from
/// one query are added plane by plane with carry-save adders (Harley and Seal; Warren, "Hacker's Delight", section 5-1), for a
/// tenth of that. The sums stay in columns and begin so high that those of distances from the limit on overflow: once all
/// have, the other planes need not be added.
struct BitPlanes {
  typealias Lanes = SIMD2<UInt64>

  /// The sightings of a block.
  static let block = 128
  /// The planes that are added between two looks at what has overflowed.
  private static let step = 32
  /// So many queries are compared with a block before the next block: their lists stay in the second cache.
  private static let tile = 96

  /// For each block the plane of each bit and its complement in turn, and an empty plane at the end.
  private let planes: [Lanes]
  /// The planes of a block.
  private let stride: Int
  /// The bits that differ somewhere, since the others are in no distance; those that tell most come first.
  private let bits: [Int]
  private let count: Int

  /// The planes of `set`; bits that all sightings of it and of `other` share are left out.
  init(_ set: DescriptorSet, against other: DescriptorSet) {
    let bits = Self.bits(set, other)
    let stride = 2 * bits.count + 1
    let blocks = (set.count + Self.block - 1) / Self.block
    var planes = [Lanes](repeating: .zero, count: blocks * stride)
    for half in 0..<((set.count + 63) / 64) {
      let sightings = (64 * half)..<min(64 * half + 64, set.count)
      for word in 0..<set.width {
        let columns = Self.transposed(sightings.map { set.words[$0 * set.width + word] })
        for (place, bit) in bits.enumerated() where bit / 64 == word {
          planes[half / 2 * stride + 2 * place][half % 2] = columns[bit % 64]
        }
      }
    }
    for index in planes.indices where index % stride % 2 == 1 { planes[index] = ~planes[index - 1] }
    (self.bits, self.planes, self.stride, count) = (bits, planes, stride, set.count)
  }

  /// The bits that not all sightings share, the ones first that are set in half of the sightings of `set`.
  private static func bits(_ set: DescriptorSet, _ other: DescriptorSet) -> [Int] {
    let width = set.width
    var (ones, zeros) = ([UInt64](repeating: 0, count: width), [UInt64](repeating: 0, count: width))
    for words in [set.words, other.words] {
      for (index, word) in words.enumerated() {
        ones[index % width] |= word
        zeros[index % width] |= ~word
      }
    }
    var often = [Int](repeating: 0, count: 64 * width)
    // A sample tells enough: the order changes the time alone.
    let samples = Swift.stride(from: 0, to: set.count, by: max(1, set.count / 256))
    for sighting in samples {
      for bit in often.indices where set.words[sighting * width + bit / 64] >> UInt64(bit % 64) & 1 == 1 {
        often[bit] += 1
      }
    }
    let half = samples.underestimatedCount / 2
    return often.indices.filter { (ones[$0 / 64] & zeros[$0 / 64]) >> UInt64($0 % 64) & 1 == 1 }
      .sorted { ((often[$0] - half).magnitude, $0) < ((often[$1] - half).magnitude, $1) }
  }

  /// The columns of a matrix of up to 64 rows of bits: halves of ever smaller squares change places ("Hacker's Delight",
  /// section 7-3).
  private static func transposed(_ rows: [UInt64]) -> [UInt64] {
    var matrix = rows + [UInt64](repeating: 0, count: 64 - rows.count)
    var (size, mask): (Int, UInt64) = (32, 0x0000_0000_ffff_ffff)
    while size > 0 {
      for row in 0..<64 where row & size == 0 {
        let change = (matrix[row] >> UInt64(size) ^ matrix[row | size]) & mask
        matrix[row] ^= change << UInt64(size)
        matrix[row | size] ^= change
      }
      size /= 2
      mask ^= mask << UInt64(size)
    }
    return matrix
  }

  /// Calls `body` with every pair of a sighting of `queries` and one of the set whose distance is below `limit`.
  func forEachPair(_ queries: DescriptorSet, below limit: Int, _ body: (_ query: Int, _ sighting: Int) -> Void) {
    guard limit > 0 else { return }
    let size = MemoryLayout<Lanes>.stride
    let length = (bits.count + Self.step - 1) / Self.step * Self.step
    // Which planes differ from each query: the plane itself where its bit is 0, else the complement. As offsets in bytes.
    var lists = [UInt32](repeating: UInt32((stride - 1) * size), count: length * Self.tile)
    for tile in Swift.stride(from: 0, to: queries.count, by: Self.tile) {
      let members = min(Self.tile, queries.count - tile)
      for member in 0..<members {
        let first = (tile + member) * queries.width
        for (place, bit) in bits.enumerated() {
          let isSet = queries.words[first &+ bit / 64] &>> UInt64(bit % 64) & 1
          lists[member &* length &+ place] = UInt32(truncatingIfNeeded: (2 &* place &+ Int(isSet)) &* size)
        }
      }
      planes.withUnsafeBytes { planes in
        lists.withUnsafeBufferPointer { lists in
          guard let planes = planes.baseAddress, let lists = lists.baseAddress else { return }
          for first in Swift.stride(from: 0, to: count, by: Self.block) {
            let plane = planes + first / Self.block * stride * size
            for member in 0..<members {
              let near = Self.near(plane, lists + member * length, length, below: limit)
              guard near != .zero else { continue }
              for half in 0..<2 {
                var rest = near[half]
                while rest != 0 {
                  let sighting = first + 64 * half + rest.trailingZeroBitCount
                  rest &= rest &- 1
                  if sighting < count { body(tile + member, sighting) }
                }
              }
            }
          }
        }
      }
    }
  }

  /// The lanes in which fewer than `limit` of the chosen planes are set.
  @inline(__always)
  private static func near(
    _ plane: UnsafeRawPointer, _ list: UnsafePointer<UInt32>, _ length: Int, below limit: Int
  ) -> Lanes {
    // The digits of the sums from 32 on; one that overflows the last has reached the limit.
    let digits = max(0, Int.bitWidth - (limit - 1).leadingZeroBitCount - 5)
    let start = (32 << digits) - limit
    let digit = { (bit: Int) in Lanes(repeating: start >> bit & 1 == 1 ? .max : 0) }
    var (ones, twos, fours, eights, sixteens) = (digit(0), digit(1), digit(2), digit(3), digit(4))
    var sums: [9 of Lanes] = .init(repeating: .zero)
    for index in 0..<digits { sums[index] = digit(5 + index) }
    var over = Lanes.zero
    var index = 0
    while index < length {
      let low = add16(plane, list + index, &ones, &twos, &fours, &eights)
      let high = add16(plane, list + index + 16, &ones, &twos, &fours, &eights)
      var carry = add2(&sixteens, low, high)
      for digit in 0..<digits {
        let sum = sums[digit]
        sums[digit] = sum ^ carry
        carry &= sum
      }
      over |= carry
      if over == Lanes(repeating: .max) { break }
      index += step
    }
    return ~over
  }

  /// Adds 16 of the chosen planes to a sum of four digits; gives the carry.
  @inline(__always)
  private static func add16(
    _ plane: UnsafeRawPointer, _ at: UnsafePointer<UInt32>, _ ones: inout Lanes, _ twos: inout Lanes,
    _ fours: inout Lanes, _ eights: inout Lanes
  ) -> Lanes {
    let low = add8(plane, at, &ones, &twos, &fours)
    return add2(&eights, low, add8(plane, at + 8, &ones, &twos, &fours))
  }

  /// Adds eight of the chosen planes to a sum of three digits; gives the carry.
  @inline(__always)
  private static func add8(
    _ plane: UnsafeRawPointer, _ at: UnsafePointer<UInt32>, _ ones: inout Lanes, _ twos: inout Lanes,
    _ fours: inout Lanes
  ) -> Lanes {
    let a = add2(&ones, lanes(plane, at[0]), lanes(plane, at[1]))
    let b = add2(&ones, lanes(plane, at[2]), lanes(plane, at[3]))
    let c = add2(&twos, a, b)
    let d = add2(&ones, lanes(plane, at[4]), lanes(plane, at[5]))
    let e = add2(&ones, lanes(plane, at[6]), lanes(plane, at[7]))
    return add2(&fours, c, add2(&twos, d, e))
  }

  @inline(__always)
  private static func lanes(_ plane: UnsafeRawPointer, _ offset: UInt32) -> Lanes {
    plane.load(fromByteOffset: Int(offset), as: Lanes.self)
  }

  /// Adds two planes to a sum of one digit; gives the carry.
  @inline(__always)
  private static func add2(_ sum: inout Lanes, _ a: Lanes, _ b: Lanes) -> Lanes {
    let half = a ^ b
    let carry = (a & b) | (sum & half)
    sum ^= half
    return carry
  }
}
