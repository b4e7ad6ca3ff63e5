import WorldModel

/// A local cloud prepared for the stages.
struct Query {
  /// All points but those far outside the bulk.
  let cropped: [SIMD3<Float>]
  /// All cleaned points.
  let all: [SIMD3<Float>]
  /// Thinned ones, for the search and the verdict.
  let points: [SIMD3<Float>]
  /// Some of them, for the polishing.
  let sample: [SIMD3<Float>]
  /// The mean of ``sample`` (metres).
  let middle: SIMD3<Float>

  /// The edge of the cells in which one point is kept (metres).
  static let thinning: Float = 0.08

  init(_ cloud: [SIMD3<Float>]) {
    cropped = cloud.cropped()
    all = RegionalDensity.filter(cropped, factor: 0.8)
    let thin = all.thinned(Self.thinning)
    points = thin
    let step = max(1, thin.count / 1000)
    sample = stride(from: 0, to: thin.count, by: step).map { thin[$0] }
    middle = sample.mean
  }
}
