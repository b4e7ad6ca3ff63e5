import WorldModel

/// Matches as pairs of positions, and the poses that they propose and fit.
struct MatchedPoints {
  /// The point of the query and of the map that each match is about.
  let queryPoints: [Int32]
  let mapPoints: [Int32]
  /// Their positions: of the query in its own frame, of the map about its middle (metres); as the matches are sorted.
  let sources: [SIMD3<Float>]
  let targets: [SIMD3<Float>]
  /// The targets by place.
  let grid: PointGrid
  private let mode: AlignmentMode

  /// So many of the best matches propose poses, and count for them.
  private static let (proposing, counting) = (400, 1000)
  /// Distances that must be equal may differ by this much (metres).
  private static let tolerance: Float = 0.04
  /// The least length of a pair, and its least horizontal length where gravity is known (metres).
  private static let (leastLength, leastLevel): (Float, Float) = (0.25, 0.2)
  /// The least area, twice over, of a triangle: nearly on a line, the turn about it is open (square metres).
  private static let leastArea: Float = 0.04
  /// Of more compatible pairs every n-th proposes a pose.
  private static let mostPairs = 4000
  /// Triangles that are made of one pair.
  private static let trianglesOfPair = 2

  init(
    _ matches: [DescriptorMatches.Match], _ query: DescriptorSet, _ map: DescriptorSet, about center: SIMD3<Float>,
    _ mode: AlignmentMode
  ) {
    queryPoints = matches.map(\.query)
    mapPoints = matches.map(\.map)
    sources = queryPoints.map { query.positions[Int($0)] }
    targets = mapPoints.map { map.positions[Int($0)] - center }
    grid = PointGrid(targets, cell: MatchEvidence.reach)
    self.mode = mode
  }

  /// The poses of pairs, or without gravity of triangles, that are as long in the query as in the map.
  ///
  /// Few of the 80,000 pairs of the best matches are, so that no random sampling is needed.
  func proposals() -> [RigidMotion] {
    let count = min(Self.proposing, sources.count)
    var isCompatible = [Bool](repeating: false, count: count * count)
    var pairs: [(Int, Int)] = []
    for first in 0..<count {
      for second in (first + 1)..<max(count, first + 1) where isAlike(first, second) {
        isCompatible[first * count + second] = true
        isCompatible[second * count + first] = true
        pairs.append((first, second))
      }
    }
    let used = min(pairs.count, Self.mostPairs)
    return (0..<used).flatMap { index -> [RigidMotion] in
      let (first, second) = pairs[index * pairs.count / used]
      guard mode == .free else { return upright(first, second).map { [$0] } ?? [] }
      let thirds = (0..<count).filter { isCompatible[first * count + $0] && isCompatible[second * count + $0] }
      let tried = min(thirds.count, Self.trianglesOfPair)
      return (0..<tried).compactMap { triangle(first, second, thirds[(2 * $0 + 1) * thirds.count / (2 * tried)]) }
    }
  }

  /// Whether two matches are as far from each other in the query as in the map, and as much above each other.
  private func isAlike(_ first: Int, _ second: Int) -> Bool {
    let (x, y) = (sources[second] - sources[first], targets[second] - targets[first])
    let length = x.length
    guard length > Self.leastLength, (length - y.length).magnitude < Self.tolerance else { return false }
    return mode == .free || (x.y - y.y).magnitude < Self.tolerance && SIMD2(x.x, x.z).length > Self.leastLevel
  }

  /// The turn about y and the shift that take one pair to the other.
  private func upright(_ first: Int, _ second: Int) -> RigidMotion? {
    let (x, y) = (sources[second] - sources[first], targets[second] - targets[first])
    guard let turn = SIMD2(x.x * y.x + x.z * y.z, x.z * y.x - x.x * y.z).unit else { return nil }
    let motion = RigidMotion(x: [turn.x, 0, -turn.y], y: [0, 1, 0], z: [turn.y, 0, turn.x], offset: .zero)
    let middle = (sources[first] + sources[second]) / 2
    return motion.shifted(by: (targets[first] + targets[second]) / 2 - motion.rotate(middle))
  }

  /// The motion that takes one triangle to the other; nil where it is nearly a line, or they differ.
  private func triangle(_ first: Int, _ second: Int, _ third: Int) -> RigidMotion? {
    let corners = [first, second, third]
    guard let (x, y) = Self.axes(corners.map { sources[$0] }), let (u, v) = Self.axes(corners.map { targets[$0] })
    else {
      return nil
    }
    let (z, w) = (x.cross(y), u.cross(v))
    let image = { (axis: Int) in u * x[axis] + v * y[axis] + w * z[axis] }
    let motion = RigidMotion(x: image(0), y: image(1), z: image(2), offset: .zero)
    let middle = (sources[first] + sources[second] + sources[third]) / 3
    let placed = motion.shifted(
      by: (targets[first] + targets[second] + targets[third]) / 3 - motion.rotate(middle))
    return corners.allSatisfy { (placed.act(on: sources[$0]) - targets[$0]).length < Self.tolerance } ? placed : nil
  }

  /// Two perpendicular directions in the plane of a triangle.
  private static func axes(_ corners: [SIMD3<Float>]) -> (SIMD3<Float>, SIMD3<Float>)? {
    let (a, b) = (corners[1] - corners[0], corners[2] - corners[0])
    let normal = a.cross(b)
    guard normal.length >= leastArea, let x = a.unit, let y = normal.cross(a).unit else { return nil }
    return (x, y)
  }

  /// How many of the best matches a pose brings within `reach` (metres).
  func count(at motion: RigidMotion, within reach: Float) -> Int {
    var count = 0
    let square = reach * reach
    for index in 0..<min(Self.counting, sources.count)
    where (motion.act(on: sources[index]) - targets[index]).lengthSquared < square { count += 1 }
    return count
  }

  /// The pose that fits the matches within `reach` of it, the nearer ones more (Tukey's weights); nil when they are too few.
  func fitted(from motion: RigidMotion, within reach: Float) -> RigidMotion? {
    var pairs: [RigidFit.Pair] = []
    for (source, target) in zip(sources, targets) {
      let square = (motion.act(on: source) - target).lengthSquared / (reach * reach)
      guard square < 1 else { continue }
      pairs.append(RigidFit.Pair(source: source, target: target, weight: (1 - square) * (1 - square)))
    }
    guard pairs.count >= 4, let fit = try? RigidFit(pairs, mode: mode) else { return nil }
    return RigidMotion(fit.transform)
  }

  /// The matches within `reach` of a pose, one a point on both sides: the nearest ones.
  func hits(at motion: RigidMotion, within reach: Float) -> [(index: Int, error: Float)] {
    let near = sources.indices.compactMap { index in
      let error = (motion.act(on: sources[index]) - targets[index]).length
      return error < reach ? (index: index, error: error) : nil
    }
    var (usedQuery, usedMap): (Set<Int32>, Set<Int32>) = ([], [])
    // The nearest match of each point of the query, and of those the nearest of each point of the map.
    return near.sorted { ($0.error, $0.index) < ($1.error, $1.index) }
      .filter { usedQuery.insert(queryPoints[$0.index]).inserted }
      .filter { usedMap.insert(mapPoints[$0.index]).inserted }
  }
}
