package import WorldModel
package import WorldAlignment

/// Two clouds of one place, or of two places, whose points have made-up binary descriptors.
///
/// What a point looks like is a vector of twelve numbers; a bit of its descriptor says on which side of a plane it lies. So bits
/// depend on each other, as those of real detectors do. Its numbers were chosen to come near what eight archives of ARKit
/// show: 41 bits that are always 0, some 45 % of the bits set, a median distance of 150 between random points, 66 to the
/// nearest wrong one, and of the points that both maps have every second looks like something else. How near they come
/// is not measured.
package struct DescribedTrial: Sendable {
  /// What the two clouds have in common.
  package enum Relation: String, Sendable, CaseIterable {
    /// One place: a fifth of the points, the others are elsewhere.
    case onePlace
    /// Two places that have nothing in common.
    case strangers
    /// Two places whose textures are of the same few kinds.
    case repeats
    /// Two places with the same tiles, in lattices of the same spacing, at different places in each.
    case tiles
    /// Two places, and points that look like everything.
    case clutter
  }

  /// The kind of descriptor.
  package struct Kind: Sendable {
    let name: String
    let bytes: Int
    /// The bits that are not always 0, from the first one on.
    let bits: Int

    package static let arkit = Kind(name: "arkit", bytes: 64, bits: 471)
    package static let orb = Kind(name: "orb", bytes: 32, bits: 256)
    /// No multiple of a word, and not all of its last byte.
    package static let odd = Kind(name: "odd", bytes: 21, bits: 165)
  }

  package let map: FeatureCloud
  package let mapSightings: FeatureCloud.Sightings
  package let query: FeatureCloud
  package let querySightings: FeatureCloud.Sightings
  /// Query to map, where ``Relation/onePlace``.
  package let truth: Transform
  /// The middle of the query in its own frame (metres).
  package let center: SIMD3<Float>

  /// Makes the trial of a seed with clouds of `points` points.
  ///
  /// - Parameters:
  ///   - sightings: The most sightings of a point.
  ///   - corner: The edge of a cube of one place in which all points lie that both have, as if only what stands there had not
  ///     changed (metres); nil for the whole place.
  package init(
    _ relation: Relation, _ kind: Kind = .arkit, points: Int = 1_200, sightings: Int = 7, mode: AlignmentMode,
    seed: UInt64, corner: Float? = nil
  ) {
    var dice = TrialDice(seed: seed)
    let eye = Detector(kind, using: &dice)
    let textures = (0..<20).map { _ in Detector.appearance(&dice) }
    let size = SIMD3<Float>(dice.number(1...4), dice.number(1...2.4), dice.number(1...4))
    var first = (0..<points).map { _ in Landmark(in: size, using: &dice) }
    var second = (0..<points).map { _ in Landmark(in: size, using: &dice) }
    switch relation {
    case .onePlace:
      if let corner {
        for index in 0..<(points / 5) { first[index].position = dice.vector(0...1) * min(corner, size.min() / 2) }
      }
      for index in 0..<(points / 5) { second[index] = first[index].seenAgain(&dice) }
    case .strangers: break
    case .repeats:
      for index in first.indices {
        first[index].resemble(textures[dice.below(textures.count)], using: &dice)
        second[index].resemble(textures[dice.below(textures.count)], using: &dice)
      }
    case .tiles:
      for index in 0..<(points / 3) {
        first[index].tile(index, textures[index % 4], at: .zero, using: &dice)
        second[index].tile(index, textures[index % 4], at: [0.13, 0, 0.21], using: &dice)
      }
    case .clutter:
      for index in stride(from: 0, to: points, by: 4) {
        first[index].resemble([Float](repeating: 0, count: Detector.numbers), using: &dice)
        second[index].resemble([Float](repeating: 0, count: Detector.numbers), using: &dice)
      }
    }
    dice.shuffle(&second)
    var pose = mode == .free ? dice.rotation() : AlignmentTrial.upright(&dice)
    pose.translation = dice.vector(-5...5)
    truth = pose
    let inverse = pose.inverse
    (map, mapSightings) = eye.cloud(first, at: .identity, sightings: sightings, using: &dice)
    (query, querySightings) = eye.cloud(second, at: inverse, sightings: sightings, using: &dice)
    center = query.positions.reduce(.zero, +) / Float(max(1, points))
  }

  /// Whether a pose is within 10 cm at the middle of the query and 8°.
  package func isRight(_ pose: Transform) -> Bool {
    truth.agrees(with: pose, at: center, within: 0.1, chord: 0.1973)
  }
}

/// A point of a place, and what it looks like.
private struct Landmark {
  var position: SIMD3<Float>
  var appearance: [Float]

  init(in size: SIMD3<Float>, using dice: inout TrialDice) {
    position = dice.vector(-0.5...0.5) * size
    appearance = Detector.appearance(&dice)
  }

  /// The same point in another session: a centimetre off, and every second time another feature of the same spot.
  func seenAgain(_ dice: inout TrialDice) -> Landmark {
    var again = self
    again.position += dice.normals() * 0.01
    let change: Float = dice.below(2) == 0 ? dice.number(0.05...0.35) : 1.2
    for index in again.appearance.indices { again.appearance[index] += change * dice.normal() }
    return again
  }

  mutating func resemble(_ texture: [Float], using dice: inout TrialDice) {
    appearance = texture.map { $0 + 0.2 * dice.normal() }
  }

  /// Becomes a corner of tiles of 30 cm on the floor.
  mutating func tile(_ index: Int, _ texture: [Float], at shift: SIMD3<Float>, using dice: inout TrialDice) {
    position = SIMD3(Float(index % 17) * 0.3, 0, Float(index / 17) * 0.3) + shift + dice.normals() * 0.005
    resemble(texture, using: &dice)
  }
}

/// Gives what a point looks like as bits.
private struct Detector {
  let kind: DescribedTrial.Kind
  /// The plane of each bit: `numbers` coefficients, then the distance from the origin.
  private var planes: [Float] = []

  static let numbers = 12

  init(_ kind: DescribedTrial.Kind, using dice: inout TrialDice) {
    self.kind = kind
    // All points are on one side of the origin: that is why two random ones differ in a third of the bits alone.
    var middle = (0..<Self.numbers).map { _ in dice.normal() }
    let length = middle.reduce(0) { $0 + $1 * $1 }.squareRoot()
    middle = middle.map { $0 / length * Float(Self.numbers).squareRoot() }
    for _ in 0..<kind.bits {
      let plane = middle.map { _ in dice.normal() }
      planes += plane
      planes.append(zip(plane, middle).reduce(0) { $0 + $1.0 * $1.1 })
    }
  }

  static func appearance(_ dice: inout TrialDice) -> [Float] { (0..<numbers).map { _ in dice.normal() } }

  /// The bytes of one sighting: from another side the point looks a little different, and one bit in a hundred flips.
  private func append(_ appearance: [Float], to bytes: inout [UInt8], using dice: inout TrialDice) {
    let seen = appearance.map { $0 + 0.2 * dice.normal() }
    let start = bytes.count
    bytes += [UInt8](repeating: 0, count: kind.bytes)
    for bit in 0..<kind.bits {
      let row = bit * (Self.numbers + 1)
      var sum = planes[row + Self.numbers]
      for number in 0..<Self.numbers { sum += planes[row + number] * seen[number] }
      if sum > 0 { bytes[start + bit / 8] |= 1 << UInt8(bit % 8) }
    }
    for _ in 0..<(kind.bits / 100) {
      let bit = dice.below(kind.bits)
      bytes[start + bit / 8] ^= 1 << UInt8(bit % 8)
    }
  }

  /// A cloud of landmarks with one to `sightings` sightings each; the cloud itself has the first.
  func cloud(
    _ landmarks: [Landmark], at pose: Transform, sightings: Int, using dice: inout TrialDice
  ) -> (FeatureCloud, FeatureCloud.Sightings) {
    var (all, first, counts): ([UInt8], [UInt8], [UInt32]) = ([], [], [])
    for landmark in landmarks {
      let count = 1 + dice.below(sightings)
      let start = all.count
      for _ in 0..<count { append(landmark.appearance, to: &all, using: &dice) }
      first += all[start..<(start + kind.bytes)]
      counts.append(UInt32(count))
    }
    let descriptors = { FeatureCloud.Descriptors(kind: kind.name, size: kind.bytes, bytes: $0) }
    let cloud = FeatureCloud(
      positions: landmarks.map { pose.act(on: $0.position) }, identifiers: landmarks.indices.map(UInt64.init),
      channels: FeatureCloud.Channels(descriptors: descriptors(first)))
    return (cloud, FeatureCloud.Sightings(descriptors: descriptors(all), counts: counts))
  }
}
