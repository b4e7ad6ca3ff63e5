import WorldModel

/// The witnesses of a cloud at two grains: a crowd of points on one spot is no crowd of witnesses.
struct Grains {
  /// One point of each cell of 2 cm.
  let points: [SIMD3<Float>]
  /// The mean of each cell of 6 cm or, in a cloud of few points, larger ones: where texture is.
  let spots: [SIMD3<Float>]

  init(_ cloud: [SIMD3<Float>]) {
    var cells: Set<SIMD3<Int32>> = []
    points = cloud.filter { cells.insert(SIMD3<Int32>(clamping: ($0 / 0.02).rounded(.down))).inserted }
    spots = cloud.thinned(0.06)
  }
}

/// A scan that is compared with a sparse map.
struct SparseScan {
  /// Points that say that an edge lies on an edge, as of two halves of a room, more clearly than spots do; and spots, which find
  /// again what is too sparse for points.
  let grains: Grains
  private let grid: PointGrid
  private let spots: PointGrid

  /// A point of the map within this distance of a spot of the scan is one that the scan should repeat (metres).
  private static let around: Float = 0.25

  init(_ cloud: [SIMD3<Float>]) {
    grains = Grains(cloud)
    grid = PointGrid(cloud, cell: Repetition.cell)
    spots = PointGrid(grains.spots, cell: Self.around)
  }

  /// How sure it is that scan and map repeat each other at a pose: the sum over both directions and some grains.
  func certainty(at motion: RigidMotion, in map: PointGrid, by kinds: [KeyPath<Grains, [SIMD3<Float>]>]) -> Float {
    let up: SIMD3<Float> = [0, 1, 0]
    let inverse = motion.inverse
    let seen = Grains(map.points.filter { spots.hasPoint(near: inverse.act(on: $0), within: Self.around) })
    return kinds.reduce(0) { sum, kind in
      let forth = Repetition(of: grains[keyPath: kind], at: motion, in: map, up: up)
      let back = Repetition(of: seen[keyPath: kind], at: inverse, in: grid, up: inverse.rotate(up))
      return sum + forth.certainty + back.certainty
    }
  }
}
