package import PeerCLI
package import SharedWorld

/// The axis of a map that points up in its place.
package enum UpAxis: String, CaseIterable, Sendable {
  case y
  case minusY = "-y"
  case z
  case minusZ = "-z"
  case x
  case minusX = "-x"

  /// Which coordinate it is, and whether that grows upwards.
  private var axis: Int { [.x, .minusX].contains(self) ? 0 : [.y, .minusY].contains(self) ? 1 : 2 }
  private var isPositive: Bool { [.x, .y, .z].contains(self) }

  /// The axis for which the points look most like a place that people stand in.
  ///
  /// It is low for its width, a floor lies below all, and more stands on the floor than hangs from the ceiling. Maps of
  /// this package have y up, so that counts as well.
  package static func guess(_ positions: [SIMD3<Float>], in bounds: BoundingBox) -> UpAxis {
    let step = max(1, positions.count / sample)
    let points = stride(from: 0, to: positions.count, by: step).map { positions[$0] }.filter(bounds.contains)
    let widest = bounds.extent.max()
    guard points.count > 50, widest > 0 else { return .y }
    let scores = allCases.map { ($0, $0.score(points, bounds, widest) + ($0 == .y ? habit : 0)) }
    return scores.max { $0.1 < $1.1 }?.0 ?? .y
  }

  /// Points that are looked at.
  private static let sample = 20_000
  /// The weight of the axis that is up in maps of this package.
  private static let habit: Float = 0.1

  private func score(_ points: [SIMD3<Float>], _ bounds: BoundingBox, _ widest: Float) -> Float {
    let height = bounds.extent[axis]
    guard height > 0 else { return 1 }
    let heights = points.map { point in
      let share = (point[axis] - bounds.minimum[axis]) / height
      return isPositive ? share : 1 - share
    }
    // Between floor and ceiling: what stands in a place stands on its floor.
    let low = Float(heights.count { (0.06..<0.45).contains($0) })
    let high = Float(heights.count { (0.55..<0.94).contains($0) })
    let (floor, ceiling) = (cover(points, heights, bounds) { $0 }, cover(points, heights, bounds) { 1 - $0 })
    return (1 - height / widest) + 0.5 * (low - high) / max(1, low + high) + 0.25 * (floor - ceiling)
  }

  /// The share of the ground plan under which the lowest points lie at one height, as those of a floor do.
  private func cover(
    _ points: [SIMD3<Float>], _ heights: [Float], _ bounds: BoundingBox, _ height: (Float) -> Float
  ) -> Float {
    let (across, along) = ((axis + 1) % 3, (axis + 2) % 3)
    let cells: Float = 16
    var lowest: [Int: Float] = [:]
    for (point, share) in zip(points, heights) {
      let place = (point - bounds.minimum) / pointwiseMax(bounds.extent, SIMD3(repeating: 1e-6)) * (cells - 1)
      let cell = Int(place[across]) * Int(cells) + Int(place[along])
      lowest[cell] = min(lowest[cell] ?? 1, height(share))
    }
    let sorted = lowest.values.sorted()
    guard let median = sorted.dropFirst(sorted.count / 2).first else { return 0 }
    return Float(sorted.count { abs($0 - median) < 0.06 && median < 0.25 }) / Float(sorted.count)
  }

  /// The direction in the map that is up.
  var direction: SIMD3<Float> {
    var direction = SIMD3<Float>.zero
    direction[axis] = isPositive ? 1 : -1
    return direction
  }
}

extension UpAxis: ArgumentValue {
  package init(argument: String) throws(UsageError) {
    guard let axis = UpAxis(rawValue: argument) else {
      throw UsageError("'\(argument)' is no axis; write y, -y, z, -z, x or -x")
    }
    self = axis
  }
}
