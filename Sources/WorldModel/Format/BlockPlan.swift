/// Which points go into which block of a file, and in what order.
struct BlockPlan: Sendable {
  /// Where the points of the file stand in the cloud; nil when the file has the cloud's order.
  let order: [UInt32]?
  /// The places in the file that become blocks.
  let blocks: [Range<Int>]

  /// Plans the blocks of `cloud`; within each of them identifiers rise.
  ///
  /// - Throws: ``ModelError/duplicatePoint(_:)``, or ``ModelError/notFinite(_:)`` where positions matter.
  init(_ cloud: FeatureCloud, _ arrangement: EncodingOptions.Arrangement) throws(ModelError) {
    let sorted = try cloud.identifierOrder()
    switch arrangement {
    case .byIdentifier:
      order = sorted
      blocks = Self.consecutive(cloud.identifiers, sorted)
    case .inSpace:
      (order, blocks) = try Self.spatial(cloud, sorted)
    }
  }

  /// Where the points at some places of the file stand in the cloud.
  func indices(_ places: Range<Int>) -> [Int] {
    guard let order else { return Array(places) }
    return order[places].map { Int($0) }
  }
}

extension BlockPlan {
  /// The fewest points of a block that follows the identifiers, but for the last.
  private static let smallestConsecutive = 32 * 1024

  /// Blocks of points with consecutive identifiers.
  ///
  /// A block ends before the point, among those that may come next, whose identifier times an odd constant is the
  /// smallest. So the cuts move with the points: when some are added or removed, the blocks before and, a few blocks
  /// on, those behind stay the same to the byte.
  private static func consecutive(_ identifiers: [UInt64], _ order: [UInt32]?) -> [Range<Int>] {
    var blocks: [Range<Int>] = []
    var start = 0
    while identifiers.count - start > PointsSection.blockSize {
      var end = start + smallestConsecutive
      var least = UInt64.max
      for place in end...(start + PointsSection.blockSize) {
        let identifier = identifiers[order.map { Int($0[place]) } ?? place]
        let hash = identifier &* 0x9E37_79B9_7F4A_7C15
        if hash < least { (least, end) = (hash, place) }
      }
      blocks.append(start..<end)
      start = end
    }
    if start < identifiers.count { blocks.append(start..<identifiers.count) }
    return blocks
  }
}

extension BlockPlan {
  /// The most points of a block in space: about 160 kB of exact positions, within one chunk of a transfer.
  static let largestSpatial = 16 * 1024
  /// The fewest points that a plane may cut off.
  static let smallestSpatial = 4 * 1024

  /// Blocks of points that lie together.
  ///
  /// Space is halved again and again by planes whose places do not depend on the points, until a part has few enough
  /// of them. A plane that would cut off only a few points is passed over, so that outliers stay with what they are
  /// nearest to. So a change in one place changes the blocks there and no others.
  private static func spatial(
    _ cloud: FeatureCloud, _ sorted: [UInt32]?
  ) throws(ModelError) -> (order: [UInt32], blocks: [Range<Int>]) {
    guard cloud.positions.allAreFinite else { throw .notFinite("position") }
    let scale = cellsPerMeter(cloud.positions)
    var keys: [UInt64] = []
    keys.reserveCapacity(cloud.count)
    for place in 0..<cloud.count {
      let position = cloud.positions[sorted.map { Int($0[place]) } ?? place]
      let cell = position * scale + Float(MortonOrder.cells / 2)
      keys.append(UInt64(MortonOrder.code(of: cell)) << 32 | UInt64(place))
    }
    MortonOrder.sort(&keys)
    var blocks: [Range<Int>] = []
    halve(0..<keys.count, keys, into: &blocks)
    return (order(keys, blocks, sorted), blocks)
  }

  /// The places of the points, block by block, in each block in the order of identifiers.
  private static func order(_ keys: [UInt64], _ blocks: [Range<Int>], _ sorted: [UInt32]?) -> [UInt32] {
    var blockOfPlace = [UInt32](repeating: 0, count: keys.count)
    for (number, block) in blocks.enumerated() {
      for key in keys[block] { blockOfPlace[Int(UInt32(truncatingIfNeeded: key))] = UInt32(number) }
    }
    var next = blocks.map(\.lowerBound)
    var order = [UInt32](repeating: 0, count: keys.count)
    for (place, number) in blockOfPlace.enumerated() {
      order[next[Int(number)]] = sorted.map { $0[place] } ?? UInt32(place)
      next[Int(number)] += 1
    }
    return order
  }

  /// Halves the points of `range`, whose keys are sorted, until there are few enough in each part.
  private static func halve(_ range: Range<Int>, _ keys: [UInt64], into blocks: inout [Range<Int>]) {
    guard range.count > largestSpatial else {
      if !range.isEmpty { blocks.append(range) }
      return
    }
    // Where no plane parts them, the points lie in one cell.
    let middle = plane(within: range, keys) ?? range.lowerBound + range.count / 2
    halve(range.lowerBound..<middle, keys, into: &blocks)
    halve(middle..<range.upperBound, keys, into: &blocks)
  }

  /// Where the widest plane that leaves enough points on both sides cuts `range`.
  private static func plane(within range: Range<Int>, _ keys: [UInt64]) -> Int? {
    var crowd = range
    while let first = crowd.first, let last = crowd.last {
      let (lowest, highest) = (keys[first] >> 32, keys[last] >> 32)
      guard lowest != highest else { return nil }
      let bit = UInt64(63 - (lowest ^ highest).leadingZeroBitCount)
      let cut = place(of: (highest >> bit) << bit, in: crowd, keys)
      if cut - range.lowerBound < smallestSpatial {
        crowd = cut..<crowd.upperBound
      } else if range.upperBound - cut < smallestSpatial {
        crowd = crowd.lowerBound..<cut
      } else {
        return cut
      }
    }
    return nil
  }

  /// The first place of `range` whose code is at least `code`, by bisection.
  private static func place(of code: UInt64, in range: Range<Int>, _ keys: [UInt64]) -> Int {
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] >> 32 < code { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The scale of a grid about the origin that holds all but a fiftieth of the points, in cells a metre: a power of two.
  ///
  /// A grid twice as wide has the same planes but for the finest ones, so that a map may grow without being recut.
  private static func cellsPerMeter(_ positions: [SIMD3<Float>]) -> Float {
    var counts = [Int](repeating: 0, count: 256)
    for position in positions {
      let reach = pointwiseMax(position, -position).max()
      counts[Int(reach.bitPattern >> 23)] += 1
    }
    var (beyond, exponent) = (0, 255)
    while exponent > 40, beyond + counts[exponent] <= positions.count / 50 {
      beyond += counts[exponent]
      exponent -= 1
    }
    // A point of this exponent is nearer than 2^(exponent − 126) metres; half of the cells lie on its side.
    return Float(sign: .plus, exponent: 126 + 9 - exponent, significand: 1)
  }
}
