import WorldModel

/// The part of a place that a scan sees: everything within reach and sweep of one spot.
struct ScanView {
  /// Where the scan was made (metres).
  let eye: SIMD3<Float>
  /// Its horizontal direction.
  private let heading: SIMD2<Float>
  private let level: ScanLevel
  /// The indices of the points that it sees.
  var seen: [Int] = []

  /// Draws spots until one sees enough; nil when none of 200 does.
  init?(of place: [SIMD3<Float>], in bounds: BoundingBox, _ level: ScanLevel, using dice: inout TrialDice) {
    for attempt in 0..<200 {
      let offset = dice.vector(-1...1) * bounds.extent / 2 * SIMD3(0.7, 0.2, 0.7)
      let view = ScanView(eye: bounds.center + offset, heading: dice.turn(), level: level)
      let seen = place.indices.filter { view.sees(place[$0]) }
      if seen.count >= (attempt < 100 ? 1500 : 400) {
        self = view
        self.seen = seen
        return
      }
    }
    return nil
  }

  private init(eye: SIMD3<Float>, heading: SIMD2<Float>, level: ScanLevel) {
    (self.eye, self.heading, self.level) = (eye, heading, level)
  }

  private func sees(_ point: SIMD3<Float>) -> Bool {
    let offset = point - eye
    guard offset.lengthSquared <= level.reach * level.reach else { return false }
    let flat = SIMD2(offset.x, offset.z)
    return flat.dot(heading) >= level.cosine * flat.length
  }

  /// A point anywhere in the view, about as high as the place.
  func anywhere(in bounds: BoundingBox, using dice: inout TrialDice) -> SIMD3<Float> {
    let height = min(1, bounds.extent.y / level.reach / 1.5)
    while true {
      let point = eye + dice.vector(-1...1) * level.reach * SIMD3(1, height, 1)
      if sees(point) { return point }
    }
  }
}
