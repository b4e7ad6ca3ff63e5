/// Descriptors by columns: a plane holds one bit of 128 sightings, so that one addition counts for all of them.
///
/// A distance is the number of bits that differ. Counting them word by word takes some 60 instructions for 512 bits, where the
/// processor is only known to have SSE2, which has no population count. Here the bits of 128 sightings that differ from
/// one query are added plane by plane with carry-save adders (Harley and Seal; Warren, "Hacker's Delight", section 5-1), for a
/// third of that. The sums stay in columns, and one comparison tells which of the 128 are near.
struct BitPlanes {
  typealias Lanes = SIMD2<UInt64>

  /// The sightings of a block.
  static let block = 128
  /// The sums have this many bits: 512 bytes have 4,096.
  private static let digits = 13

  /// For each block the plane of each bit and its complement in turn, and an empty plane at the end.
  private let planes: [Lanes]
  /// The planes of a block.
  private let stride: Int
  /// The bits that differ somewhere: the others are in no distance.
  private let bits: [Int]
  private let count: Int

  /// The planes of `set`; bits that all sightings of it and of `other` share are left out.
  init(_ set: DescriptorSet, against other: DescriptorSet) {
    let width = set.width
    var (ones, zeros) = ([UInt64](repeating: 0, count: width), [UInt64](repeating: 0, count: width))
    for words in [set.words, other.words] {
      for (index, word) in words.enumerated() {
        ones[index % width] |= word
        zeros[index % width] |= ~word
      }
    }
    let bits = (0..<(64 * width)).filter { (ones[$0 / 64] & zeros[$0 / 64]) >> UInt64($0 % 64) & 1 == 1 }
    self.bits = bits
    count = set.count
    let stride = 2 * bits.count + 1
    self.stride = stride
    let blocks = (set.count + Self.block - 1) / Self.block
    var planes = [Lanes](repeating: .zero, count: blocks * stride)
    for sighting in 0..<set.count {
      let (base, lane) = (sighting / Self.block * stride, sighting % Self.block)
      for (place, bit) in bits.enumerated() where set.words[sighting * width + bit / 64] >> UInt64(bit % 64) & 1 == 1 {
        planes[base + 2 * place][lane / 64] |= 1 << UInt64(lane % 64)
      }
    }
    for index in planes.indices where index % stride % 2 == 1 { planes[index] = ~planes[index - 1] }
    self.planes = planes
  }

  /// Calls `body` with every pair of a sighting of `queries` and one of the set whose distance is below `limit`.
  func forEachPair(_ queries: DescriptorSet, below limit: Int, _ body: (_ query: Int, _ sighting: Int) -> Void) {
    let width = queries.width
    let length = (bits.count + 15) / 16 * 16
    // Which planes differ from each query: the plane itself where its bit is 0, else the complement. As offsets in bytes.
    let size = MemoryLayout<Lanes>.stride
    var chosen = [UInt32](repeating: UInt32((stride - 1) * size), count: length * queries.count)
    for query in 0..<queries.count {
      for (place, bit) in bits.enumerated() {
        let isSet = queries.words[query * width + bit / 64] >> UInt64(bit % 64) & 1
        chosen[query * length + place] = UInt32((2 * place + Int(isSet)) * size)
      }
    }
    planes.withUnsafeBytes { planes in
      chosen.withUnsafeBufferPointer { chosen in
        for first in Swift.stride(from: 0, to: count, by: Self.block) {
          let plane = planes.baseAddress.map { $0 + first / Self.block * stride * size }
          for query in 0..<queries.count {
            guard let plane, let list = chosen.baseAddress.map({ $0 + query * length }) else { return }
            let near = Self.near(plane, list, length, below: limit)
            guard near != .zero else { continue }
            for half in 0..<2 {
              var rest = near[half]
              while rest != 0 {
                let sighting = first + 64 * half + rest.trailingZeroBitCount
                rest &= rest &- 1
                if sighting < count { body(query, sighting) }
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
    var (ones, twos, fours, eights) = (Lanes.zero, Lanes.zero, Lanes.zero, Lanes.zero)
    var sums: [9 of Lanes] = .init(repeating: .zero)
    var index = 0
    while index < length {
      let low = add8(plane, list + index, &ones, &twos, &fours)
      let high = add8(plane, list + index + 8, &ones, &twos, &fours)
      var carry = add2(&eights, low, high)
      // Of 16 the rest is counted in ordinary binary.
      var digit = 0
      while carry != .zero, digit < 9 {
        let sum = sums[digit]
        sums[digit] = sum ^ carry
        carry &= sum
        digit += 1
      }
      index += 16
    }
    var (less, equal) = (Lanes.zero, ~Lanes.zero)
    for digit in (0..<digits).reversed() {
      let sum =
        switch digit {
        case 0: ones
        case 1: twos
        case 2: fours
        case 3: eights
        default: sums[digit - 4]
        }
      if limit >> digit & 1 == 1 {
        less |= equal & ~sum
        equal &= sum
      } else {
        equal &= ~sum
      }
    }
    return less
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
