import WorldModel

/// Finds the points that stand alone by the standards of their region: a global threshold would delete sparse rooms.
enum RegionalDensity {
  /// The edge of a region (metres).
  private static let region: Float = 1
  /// A point farther from its neighbours than this many times the median of the whole cloud is dropped anywhere.
  private static let global: Float = 6

  /// The points whose fourth neighbour is nearer than `factor` times the median of the 27 regions around.
  static func filter(_ input: [SIMD3<Float>], factor: Float) -> [SIMD3<Float>] {
    guard input.count > 8 else { return input }
    let distances = fourthNeighbor(input)
    let grid = PointGrid(input, cell: region, limit: 1 << 18)
    let cells = grid.starts.count - 1
    var medians = [Float](repeating: 0, count: cells)
    for cell in 0..<cells where grid.starts[cell + 1] > grid.starts[cell] {
      let slots = Int(grid.starts[cell])..<Int(grid.starts[cell + 1])
      medians[cell] = quantile(0.5, of: slots.map { distances[Int(grid.order[$0])] })
    }
    let ceiling = quantile(0.5, of: distances) + log2(global)
    var kept: [SIMD3<Float>] = []
    kept.reserveCapacity(input.count)
    for cell in 0..<cells where grid.starts[cell + 1] > grid.starts[cell] {
      let bound = min(regionalMean(of: medians, around: cell, in: grid) + log2(factor), ceiling)
      for slot in Int(grid.starts[cell])..<Int(grid.starts[cell + 1])
      where distances[Int(grid.order[slot])] < bound { kept.append(grid.points[slot]) }
    }
    return kept
  }

  /// The mean of the medians of a cell and its neighbours, each weighted with its number of points.
  private static func regionalMean(of medians: [Float], around cell: Int, in grid: PointGrid) -> Float {
    let (width, height, depth) = (Int(grid.size.x), Int(grid.size.y), Int(grid.size.z))
    let (x, y, z) = (cell % width, cell / width % height, cell / width / height)
    var total: Float = 0
    var weight: Float = 0
    for c in max(z - 1, 0)...min(z + 1, depth - 1) {
      for b in max(y - 1, 0)...min(y + 1, height - 1) {
        for a in max(x - 1, 0)...min(x + 1, width - 1) {
          let other = (c * height + b) * width + a
          let count = Float(grid.starts[other + 1] - grid.starts[other])
          total += count * medians[other]
          weight += count
        }
      }
    }
    return total / weight
  }

  /// The logarithm (base 2) of each point's distance to its fourth nearest neighbour.
  private static func fourthNeighbor(_ input: [SIMD3<Float>]) -> [Float] {
    // About two points a cell on the surface of the box; clusters crowd them into fewer cells.
    let box = BoundingBox(containing: input) ?? BoundingBox(minimum: .zero, maximum: .zero)
    let extent = pointwiseMax(box.extent, SIMD3(repeating: 1e-6))
    let area = extent.x * extent.y + extent.y * extent.z + extent.z * extent.x
    let grid = PointGrid(input, cell: max((area * 2 / Float(input.count)).squareRoot(), extent.max() / 500))
    var result = [Float](repeating: 0, count: input.count)
    for slot in grid.points.indices {
      let square = fourthNeighbor(of: slot, in: grid)
      let distance = min(square.squareRoot(), grid.cell * 6)
      result[Int(grid.order[slot])] = log2(distance + grid.cell * 1e-3)
    }
    return result
  }

  /// The squared distance from a point of the grid to its fourth nearest neighbour; larger than any when that is more
  /// than three cells away.
  @inline(__always)
  private static func fourthNeighbor(of slot: Int, in grid: PointGrid) -> Float {
    let p = grid.points[slot]
    var reach = grid.cell * 0.5
    while true {
      var best = SIMD4<Float>(repeating: .infinity)
      grid.forEachRun(around: p, reach: reach) { run in
        for other in run where other != slot {
          let square = (grid.points[other] - p).lengthSquared
          if square < best.w { insert(square, into: &best) }
        }
      }
      if best.w <= reach * reach || reach > grid.cell * 3 { return best.w }
      reach = best.w.isFinite ? min(best.w.squareRoot() * 1.0001, reach * 2) : reach * 2
    }
  }

  /// Replaces the largest of four rising values.
  @inline(__always)
  private static func insert(_ value: Float, into best: inout SIMD4<Float>) {
    best.w = value
    if best.w < best.z { (best.z, best.w) = (best.w, best.z) }
    if best.z < best.y { (best.y, best.z) = (best.z, best.y) }
    if best.y < best.x { (best.x, best.y) = (best.y, best.x) }
  }

  /// log2 by a polynomial, good to 0.01: the module links no mathematics library.
  @inline(__always)
  private static func log2(_ x: Float) -> Float {
    let m = x.significand
    return Float(x.exponent) + ((-0.344_84 * m + 2.024_658) * m - 1.674_873)
  }
}
