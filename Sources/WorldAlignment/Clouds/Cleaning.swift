import WorldModel

extension [SIMD3<Float>] {
  /// Without what lies far outside the bulk: maps have points kilometres away.
  func cropped() -> Self {
    let step = Swift.max(1, count / 4096)
    let sample = stride(from: 0, to: count, by: step).map { self[$0] }
    var low = SIMD3<Float>.zero
    var high = SIMD3<Float>.zero
    for axis in 0..<3 {
      let values = sample.map { $0[axis] }
      low[axis] = quantile(0.01, of: values)
      high[axis] = quantile(0.99, of: values)
    }
    let margin = (high - low) * 0.1 + 0.5
    return filter { all($0 .> low - margin) && all($0 .< high + margin) }
  }

  /// One point, the mean, for each occupied cubic cell of edge `cell` (metres).
  func thinned(_ cell: Float) -> Self {
    let grid = PointGrid(self, cell: cell, limit: 1 << 24)
    return grid.occupied.map { slots in
      grid.points[slots].reduce(.zero, +) / Float(slots.count)
    }
  }

  /// The mean (metres); the origin when there are none.
  var mean: SIMD3<Float> {
    guard !isEmpty else { return .zero }
    let sum = reduce(SIMD3<Double>.zero) { $0 + SIMD3<Double>(of: $1) }
    return SIMD3<Float>(rounding: sum / Double(count))
  }
}
