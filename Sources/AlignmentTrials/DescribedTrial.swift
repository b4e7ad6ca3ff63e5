package import WorldModel
package import WorldAlignment

/// Two clouds of one place, or of two places, whose points have made-up binary descriptors.
///
/// The look of a point is a vector of twelve numbers; a bit of its descriptor says on which side of a plane it
/// lies. So bits depend on each other, as those of real detectors do. Its numbers were chosen to come near eight
/// archives of ARKit. Of those, and in brackets of 1,200 made-up points: 41 bits are always 0; 43 to 47 % of the bits
/// are set (46 %); two random sightings differ in 150 bits, 1 % in at most 67 (156, 82); a point and the nearest wrong
/// one in 66, 5 % in at most 38 (57, 39); one point in two sessions in 80, a quarter in at most 40, a tenth in at most
/// 20 (83, 33, 24).
package struct DescribedTrial: Sendable {
  /// The part that the two clouds have in common.
  package enum Relation: String, Sendable, CaseIterable {
    /// One place: a fifth of the points, the others are elsewhere.
    case onePlace
    /// One place, and a floor of equal tiles in it.
    case tiledPlace
    /// Two places that have nothing in common.
    case strangers
    /// Two places whose textures are of the same few kinds.
    case repeats
    /// Two places with the same tiles, in lattices of the same spacing, at different places in each.
    case tiles
    /// Two places with two to four equal things each, such as chairs, of forty points; each thing is lit in its own way.
    case furniture
    /// Two places, and points that look like everything.
    case clutter

    /// Whether there is a right pose.
    package var isOnePlace: Bool { self == .onePlace || self == .tiledPlace }
  }

  /// The kind of descriptor.
  package struct Kind: Sendable {
    let name: String
    let bytes: Int
    /// The bits that are not always 0, from the first one on.
    let bits: Int

    package static let arkit = Kind(name: "arkit", bytes: 64, bits: 471)
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
  ///   - share: One point of so many is in both clouds of one place.
  ///   - corner: The edge of a cube of one place in which all points lie that both have, as if only what stands there had not
  ///     changed (metres); nil for the whole place.
  package init(
    _ relation: Relation, _ kind: Kind = .arkit, points: Int = 1_200, sightings: Int = 7, mode: AlignmentMode,
    seed: UInt64, share: Int = 5, corner: Float? = nil
  ) {
    var dice = TrialDice(seed: seed)
    let eye = Detector(kind, using: &dice)
    let textures = (0..<20).map { _ in Detector.appearance(&dice) }
    let size = SIMD3<Float>(dice.number(1...4), dice.number(1...2.4), dice.number(1...4))
    var first = (0..<points).map { _ in Landmark(in: size, using: &dice) }
    var second = (0..<points).map { _ in Landmark(in: size, using: &dice) }
    let shared = relation.isOnePlace ? points / share : 0
    if let corner {
      for index in 0..<shared { first[index].position = dice.vector(0...1) * min(corner, size.min() / 2) }
    }
    for index in 0..<shared { second[index] = first[index].seenAgain(&dice) }
    relation.populate(&first, &second, textures, in: size, using: &dice)
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

extension DescribedTrial.Relation {
  /// Gives the points of two places what they have in common beside the points of one place.
  fileprivate func populate(
    _ first: inout [Landmark], _ second: inout [Landmark], _ textures: [[Float]], in size: SIMD3<Float>,
    using dice: inout TrialDice
  ) {
    switch self {
    case .onePlace, .strangers: break
    case .tiledPlace:
      for index in 0..<(first.count / 3) {
        let place = first.count - 1 - index
        first[place].tile(index, textures[index % 4], at: .zero, using: &dice)
        second[place].tile(index, textures[index % 4], at: .zero, using: &dice)
      }
    case .repeats:
      for index in first.indices {
        first[index].resemble(textures[dice.below(textures.count)], using: &dice)
        second[index].resemble(textures[dice.below(textures.count)], using: &dice)
      }
    case .tiles:
      for index in 0..<(first.count / 3) {
        first[index].tile(index, textures[index % 4], at: .zero, using: &dice)
        second[index].tile(index, textures[index % 4], at: [0.13, 0, 0.21], using: &dice)
      }
    case .furniture:
      let thing = (0..<40).map { _ in Landmark(in: [0.6, 1, 0.6], using: &dice) }
      for index in 0..<(2 + dice.below(3)) {
        Landmark.put(thing, into: &first, at: 40 * index, in: size, using: &dice)
        Landmark.put(thing, into: &second, at: 40 * index, in: size, using: &dice)
      }
    case .clutter:
      for index in stride(from: 0, to: first.count, by: 4) {
        first[index].resemble([Float](repeating: 0, count: Detector.numbers), using: &dice)
        second[index].resemble([Float](repeating: 0, count: Detector.numbers), using: &dice)
      }
    }
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

  /// Replaces points from `start` on by those of a thing that stands somewhere in a place.
  static func put(
    _ thing: [Landmark], into points: inout [Landmark], at start: Int, in size: SIMD3<Float>,
    using dice: inout TrialDice
  ) {
    var pose = AlignmentTrial.upright(&dice)
    pose.translation = dice.vector(-0.5...0.5) * size
    let light = (0..<Detector.numbers).map { _ in 0.2 * dice.normal() }
    for (index, part) in thing.enumerated() {
      points[start + index].position = pose.act(on: part.position) + dice.normals() * 0.005
      points[start + index].resemble(zip(part.appearance, light).map { $0 + $1 }, using: &dice)
    }
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
