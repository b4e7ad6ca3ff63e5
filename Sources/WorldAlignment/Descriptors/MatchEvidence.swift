import WorldModel

/// The case for a pose by the points that look alike and meet there.
///
/// A count of them does not tell: in the trials of a prototype wrong poses brought up to 42 matches together, and right ones
/// began with 19. So the count is compared with what chance gives at that very pose. Only distinct matches are counted for
/// the pose: chance does not place the corners of equal tiles, or the parts of equal chairs, and nothing tells which of
/// them a match is about. Against it, by poses elsewhere, all matches count.
struct MatchEvidence {
  /// The distinct matches that meet, one a point on both sides, and how far from each other they are (metres).
  let hits: [(index: Int, error: Float)]
  /// −log₁₀ of the probability of so many hits if every match pointed at the place of another match of the map, taken at
  /// random: Chernoff's bound for a Poisson distribution.
  let tail: Double
  /// The same for all matches.
  let tailOfAll: Double
  /// The hits beyond those of chance.
  let excess: Double
  /// The cells of 25 cm in which hits are.
  let cells: Int
  /// How well the hits determine the orientation: one standard deviation (radians), of the turn about y where gravity is known,
  /// else about the worst axis.
  let deviation: Double

  /// The decision on a pose.
  struct Verdict {
    let state: Relocalization.State
    /// How clear the case is, 0–1; from 0.5 on all bounds are passed.
    let confidence: Float
  }

  /// The distance within which two points meet (metres): two sessions' points of one feature are 1 to 3.5 cm apart.
  static let reach: Float = 0.06
  private static let cell: Float = 0.25

  /// The least tail of a pose that is accepted, and the cells that its hits are in at least.
  ///
  /// A prototype gave both, whose tails were at most 4.2 for made-up negatives, and 2.7 for real maps of other places.
  private static let (leastTail, leastCells): (Double, Double) = (5.5, 4)
  /// A pose that is accepted has this many times the tail of any pose elsewhere.
  private static let leastLead = 2.0
  /// 2°, in radians.
  private static let mostDeviation = 0.034_906_585

  /// - Parameters:
  ///   - distinct: The distinct ones of the matches.
  ///   - all: All matches.
  init(_ distinct: MatchedPoints, _ all: MatchedPoints, at motion: RigidMotion, _ mode: AlignmentMode) {
    hits = distinct.hits(at: motion, within: Self.reach)
    let sources = hits.map { distinct.sources[$0.index] }
    cells = Set(sources.map { SIMD3<Int32>(clamping: ($0 / Self.cell).rounded(.down)) }).count
    let expected = Self.expected(distinct, at: motion)
    excess = Double(hits.count) - expected
    tail = Self.tail(of: hits.count, expected: expected)
    tailOfAll = Self.tail(
      of: all.hits(at: motion, within: Self.reach).count, expected: Self.expected(all, at: motion))
    deviation = Self.deviation(sources, hits.map(\.error), mode)
  }

  /// How many hits chance gives at a pose: where matches of the map crowd, they are cheap.
  private static func expected(_ matched: MatchedPoints, at motion: RigidMotion) -> Double {
    let grid = matched.grid
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

  /// The decision, given what all poses elsewhere bring together.
  func verdict(against others: [MatchEvidence]) -> Verdict {
    let least = 1e-6
    let lead = min(
      tail / max(others.map(\.tail).max() ?? 0, least), tailOfAll / max(others.map(\.tailOfAll).max() ?? 0, least))
    let clarity = min(
      lead / Self.leastLead, Double(cells) / Self.leastCells, Self.mostDeviation / max(deviation, least))
    let margin = min(tail / Self.leastTail, clarity)
    let state: Relocalization.State =
      margin >= 1 ? .normal : .limited(tail < Self.leastTail ? .littleOverlap : .ambiguous)
    return Verdict(state: state, confidence: Float(margin / (1 + margin)))
  }
}
