import WorldModel

/// A cloud as the search sees it: cleaned, thinned, and about its own middle.
struct SearchCloud {
  /// The points less ``pivot`` (metres).
  let points: [SIMD3<Float>]
  /// The median on each axis (metres).
  let pivot: SIMD3<Float>
  /// Horizontal and vertical distance from the pivot within which 98 % of the points lie (metres).
  let radius: Float
  let height: Float

  init(_ input: [SIMD3<Float>]) {
    var pivot = SIMD3<Float>.zero
    for axis in 0..<3 { pivot[axis] = quantile(0.5, of: input.map { $0[axis] }) }
    self.pivot = pivot
    points = input.map { $0 - pivot }
    radius = quantile(0.98, of: points.map { SIMD2($0.x, $0.z).length })
    height = quantile(0.98, of: points.map { $0.y.magnitude })
  }
}

/// The exhaustive search of a scan in a map over every shift and a set of turns, on a coarse grid.
struct PoseSearch {
  /// The edge of a coarse cell (metres); larger for places so wide that the search would exceed ``mostWork``.
  static let cell: Float = 0.2
  /// Additions that one search may cost.
  static let mostWork = 12e9
  /// Peaks that are kept at each turn.
  static let peaksPerTurn = 6

  private let map: OccupancyGrid
  private let samples: [SIMD3<Float>]
  private let reach: SIMD3<Int32>
  private let pivot: SIMD3<Float>
  private var correlation: ShiftCorrelation

  /// Prepares the search of `scan` among the points of a map.
  init(_ scan: SearchCloud, in points: [SIMD3<Float>], _ box: BoundingBox, turns: Int) {
    var cell = Self.cell
    let mostCells = OccupancyGrid.mostCells(for: points.count + scan.points.count)
    while true {
      let samples = Self.samples(of: scan, cell: cell)
      // As Float until the size is known to be small: places may be as wide as numbers are.
      let radius = (scan.radius / cell).rounded(.down) + 2
      let wide = SIMD3(radius, (scan.height / cell).rounded(.down) + 2, radius)
      // The pivot of a scan of an edge of the place may lie outside it.
      let outside = (wide * 0.3).rounded(.down)
      let tried = ((box.maximum - box.minimum) / cell).rounded(.down) + 1 + 2 * outside
      let all = tried + 2 * wide + SIMD3(Float(ShiftCorrelation.slack), 0, 0)
      let work = Double(tried.x * tried.y * tried.z) * Double(samples.count) * Double(turns)
      if samples.count <= ShiftCorrelation.mostSamples, work <= Self.mostWork, all.x * all.y * all.z <= mostCells {
        reach = SIMD3(whole: wide)
        self.samples = samples
        pivot = scan.pivot
        map = OccupancyGrid(
          points, in: box,
          .init(
            cell: cell, sigma: 0.7 * cell, isGraded: true, typical: 11, largest: ShiftCorrelation.largestCell,
            margin: reach &+ SIMD3(whole: outside), slack: ShiftCorrelation.slack))
        correlation = ShiftCorrelation(shifts: SIMD3(whole: tried))
        return
      }
      cell *= 1.25
    }
  }

  /// One sample for each occupied cell, two for the fuller ones.
  private static func samples(of scan: SearchCloud, cell: Float) -> [SIMD3<Float>] {
    let inside = scan.points.filter { SIMD2($0.x, $0.z).length <= scan.radius && $0.y.magnitude <= scan.height }
    let grid = PointGrid(inside, cell: cell)
    let occupied = grid.occupied
    let full = quantile(0.6, of: occupied.map { Float($0.count) })
    return occupied.flatMap { slots in
      let mean = grid.points[slots].reduce(.zero, +) / Float(slots.count)
      let weight = min(Float(slots.count) / full, 1).squareRoot()
      return Array(repeating: mean, count: Int(weight * 2 + 0.5))
    }
  }

  /// The best shifts of the scan turned by `turn`, as motions from the scan's frame to the map's.
  mutating func peaks(_ turn: RigidMotion) -> [RigidMotion] {
    let cell = map.cell
    let offsets = samples.map { sample in
      let c = SIMD3<Int32>(whole: (turn.rotate(sample) / cell).rounded(.toNearestOrAwayFromZero)) &+ reach
      return (c.z &* map.size.y &+ c.y) &* map.size.x &+ c.x
    }
    correlation.run(map, offsets)
    return correlation.takePeaks(Self.peaksPerTurn).map { peak in
      let center = map.origin + (SIMD3<Float>(of: peak.shift &+ reach) + 0.5) * cell
      var motion = turn
      motion.offset = center - turn.rotate(pivot)
      return motion
    }
  }
}
