import WorldModel

/// How near points are, as one byte a cell of a dense, blurred grid with an empty margin on every side.
struct OccupancyGrid {
  /// The edge of a cell (metres).
  let cell: Float
  /// The lowest corner of the first cell (metres).
  let origin: SIMD3<Float>
  let size: SIMD3<Int32>
  let cells: [UInt8]

  /// How many cells a grid of so many points may have: a wider place gets larger cells.
  static func mostCells(for points: Int) -> Float { min(12e6, 2e5 + 300 * Float(points)) }

  /// How a grid is made of points.
  struct Recipe {
    /// The edge of a cell (metres).
    var cell: Float
    /// The standard deviation of the blur (metres).
    var sigma: Float
    /// Whether fuller cells count more than cells with a single point.
    var isGraded: Bool
    /// The value of a typical occupied cell, and the largest value.
    var typical: Float
    var largest: Float
    /// Empty cells before the first and after the last point on each axis.
    var margin: SIMD3<Int32>
    /// Empty cells after each row, for reads of whole vectors.
    var slack: Int32 = 0
  }

  /// The grid of at least one finite point.
  init(_ points: [SIMD3<Float>], in box: BoundingBox, _ recipe: Recipe) {
    cell = recipe.cell
    let inner = SIMD3<Int32>(whole: ((box.maximum - box.minimum) / cell).rounded(.down)) &+ 1
    size = inner &+ 2 &* recipe.margin &+ SIMD3(recipe.slack, 0, 0)
    origin = box.minimum - SIMD3<Float>(of: recipe.margin) * cell
    var values = [Float](repeating: 0, count: Int(size.x) * Int(size.y) * Int(size.z))
    let scale = 1 / cell
    var filled: [Int] = []
    for p in points {
      let c = SIMD3<Int32>(whole: (p - origin) * scale)
      let key = Int((c.z &* size.y &+ c.y) &* size.x &+ c.x)
      if values[key] == 0 { filled.append(key) }
      values[key] += 1
    }
    let full = recipe.isGraded ? quantile(0.6, of: filled.map { values[$0] }) : 1
    for key in filled { values[key] = min(values[key] / full, 1).squareRoot() }
    GaussianBlur(sigma: recipe.sigma / cell).apply(to: &values, size: size)
    let gain = recipe.typical / quantile(0.5, of: filled.map { values[$0] })
    cells = values.map { UInt8(min(recipe.largest, $0 * gain + 0.5)) }
  }

  /// The sum over `points` of the values where `motion` puts them.
  @inline(__always)
  func sum(over points: [SIMD3<Float>], _ motion: RigidMotion) -> Int {
    var sum = 0
    let scale = 1 / cell
    let (x, y, z, offset) = (motion.x * scale, motion.y * scale, motion.z * scale, (motion.offset - origin) * scale)
    let end = SIMD3<Float>(of: size)
    let (width, height) = (Int(size.x), Int(size.y))
    cells.withUnsafeBufferPointer { cells in
      for p in points {
        let place = x * p.x + y * p.y + z * p.z + offset
        guard all(place .>= 0), all(place .< end) else { continue }
        let c = SIMD3<Int32>(whole: place)
        sum += Int(cells[(Int(c.z) * height + Int(c.y)) * width + Int(c.x)])
      }
    }
    return sum
  }
}
