import Basics
import WorldModel

/// The walls and the furniture of a made-up room.
struct RoomFurnishing {
  /// Width, height and depth (metres).
  let size: SIMD3<Float>
  /// Everything that is seen.
  private(set) var surfaces: [RoomSurface] = []
  /// The height of the floor: the device begins 1.4 m above it.
  private let floor: Float = -1.4

  /// A room of 4–7 m by 3.5–6 m with four to seven pieces of furniture.
  init(using random: inout SplitMix64) {
    size = SIMD3(random.float(in: 4...7), random.float(in: 2.4...3), random.float(in: 3.5...6))
    addShell(using: &random)
    addBox(
      "table", .table, size: SIMD3(random.float(in: 1...1.8), 0.74, random.float(in: 0.7...0.9)),
      at: random.place() * 0.4, using: &random)
    for index in 0..<(3 + Int(random.next() % 4)) {
      let isTall = index % 2 == 0
      let height = isTall ? random.float(in: 1.2...2) : random.float(in: 0.4...0.8)
      let box = SIMD3(random.float(in: 0.4...1.2), height, random.float(in: 0.35...0.8))
      let name = isTall ? "shelf \(index + 1)" : "seat \(index + 1)"
      addBox(name, isTall ? .none : .seat, size: box, at: alongWall(index, using: &random), using: &random)
    }
    for index in surfaces.indices { surfaces[index].addTexture(using: &random) }
  }

  /// Floor, ceiling and four walls, seen from inside.
  private mutating func addShell(using random: inout SplitMix64) {
    let half = size / 2
    let middle = floor + half.y
    let (x, y, z): (SIMD3<Float>, SIMD3<Float>, SIMD3<Float>) = ([half.x, 0, 0], [0, half.y, 0], [0, 0, half.z])
    let wall = SIMD3<Float>(225, 220, 208) - random.vector(in: 0...30)
    add("floor", .floor, SIMD3(0, floor, 0), x, z, [128, 92, 62])
    add("ceiling", .ceiling, SIMD3(0, floor + size.y, 0), x, -z, [240, 240, 238])
    add("north wall", .wall, SIMD3(0, middle, -half.z), x, -y, wall)
    add("south wall", .wall, SIMD3(0, middle, half.z), -x, -y, wall)
    add("east wall", .wall, SIMD3(half.x, middle, 0), z, -y, wall * 0.94)
    add("west wall", .wall, SIMD3(-half.x, middle, 0), -z, -y, wall * 0.94)
  }

  /// A box that stands on the floor at `place` (in halves of the room), turned about the vertical by up to 37°.
  private mutating func addBox(
    _ name: String, _ classification: Anchor.Plane.Classification, size box: SIMD3<Float>, at place: SIMD2<Float>,
    using random: inout SplitMix64
  ) {
    // (1 − t²)/(1 + t²) and 2t/(1 + t²) are a cosine and a sine without trigonometry.
    let t = random.float(in: -1...1) * random.float(in: 0...0.33)
    let (cosine, sine) = ((1 - t * t) / (1 + t * t), 2 * t / (1 + t * t))
    let x = SIMD3(cosine, 0, -sine) * (box.x / 2)
    let z = SIMD3(sine, 0, cosine) * (box.z / 2)
    let y = SIMD3(0, box.y / 2, 0)
    let middle = SIMD3(place.x * size.x / 2, floor + box.y / 2, place.y * size.z / 2)
    let color = random.vector(in: 50...200)
    add(name, classification, middle + y, x, z, color)
    add(nil, .none, middle + z, x, -y, color * 0.85)
    add(nil, .none, middle - z, -x, -y, color * 0.8)
    add(nil, .none, middle + x, -z, -y, color * 0.75)
    add(nil, .none, middle - x, z, -y, color * 0.7)
  }

  /// A place near one of the walls, in turn.
  private func alongWall(_ index: Int, using random: inout SplitMix64) -> SIMD2<Float> {
    let along = random.float(in: -0.75...0.75)
    let side: Float = index & 1 == 0 ? 0.82 : -0.82
    return index & 2 == 0 ? SIMD2(along, side) : SIMD2(side, along)
  }

  private mutating func add(
    _ name: String?, _ classification: Anchor.Plane.Classification, _ center: SIMD3<Float>, _ u: SIMD3<Float>,
    _ v: SIMD3<Float>, _ color: SIMD3<Float>
  ) {
    surfaces.append(
      RoomSurface(name: name, classification: classification, center: center, u: u, v: v, color: color))
  }
}
