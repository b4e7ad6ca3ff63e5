import Basics
package import WorldModel
import WorldFormats

/// A map of a place or of a part of it, and scans of the same part that were held back: they have other points.
///
/// The gate (``MappingStatus``) promises by the map alone what share of such scans the relocalizer accepts.
package struct GateTrial: Sendable {
  /// The part of a place that is mapped.
  package enum Kind: String, Sendable, CaseIterable {
    /// A furnished room.
    case room
    /// The part of a room that a camera sees that turns by 60° to 300° in its middle: a room that is walked in part.
    case sweep
    /// The part within 2 m of a corner of a room.
    case corner
    /// One wall of a room.
    case wall
    /// The part within 0.4 m to 1.2 m of a spot of a room, such as a table.
    case spot
    /// A corridor of 12 m to 24 m.
    case corridor
    /// Four rooms.
    case flat
    /// Twelve rooms.
    case storey
    /// A yard.
    case yard
  }

  /// A scan that was held back, in a frame of its own.
  package struct Scan: Sendable {
    /// The points (metres).
    package let query: [SIMD3<Float>]
    /// Query to map.
    let truth: Transform
    /// The middle of the query in its own frame (metres).
    let center: SIMD3<Float>

    init(_ points: some Sequence<SIMD3<Float>>, noise: Float, using dice: inout TrialDice) {
      var pose = AlignmentTrial.upright(&dice)
      pose.translation = dice.vector(-5...5)
      let inverse = pose.inverse
      var moved = points.map { inverse.act(on: $0 + dice.normals() * noise) }
      dice.shuffle(&moved)
      var center = SIMD3<Float>.zero
      for axis in 0..<3 where !moved.isEmpty { center[axis] = moved.map { $0[axis] }.sorted()[moved.count / 2] }
      (query, truth, self.center) = (moved, pose, center)
    }

    /// Whether a pose is within 5 cm at the middle of the scan and 2°.
    package func isRight(_ pose: Transform) -> Bool {
      truth.agrees(with: pose, at: center, within: 0.05, chord: 0.049_36)
    }
  }

  /// How far a scan sees from a spot in the middle of the place (metres).
  private static let reach: Float = 5

  /// The points of the map (metres).
  package let map: [SIMD3<Float>]
  /// The scans that were held back.
  package let scans: [Scan]

  /// Makes the trial of a seed, which decides the number of points.
  package init(_ kind: Kind, seed: UInt64, scans count: Int) {
    var dice = TrialDice(seed: seed)
    let points = kind.points(&dice)
    var walks = kind.walks(1 + count, points, seed: seed, using: &dice)
    let box = BoundingBox(ignoringOutliersOf: walks[0]) ?? BoundingBox(minimum: .zero, maximum: .zero)
    let part = kind.part(of: box, using: &dice)
    for index in walks.indices { walks[index] = walks[index].filter(part) }
    let eye = box.center + dice.vector(-1...1) * box.extent / 6
    map = walks[0].map { $0 + dice.normals() * 0.003 }
    scans = walks.dropFirst().map { walk in
      let seen = walk.filter { SIMD2($0.x - eye.x, $0.z - eye.z).length <= Self.reach }
      return Scan(seen, noise: 0.003, using: &dice)
    }
  }

  /// Makes the trial of a seed from a cloud of which nothing else is known.
  ///
  /// Three of ten points of a scan are in the map too, as one device sees a part of the points of another again; every
  /// coordinate has an error of a centimetre in each.
  package init(of cloud: [SIMD3<Float>], seed: UInt64, scans count: Int) {
    var dice = TrialDice(seed: seed)
    var cloud = cloud
    dice.shuffle(&cloud)
    let points = min(Int(Float(300 << dice.below(6)) * dice.number(1...2)), cloud.count * 10 / 17)
    let common = points * 3 / 10
    map = cloud.prefix(points).map { $0 + dice.normals() * 0.01 }
    scans = (0..<count).map { _ in
      var (known, others) = (Array(cloud.prefix(points)), Array(cloud.dropFirst(points)))
      dice.shuffle(&known)
      dice.shuffle(&others)
      return Scan(known.prefix(common) + others.prefix(points - common), noise: 0.01, using: &dice)
    }
  }

  /// The points of a map or a point cloud in a file, as large as a room: few such files say what their unit is.
  package static func cloud(reading bytes: [UInt8], fileExtension: String?) throws -> [SIMD3<Float>] {
    let cloud = try MapFile(reading: bytes, fileExtension: fileExtension).map.cloud.positions
    guard let box = BoundingBox(ignoringOutliersOf: cloud), box.extent.max() > 0 else { return [] }
    return cloud.map { ($0 - box.center) * (5 / box.extent.max()) }
  }
}

extension GateTrial.Kind {
  /// The number of points of a walk through the whole place: sizes are spread evenly over their logarithm, nearly.
  fileprivate func points(_ dice: inout TrialDice) -> Int {
    let (least, doublings) =
      switch self {
      case .room: (400, 6)
      case .sweep, .corner: (1_000, 5)
      case .wall, .spot: (2_000, 6)
      case .corridor: (400, 6)
      case .flat: (2_000, 5)
      case .storey: (6_000, 4)
      case .yard: (500, 6)
      }
    return Int(Float(least << dice.below(doublings)) * dice.number(1...2))
  }

  /// Walks through one place, each with other points of it.
  fileprivate func walks(_ count: Int, _ points: Int, seed: UInt64, using dice: inout TrialDice) -> [[SIMD3<Float>]] {
    let place: TrialPlace
    switch self {
    case .room, .sweep, .corner, .wall, .spot:
      return (1...count).map { walk in
        SyntheticRoom(seed: seed, pointCount: points, walk: UInt64(walk)).map().cloud.positions
      }
    case .flat, .storey:
      let (rooms, columns) = self == .flat ? (4, 2) : (12, 4)
      return (1...count).map { walk in
        (0..<rooms).flatMap { room in
          let made = SyntheticRoom(
            seed: seed &* 16 &+ UInt64(room), pointCount: points / rooms, walk: UInt64(walk))
          let shift = SIMD3<Float>(Float(room % columns) * 7.2, 0, Float(room / columns) * 6.5)
          return made.map().cloud.positions.map { $0 + shift }
        }
      }
    case .corridor: place = .corridor
    case .yard: place = .yard
    }
    var all = place.points(seed: seed)
    dice.shuffle(&all)
    let size = min(points, all.count / count)
    return (0..<count).map { Array(all[($0 * size)..<(($0 + 1) * size)]) }
  }

  /// Whether a point of a place is in the part that is mapped.
  fileprivate func part(of box: BoundingBox, using dice: inout TrialDice) -> (SIMD3<Float>) -> Bool {
    let side = SIMD3<Float>(dice.below(2) == 0 ? -1 : 1, 0, dice.below(2) == 0 ? -1 : 1)
    let corner = box.center + side * box.extent / 2
    switch self {
    case .room, .corridor, .flat, .storey, .yard: return { _ in true }
    case .sweep:
      // The cosine of half the sweep.
      let (heading, least) = (dice.turn(), dice.number(-0.866...0.866))
      return { point in
        let flat = SIMD2(point.x - box.center.x, point.z - box.center.z)
        return flat.dot(heading) >= least * flat.length
      }
    case .corner: return { SIMD2($0.x - corner.x, $0.z - corner.z).length <= 2 }
    case .wall:
      let axis = dice.below(2) * 2
      return { abs($0[axis] - corner[axis]) <= 0.3 }
    case .spot:
      let (spot, reach) = (box.center + dice.vector(-1...1) * box.extent / 3, dice.number(0.4...1.2))
      return { SIMD2($0.x - spot.x, $0.z - spot.z).length <= reach }
    }
  }
}
