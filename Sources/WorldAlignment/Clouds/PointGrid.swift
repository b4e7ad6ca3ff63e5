import WorldModel

/// Points sorted into the cells of a dense grid: answers which points are near a position with a few contiguous reads.
///
/// Cells of one row along x are adjacent in memory, so the 27 cells around a point are nine runs. Queries of a fixed
/// small radius allocate nothing, which `SpatialIndex` cannot offer: it returns arrays.
struct PointGrid {
  /// The points, cell by cell.
  let points: [SIMD3<Float>]
  /// The index that each of them had in the input.
  let order: [Int32]
  let origin: SIMD3<Float>
  /// The edge of a cell (metres).
  let cell: Float
  let size: SIMD3<Int32>
  /// The index of each cell's first point in ``points``; one entry more than there are cells.
  let starts: [Int32]

  /// The grid of finite points.
  ///
  /// - Parameters:
  ///   - wanted: The edge of a cell (metres); larger when there would be more than `limit` cells, or 64 a point.
  init(_ input: [SIMD3<Float>], cell wanted: Float, limit: Int = 1 << 22) {
    let limit = min(limit, max(4096, 64 * input.count))
    let box = BoundingBox(containing: input) ?? BoundingBox(minimum: .zero, maximum: .zero)
    var cell = wanted
    var size = Self.size(box, cell)
    while Int(size.x) * Int(size.y) * Int(size.z) > limit {
      cell *= 1.26
      size = Self.size(box, cell)
    }
    origin = box.minimum
    self.cell = cell
    self.size = size
    var starts = [Int32](repeating: 0, count: Int(size.x) * Int(size.y) * Int(size.z) + 1)
    let scale = 1 / cell
    let keys = input.map { p in
      let c = SIMD3<Int32>(whole: (p - box.minimum) * scale)
      return Int((c.z &* size.y &+ c.y) &* size.x &+ c.x)
    }
    for key in keys { starts[key + 1] += 1 }
    for index in 1..<starts.count { starts[index] += starts[index - 1] }
    var next = starts
    var points = [SIMD3<Float>](repeating: .zero, count: input.count)
    var order = [Int32](repeating: 0, count: input.count)
    for (index, key) in keys.enumerated() {
      let slot = Int(next[key])
      next[key] += 1
      points[slot] = input[index]
      order[slot] = Int32(index)
    }
    self.points = points
    self.order = order
    self.starts = starts
  }

  private static func size(_ box: BoundingBox, _ cell: Float) -> SIMD3<Int32> {
    // The same product as for the keys, so that the outermost point has a cell.
    let span = (box.maximum - box.minimum) * (1 / cell)
    return SIMD3<Int32>(whole: span.clamped(lowerBound: .zero, upperBound: SIMD3(repeating: 1e6))) &+ 1
  }

  /// The points of each cell that has any, as ranges of ``points``.
  var occupied: [Range<Int>] {
    zip(starts, starts.dropFirst()).compactMap { start, end in start < end ? Int(start)..<Int(end) : nil }
  }

  /// Calls `body` with the runs of points in the cells that a cube of half-edge `reach` around `p` touches.
  @inline(__always)
  func forEachRun(around p: SIMD3<Float>, reach: Float, _ body: (Range<Int>) -> Void) {
    let scale = 1 / cell
    let low = (p - origin - reach) * scale
    let high = (p - origin + reach) * scale
    let end = SIMD3<Float>(of: size)
    guard all(high .>= 0), all(low .< end) else { return }
    let a = SIMD3<Int32>(whole: pointwiseMax(low, .zero))
    let b = SIMD3<Int32>(whole: pointwiseMin(high, end - 0.5))
    var z = a.z
    while z <= b.z {
      var y = a.y
      while y <= b.y {
        let row = Int((z &* size.y &+ y) &* size.x)
        let from = Int(starts[row + Int(a.x)])
        let to = Int(starts[row + Int(b.x) + 1])
        if from < to { body(from..<to) }
        y &+= 1
      }
      z &+= 1
    }
  }

  /// The slot in ``points`` of the nearest point within `reach` metres, and its squared distance.
  @inline(__always)
  func nearest(to p: SIMD3<Float>, within reach: Float) -> (slot: Int, square: Float)? {
    var best = reach * reach
    var slot = -1
    forEachRun(around: p, reach: reach) { run in
      for other in run {
        let square = (points[other] - p).lengthSquared
        if square <= best {
          best = square
          slot = other
        }
      }
    }
    return slot < 0 ? nil : (slot, best)
  }

  /// Whether a point lies within `reach` metres, other than the one in the slot `except`.
  @inline(__always)
  func hasPoint(near p: SIMD3<Float>, within reach: Float, except: Int = -1) -> Bool {
    var isNear = false
    forEachRun(around: p, reach: reach) { run in
      guard !isNear else { return }
      for other in run where (points[other] - p).lengthSquared <= reach * reach && other != except {
        isNear = true
        return
      }
    }
    return isNear
  }
}
