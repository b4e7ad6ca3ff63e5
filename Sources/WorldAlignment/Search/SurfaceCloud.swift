import WorldModel

/// Points with the directions in which their surfaces face.
struct SurfaceCloud {
  let grid: PointGrid
  /// For each point of the grid the unit normal, zero where the neighbours form no surface.
  let normals: [SIMD3<Float>]

  /// Neighbours within this distance make the surface of a point (metres).
  static let neighborhood: Float = 0.2

  init(_ points: [SIMD3<Float>]) {
    let grid = PointGrid(points, cell: Self.neighborhood)
    self.grid = grid
    var near: [SIMD3<Float>] = []
    normals = grid.points.map { p in
      near.removeAll(keepingCapacity: true)
      grid.forEachRun(around: p, reach: Self.neighborhood) { run in
        for other in run where (grid.points[other] - p).lengthSquared <= Self.neighborhood * Self.neighborhood {
          near.append(grid.points[other])
        }
      }
      guard near.count >= 5, let fit = SurfaceFit(near), fit.thickness < 0.25 * Self.neighborhood else { return .zero }
      return fit.normal
    }
  }
}
