import Basics
import WorldFormats
import WorldModel

/// A made-up place: the points that perfect devices could see.
package enum TrialPlace: String, Sendable {
  /// The places that are reported.
  package static let reported = [room, flat, yard]

  /// One furnished room.
  case room
  /// Six furnished rooms, each turned by a right angle or not, in two rows.
  case flat
  /// A room with few points: what a test has time for.
  case small
  /// Surfaces at any angle, columns and bushes under no roof.
  case yard
  /// A corridor of 12 m to 24 m with doors, most of them equally far apart.
  case corridor

  package func points(seed: UInt64) -> [SIMD3<Float>] {
    switch self {
    case .room: SyntheticRoom(seed: seed, pointCount: 60_000).map().cloud.positions
    case .small: SyntheticRoom(seed: seed, pointCount: 6_000).map().cloud.positions
    case .flat: Self.flat(seed)
    case .yard: Self.yard(seed)
    case .corridor: Self.corridor(seed)
    }
  }

  private static func flat(_ seed: UInt64) -> [SIMD3<Float>] {
    var dice = TrialDice(seed: seed)
    var all: [SIMD3<Float>] = []
    for index in 0..<4 {
      let room = SyntheticRoom(seed: dice.next(), pointCount: 40_000).map().cloud.positions
      let quarter = dice.below(4)
      let shift = SIMD3<Float>(Float(index % 2) * 7.2, 0, Float(index / 2) * 6.5)
      for p in room {
        let turned: SIMD3<Float> =
          switch quarter {
          case 0: p
          case 1: [p.z, p.y, -p.x]
          case 2: [-p.x, p.y, -p.z]
          default: [-p.z, p.y, p.x]
          }
        all.append(turned + shift)
      }
    }
    return all
  }

  private static func yard(_ seed: UInt64) -> [SIMD3<Float>] {
    var dice = TrialDice(seed: seed)
    var all: [SIMD3<Float>] = []
    let ground: (Float, Float) -> Float = { x, z in 0.04 * x - 0.02 * z + 0.004 * x * z }
    // Spots of texture on the ground, then things that stand on it.
    var spots: [(center: SIMD3<Float>, u: SIMD3<Float>, v: SIMD3<Float>, weight: Int)] = []
    for _ in 0..<400 {
      let x = dice.number(-10...10), z = dice.number(-8...8)
      spots.append(([x, ground(x, z), z], [0.12, 0, 0], [0, 0, 0.12], 1 + dice.below(30)))
    }
    for _ in 0..<24 {
      let x = dice.number(-10...10), z = dice.number(-8...8)
      let base = SIMD3<Float>(x, ground(x, z), z)
      switch dice.below(3) {
      case 0:  // A wall.
        let turn = dice.turn()
        let along = SIMD3<Float>(turn.x, 0, turn.y)
        let width = dice.number(0.5...3), height = dice.number(0.6...2.6), lean = dice.number(-0.1...0.1)
        for _ in 0..<(20 + dice.below(60)) {
          let a = dice.number(-1...1) * width, b = dice.number(0...1) * height
          let up = SIMD3<Float>(-turn.y * lean, 1, turn.x * lean)
          spots.append((base + along * a + up * b, along * 0.06, up * 0.06, 1 + dice.below(40)))
        }
      case 1:  // A column.
        let radius = dice.number(0.08...0.4), height = dice.number(1...3)
        for _ in 0..<(15 + dice.below(40)) {
          let turn = dice.turn()
          let at = base + [turn.x * radius, dice.number(0...1) * height, turn.y * radius]
          spots.append((at, [-turn.y * 0.04, 0, turn.x * 0.04], [0, 0.05, 0], 1 + dice.below(40)))
        }
      default:  // A bush.
        let size = dice.vector(0.3...1.2)
        for _ in 0..<(20 + dice.below(60)) {
          let at = base + dice.direction() * size * 0.7 + [0, size.y * 0.7, 0]
          spots.append((at, dice.direction() * 0.08, dice.direction() * 0.08, 1 + dice.below(12)))
        }
      }
    }
    for spot in spots {
      for _ in 0..<(spot.weight * 4) {
        let p = spot.center + spot.u * dice.normal() + spot.v * dice.normal()
        // A tracker errs more along its line of sight; one in ten points is off by much.
        let reach: Float = dice.below(10) == 0 ? 0.06 : 0.008
        all.append(p + dice.direction() * (dice.normal() * reach))
      }
    }
    for _ in 0..<(all.count / 60) { all.append(dice.vector(-1...1) * SIMD3<Float>(12, 4, 10)) }
    for _ in 0..<20 { all.append(dice.vector(-1...1) * 3000) }
    dice.shuffle(&all)
    return all
  }

  private static func corridor(_ seed: UInt64) -> [SIMD3<Float>] {
    var dice = TrialDice(seed: seed)
    let size = SIMD3<Float>(dice.number(12...24), 2.5, dice.number(1.4...2.2))
    var spots: [(center: SIMD3<Float>, reach: SIMD3<Float>, weight: Int)] = []
    // Texture on the floor, the ceiling and the two walls.
    for _ in 0..<Int(size.x * 12) {
      let side: Float = dice.below(2) == 0 ? -0.5 : 0.5
      let (along, across) = (dice.number(-0.5...0.5), dice.number(-0.5...0.5))
      let isUpright = dice.below(3) != 0
      let center = size * (isUpright ? SIMD3(along, across, side) : SIMD3(along, side, across))
      spots.append((center, isUpright ? [0.06, 0.06, 0] : [0.06, 0, 0.06], 1 + dice.below(30)))
    }
    // The two posts and the lintel of each door.
    for door in 0..<Int(size.x / 2.5) {
      let side: Float = dice.below(2) == 0 ? -0.5 : 0.5
      let x = Float(door) * 2.5 - size.x / 2 + (dice.below(3) == 0 ? dice.number(0.3...1.2) : 0.6)
      for post: Float in [0, 0.9] { spots.append(([x + post, -0.25, side * size.z], [0.01, 0.5, 0.01], 60)) }
      spots.append(([x + 0.45, 0.8, side * size.z], [0.3, 0.01, 0.01], 30))
    }
    var all: [SIMD3<Float>] = []
    for spot in spots {
      for _ in 0..<(spot.weight * 16) {
        all.append(spot.center + spot.reach * dice.normals() + dice.normals() * 0.004)
      }
    }
    for _ in 0..<(all.count / 60) { all.append(dice.vector(-0.7...0.7) * size) }
    return all
  }
}
