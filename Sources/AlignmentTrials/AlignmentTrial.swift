import Basics
package import WorldAlignment
package import WorldModel

/// A map, a scan of a part of the same place in another frame, and where the scan belongs.
///
/// Map and scan have points of the place in common, each with noise of its own; other points of the scan are not in the
/// map, and both have spurious points: half of them anywhere, half at a wrong depth.
package struct AlignmentTrial: Sendable {
  /// The map's points (metres).
  package private(set) var map: [SIMD3<Float>]
  /// The scan's points, in its own frame (metres).
  package private(set) var query: [SIMD3<Float>]
  /// Query to map.
  package let truth: Transform
  /// The middle of the real points of the scan, in its own frame (metres).
  package let center: SIMD3<Float>

  /// Makes the trial of a seed; nil when no spot of the place has a view of enough points.
  package init?(of kind: TrialPlace, _ level: ScanLevel, _ mode: AlignmentMode, seed: UInt64) {
    let place = kind.points(seed: seed)
    var dice = TrialDice(seed: seed &+ 1_000)
    guard let bounds = BoundingBox(ignoringOutliersOf: place),
      var view = ScanView(of: place, in: bounds, level, using: &dice)
    else { return nil }
    dice.shuffle(&view.seen)
    // The map keeps half of what the scan could see, at least.
    let real = Array(view.seen.prefix(min(level.points, view.seen.count / 2)))
    var isHidden = [Bool](repeating: false, count: place.count)
    for index in real.dropFirst(Int(Float(real.count) * level.shared)) { isHidden[index] = true }
    map = place.indices.filter { !isHidden[$0] }.map { place[$0] + dice.normals() * level.noise }
    query = real.map { place[$0] + dice.normals() * level.noise }
    let count = Int(Float(query.count) * level.spurious / (1 - level.spurious))
    for index in 0..<count {
      query.append(
        index % 2 == 0
          ? view.anywhere(in: bounds, using: &dice)
          : view.eye + (place[real[dice.below(real.count)]] - view.eye) * dice.number(0.3...1.7))
    }
    Self.addSpurious(to: &map, share: level.spurious / 4, in: bounds, using: &dice)
    dice.shuffle(&query)
    dice.shuffle(&map)
    var pose = mode == .free ? dice.rotation() : Self.upright(&dice)
    pose.translation = dice.vector(-5...5) + view.eye
    truth = pose
    let inverse = pose.inverse
    query = query.map { inverse.act(on: $0) }
    center = inverse.act(on: real.reduce(.zero) { $0 + place[$1] } / Float(real.count))
  }

  /// Adds points anywhere and at wrong depths, until they are `share` of all.
  private static func addSpurious(
    to map: inout [SIMD3<Float>], share: Float, in bounds: BoundingBox, using dice: inout TrialDice
  ) {
    for index in 0..<Int(Float(map.count) * share / (1 - share)) {
      let p = map[dice.below(map.count)]
      if index % 2 == 0 {
        map.append(bounds.center + dice.vector(-0.5...0.5) * bounds.extent)
      } else {
        let eye = p + dice.direction() * dice.number(0.5...4)
        map.append(eye + (p - eye) * dice.number(0.3...1.7))
      }
    }
  }

  /// Any yaw, and 0.3° of tilt: what an accelerometer leaves.
  static func upright(_ dice: inout TrialDice) -> Transform {
    let turn = dice.turn()
    let tilt = dice.turn() * (0.3 * .pi / 180 / 2)
    let yaw = Transform(x: [turn.x, 0, -turn.y], y: [0, 1, 0], z: [turn.y, 0, turn.x], translation: .zero)
    return yaw * (Transform(quaternion: SIMD4(tilt.x, 0, tilt.y, 1)) ?? .identity)
  }

  /// How far the pose is from the truth at the middle of the scan (metres), and by which angle (degrees).
  package func error(of pose: Transform) -> (distance: Float, degrees: Float) {
    let distance = (pose.act(on: center) - truth.act(on: center)).length
    var square: Float = 0
    let (mine, right) = (pose.columns, truth.columns)
    for (a, b) in [(mine.0, right.0), (mine.1, right.1), (mine.2, right.2)] { square += (a - b).lengthSquared }
    // The Frobenius norm of the difference of two rotations is 2√2 times the sine of half the angle.
    let half = min(1, square.squareRoot() / 2.828_427)
    let asin = half + half * half * half / 6
    return (distance, 2 * asin * 180 / .pi)
  }

  /// Whether the pose is within 5 cm at the middle of the scan and 2°.
  func isRight(_ pose: Transform) -> Bool {
    let error = error(of: pose)
    return error.distance <= 0.05 && error.degrees <= 2
  }
}

extension Transform {
  /// Whether two poses agree within a distance at a point (metres) and a turn.
  ///
  /// - Parameter chord: The norm of the difference of two rotations, 2√2 times the sine of half the turn.
  func agrees(with other: Transform, at point: SIMD3<Float>, within distance: Float, chord: Float) -> Bool {
    var square: Float = 0
    let (mine, right) = (columns, other.columns)
    for (a, b) in [(mine.0, right.0), (mine.1, right.1), (mine.2, right.2)] { square += (a - b).lengthSquared }
    return (act(on: point) - other.act(on: point)).length <= distance && square.squareRoot() <= chord
  }
}
