import WorldModel

/// The case for a pose by the points that look alike and meet there.
///
/// A count of them does not tell: in the trials of a prototype wrong poses brought up to 42 matches together, and right ones
/// began with 19. So the count is compared with what chance gives at that very pose.
struct MatchEvidence {
  /// The matches that meet, one a point on both sides, and how far from each other they are (metres).
  let hits: [(index: Int, error: Float)]
  /// −log₁₀ of the probability of so many hits if every match pointed at the place of another match of the map, taken at
  /// random: Chernoff's bound for a Poisson distribution.
  let tail: Double
  /// The hits beyond those of chance.
  let excess: Double
  /// The cells of 25 cm in which hits are.
  let cells: Int
  /// How well the hits determine the orientation: one standard deviation (radians), of the turn about y where gravity is known,
  /// else about the worst axis.
  let deviation: Double

  /// The distance within which two points meet (metres): two sessions' points of one feature are 1 to 3.5 cm apart.
  static let reach: Float = 0.06
  private static let cell: Float = 0.25

  /// The bounds of a pose that is accepted, which a prototype gave.
  ///
  /// Its tails of made-up negatives were at most 4.2, and 2.7 of pairs of real maps of other places.
  static let (leastTail, leastLead, leastCells): (Double, Double, Int) = (5.5, 2, 4)
  /// The lead must also be this share of the tail: a floor of equal tiles fits hundreds of matches at each of many shifts, and
  /// the bounds of the prototype accepted 23 of 750 pairs of maps that had nothing but such a floor in common. It does not
  /// suffice: with it 10 of 300 others were accepted.
  static let leastShare = 0.3
  /// 2°, in radians.
  static let mostDeviation = 0.034_906_585

  /// - Parameter grid: The targets of all matches.
  init(_ matched: MatchedPoints, at motion: RigidMotion, _ grid: PointGrid, _ mode: AlignmentMode) {
    hits = matched.hits(at: motion, within: Self.reach)
    let sources = hits.map { matched.sources[$0.index] }
    cells = Set(sources.map { SIMD3<Int32>(clamping: ($0 / Self.cell).rounded(.down)) }).count
    let expected = Self.expected(matched, at: motion, grid)
    excess = Double(hits.count) - expected
    tail = Self.tail(of: hits.count, expected: expected)
    deviation = Self.deviation(sources, hits.map(\.error), mode)
  }

  /// How many hits chance gives at a pose: where matches of the map crowd, they are cheap.
  private static func expected(_ matched: MatchedPoints, at motion: RigidMotion, _ grid: PointGrid) -> Double {
    var matches: [Int32: (count: Int, index: Int)] = [:]
    for (index, point) in matched.queryPoints.enumerated() {
      matches[point] = ((matches[point]?.count ?? 0) + 1, index)
    }
    var sum = 0.0
    // In the order of the points: a sum of fractions depends on its order.
    for (_, match) in matches.sorted(by: { $0.key < $1.key }) {
      let place = motion.act(on: matched.sources[match.index])
      var near = 0
      grid.forEachRun(around: place, reach: reach) { run in
        for slot in run where (grid.points[slot] - place).lengthSquared <= reach * reach { near += 1 }
      }
      sum += min(Double(match.count) * (Double(near) + 0.5) / Double(matched.sources.count), 0.9)
    }
    return sum
  }

  private static func tail(of count: Int, expected: Double) -> Double {
    let n = Double(count)
    guard n > expected, expected > 0 else { return 0 }
    return (n * (n / expected).naturalLogarithm - n + expected) / 2.302_585_093
  }

  private static func deviation(_ sources: [SIMD3<Float>], _ errors: [Float], _ mode: AlignmentMode) -> Double {
    guard sources.count > 2 else { return .infinity }
    let middle = sources.mean
    var equations = NormalEquations()
    for source in sources { equations.addPoint(arm: source - middle, gap: .zero, weight: 1) }
    let information = equations.symmetric(isLevel: false)
    let spin = (0..<9).map { information[$0 / 3 * 6 + $0 % 3] }
    let least = mode == .gravity ? spin[4] : SymmetricEigen(spin, size: 3).values[2]
    let squares = errors.reduce(0) { $0 + Double($1) * Double($1) }
    return (squares / Double(max(1, 3 * sources.count - 6)) / max(least, 1e-9)).squareRoot()
  }

  /// The figures relative to the least ones of a pose that is accepted; `rival` is the tail of the best pose elsewhere.
  private func margins(rival: Double) -> (tail: Double, others: Double) {
    let others = min(
      (tail - rival) / max(Self.leastLead, Self.leastShare * tail), Double(cells) / Double(Self.leastCells),
      Self.mostDeviation / max(deviation, 1e-6))
    return (tail / Self.leastTail, max(0, others))
  }

  /// How clear the case is, 0–1; from 0.5 on all bounds are passed.
  func confidence(rival: Double) -> Float {
    let (tail, others) = margins(rival: rival)
    let least = min(tail, others)
    return Float(least / (1 + least))
  }

  func state(rival: Double) -> Relocalization.State {
    let (tail, others) = margins(rival: rival)
    if tail < 1 { return .limited(.littleOverlap) }
    return others < 1 ? .limited(.ambiguous) : .normal
  }
}
