import WorldModel

/// A map's cloud prepared for many searches: cleaned, about its own middle, with the grids that the stages read.
struct MapModel {
  /// The middle of the cloud (metres); all grids lie about it, so that Float keeps its precision far from the origin.
  let center: SIMD3<Float>
  /// The cleaned points, thinned for the search.
  let points: [SIMD3<Float>]
  let box: BoundingBox
  /// How near the map is, on a fine blurred grid.
  let nearness: OccupancyGrid
  /// The thinned points with their surfaces.
  let surfaces: SurfaceCloud
  /// All cleaned points, for the last pass and the verdict.
  let all: PointGrid
  /// All points but those far outside the bulk, since in a sparse map one that stands alone may be a wall; nil for a dense
  /// map (``SparseEvidence/isSparse(_:)``).
  let sparse: PointGrid?

  /// Tells prepared maps apart; equal for the same cloud.
  struct Mark: Equatable, Sendable {
    let center: SIMD3<Float>
    let box: BoundingBox
    let points, all: Int
  }

  /// The mark of this map.
  var mark: Mark { Mark(center: center, box: box, points: points.count, all: all.points.count) }

  /// The edge of the cells in which one point is kept (metres).
  static let thinning: Float = 0.06
  /// The edge of a fine cell and the standard deviation of its blur (metres).
  private static let fine: (cell: Float, sigma: Float) = (0.08, 0.10)

  /// Nil when nothing is left of the cloud.
  init?(_ cloud: [SIMD3<Float>]) {
    let cropped = cloud.cropped()
    let kept = RegionalDensity.filter(cropped, factor: 1.2)
    let center = kept.mean
    self.center = center
    let local = kept.map { $0 - center }
    points = local.thinned(Self.thinning)
    guard let box = BoundingBox(containing: points) else { return nil }
    self.box = box
    var scale: Float = 1
    let extent = box.extent / Self.fine.cell + 10
    while extent.x * extent.y * extent.z / (scale * scale * scale) > OccupancyGrid.mostCells(for: points.count) {
      scale *= 1.1
    }
    let (cell, sigma) = (Self.fine.cell * scale, Self.fine.sigma * scale)
    let margin = Int32(GaussianBlur(sigma: sigma / cell).radius + 1)
    nearness = OccupancyGrid(
      points, in: box,
      .init(
        cell: cell, sigma: sigma, isGraded: false, typical: 200, largest: 200, margin: SIMD3(repeating: margin)))
    surfaces = SurfaceCloud(points)
    all = PointGrid(local, cell: 0.1)
    sparse =
      SparseEvidence.isSparse(cropped)
      ? PointGrid(cropped.map { $0 - center }, cell: Repetition.cell) : nil
  }
}
