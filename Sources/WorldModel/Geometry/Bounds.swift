/// A box along the axes of the world (metres).
public struct Bounds: Hashable, Sendable {
  /// The corner with the smallest coordinates.
  public var lower: SIMD3<Float>
  /// The corner with the largest coordinates.
  public var upper: SIMD3<Float>

  /// A box between two corners.
  public init(lower: SIMD3<Float>, upper: SIMD3<Float>) {
    self.lower = lower
    self.upper = upper
  }

  /// The middle of the box.
  public var center: SIMD3<Float> { lower + (upper - lower) / 2 }

  /// The size along the three axes.
  public var extent: SIMD3<Float> { upper - lower }

  /// Whether `point` lies in the box or on its border.
  public func contains(_ point: SIMD3<Float>) -> Bool {
    all(point .>= lower .& point .<= upper)
  }

  /// The eight corners.
  package var corners: [SIMD3<Float>] {
    (0..<8).map { corner in
      SIMD3(
        corner & 1 == 0 ? lower.x : upper.x, corner & 2 == 0 ? lower.y : upper.y, corner & 4 == 0 ? lower.z : upper.z)
    }
  }
}

extension Bounds {
  /// The smallest box around the finite points of `positions`; nil when there is none.
  public init?(_ positions: some Sequence<SIMD3<Float>>) {
    var lower = SIMD3<Float>(repeating: .infinity)
    var upper = -lower
    for point in positions where point.isFinite {
      lower = pointwiseMin(lower, point)
      upper = pointwiseMax(upper, point)
    }
    guard lower.x <= upper.x else { return nil }
    self.init(lower: lower, upper: upper)
  }

  /// The box that holds what people see as the whole of a cloud, ignoring its outliers; nil when it has no finite point.
  ///
  /// Real maps have points at kilometres from the room they show. On each axis this is the range from the 2nd to the
  /// 98th percentile, widened by a tenth at both ends, but never beyond the outermost point. At most 65,536 points, evenly
  /// spread over the storage order, are looked at, so that the cost does not grow with the cloud.
  public init?(ignoringOutliersOf positions: [SIMD3<Float>]) {
    let step = max(1, (positions.count + 65_535) / 65_536)
    let sample = stride(from: 0, to: positions.count, by: step).map { positions[$0] }.filter(\.isFinite)
    guard !sample.isEmpty else { return nil }
    var lower = SIMD3<Float>.zero
    var upper = SIMD3<Float>.zero
    for axis in 0..<3 {
      let sorted = sample.map { $0[axis] }.sorted()
      let last = sorted.count - 1
      let low = sorted[last * 2 / 100]
      let high = sorted[last - last * 2 / 100]
      let margin = (high - low) / 10
      lower[axis] = max(sorted[0], low - margin)
      upper[axis] = min(sorted[last], high + margin)
    }
    self.init(lower: lower, upper: upper)
  }
}
