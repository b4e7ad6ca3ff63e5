import WorldModel

/// Cells of a cloud, numbered in the order of their first points: the points of one are one witness.
struct Blocks {
  /// The edge of a block (metres).
  private static let edge: Float = 0.3

  private var numbers: [SIMD3<Int32>: Int] = [:]
  /// The sum of the values in each block.
  private(set) var sums: [Float] = []
  /// The number of points in each.
  private var counts: [Float] = []
  private var places: [SIMD3<Float>] = []

  /// The mean of the points in each block (metres).
  var middles: [SIMD3<Float>] { zip(places, counts).map { $0 / $1 } }

  /// Adds the value of a point.
  mutating func add(_ value: Float, at point: SIMD3<Float>) {
    let key = SIMD3<Int32>(clamping: (point / Self.edge).rounded(.down))
    let number = numbers[key] ?? sums.count
    if number == sums.count {
      numbers[key] = number
      sums.append(0)
      counts.append(0)
      places.append(.zero)
    }
    sums[number] += value
    counts[number] += 1
    places[number] += point
  }

  /// The sum of independent values in its standard deviations if their mean is zero.
  ///
  /// - Parameter prior: A variance that is added, so that two or three values are not sure.
  static func tValue(of values: some Sequence<Float>, prior: Float) -> Float {
    let (sum, squares) = values.reduce(into: (Float.zero, prior)) { $0 = ($0.0 + $1, $0.1 + $1 * $1) }
    return sum / squares.squareRoot()
  }
}
