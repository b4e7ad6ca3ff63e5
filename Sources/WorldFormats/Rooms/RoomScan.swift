import Basics
import WorldModel

/// A walk through a made-up room, keyframe by keyframe, that collects feature points.
struct RoomScan {
  private(set) var positions: [SIMD3<Float>] = []
  private(set) var identifiers: [UInt64] = []
  private(set) var colors: [SIMD3<UInt8>] = []
  private(set) var keyframes = 0

  private let surfaces: [RoomSurface]
  private let size: SIMD3<Float>
  private let count: Int
  /// The surfaces, each as often as it has texture to look at.
  private let attractions: [Int]
  private var random: SplitMix64
  /// Colours have numbers of their own, so that positions are the same with and without them.
  private var paint: SplitMix64
  private var identifier: UInt64

  init(_ surfaces: [RoomSurface], size: SIMD3<Float>, count: Int, random: SplitMix64) {
    self.surfaces = surfaces
    self.size = size
    self.count = count
    self.random = random
    paint = SplitMix64(seed: self.random.next())
    attractions = surfaces.indices.flatMap { index in
      [Int](repeating: index, count: surfaces[index].spots.count)
    }
    identifier = self.random.next() >> 24
    positions.reserveCapacity(count)
    identifiers.reserveCapacity(count)
  }

  /// Collects all points.
  mutating func run(colors: Bool) {
    while positions.count < count {
      keyframes += 1
      let bits = random.next()
      let surface = surfaces[attractions[Int(bits >> 32) % attractions.count]]
      let focus = Int(bits & 0xffff) % surface.spots.count
      let batch = min(40 + Int(bits >> 16 & 127), count - positions.count)
      // A keyframe adds to the points of the last one: most ids between have been given and taken back.
      identifier += 16 + bits >> 55
      for _ in 0..<batch {
        let position = look(at: surface, focus)
        identifier += 1 + random.next() >> 61
        positions.append(position)
        identifiers.append(identifier)
        if colors { self.colors.append(shade(surface.color)) }
      }
    }
  }

  /// One point seen while looking at a spot of `surface`.
  private mutating func look(at surface: RoomSurface, _ focus: Int) -> SIMD3<Float> {
    let roll = random.next()
    let kind = roll & 0xff
    if kind >= 252 { return outlier(roll >> 8) }
    let center = surface.spots[focus]
    let meter = 1 / surface.halfSize
    var place: SIMD2<Float>
    switch kind {
    case 0..<150:  // On one of the spots near the focus: corners of letters, knots of wood.
      let spot = surface.spots[(focus + Int(roll >> 8 & 7)) % surface.spots.count]
      place = spot + SIMD2(random.bell(), random.bell()) * 0.02 * meter
    case 150..<200:  // On the edge of the surface that is nearest.
      place = center + random.place() * 0.7 * meter
      let side = place.x.magnitude > place.y.magnitude ? 0 : 1
      place[side] = place[side] < 0 ? -1 : 1
    default:  // Anywhere around.
      place = center + random.place() * 0.6 * meter
    }
    place = place.clamped(lowerBound: SIMD2(-1, -1), upperBound: SIMD2(1, 1))
    let noise: Float = roll >> 56 < 13 ? 0.03 : 0.004
    return surface.point(at: place) + surface.normal * (random.bell() * noise)
  }

  /// A point that was triangulated from a wrong match: in or about the room, one in 32 kilometres away.
  private mutating func outlier(_ bits: UInt64) -> SIMD3<Float> {
    let reach: Float = bits & 31 == 0 ? 1_000 : 1
    return random.vector(in: -1...1) * size * reach
  }

  /// A colour near that of the surface.
  private mutating func shade(_ color: SIMD3<Float>) -> SIMD3<UInt8> {
    let shade = color * paint.float(in: 0.55...1.1)
    return SIMD3<UInt8>(
      truncatingIfNeeded: SIMD3<Int32>(shade.clamped(lowerBound: .zero, upperBound: SIMD3(repeating: 255))))
  }
}
