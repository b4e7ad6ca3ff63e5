extension BoundingBox {
  /// The box that holds what people see as the whole of a cloud, ignoring its outliers; nil when it has no finite
  /// point.
  ///
  /// Real maps have points at kilometres from the room they show. On each axis this is the range from the 2nd to the
  /// 98th percentile, widened by 4 % of it at both ends, but never beyond the outermost point. At most 65,536 points,
  /// evenly spread over the storage order, are looked at, so that the cost does not grow with the cloud.
  public init?(ignoringOutliersOf positions: [SIMD3<Float>]) {
    let step = Self.sampleStep(of: positions.count)
    let sample = stride(from: 0, to: positions.count, by: step).map { positions[$0] }.filter(\.isFinite)
    guard !sample.isEmpty else { return nil }
    var lower = SIMD3<Float>.zero
    var upper = SIMD3<Float>.zero
    for axis in 0..<3 {
      let sorted = sample.map { $0[axis] }.sorted()
      let last = sorted.count - 1
      let low = sorted[last * 2 / 100]
      let high = sorted[last - last * 2 / 100]
      let margin = (high - low) / 25
      lower[axis] = max(sorted[0], low - margin)
      upper[axis] = min(sorted[last], high + margin)
    }
    self.init(minimum: lower, maximum: upper)
  }

  /// Of how many points of a cloud one is looked at to tell outliers; 1 of a cloud that such points make up.
  static func sampleStep(of count: Int) -> Int { max(1, (count + 65_535) / 65_536) }

  /// The eight corners.
  package var corners: [SIMD3<Float>] {
    (0..<8).map { corner in
      SIMD3(
        corner & 1 == 0 ? minimum.x : maximum.x, corner & 2 == 0 ? minimum.y : maximum.y,
        corner & 4 == 0 ? minimum.z : maximum.z)
    }
  }
}
