import WorldModel

/// How much more of a cloud is repeated in another one at a pose than chance explains.
///
/// Two clouds of one place share content: the same features, or features on the same spots. Two clouds of different places
/// that are laid on each other share surfaces: the floor lies on the floor, walls on walls and edges on edges. So chance is not
/// "points anywhere" but the cloud's own points, slid along their own surface and along the vertical.
struct Repetition {
  /// The t value of the excess over blocks, without the surroundings of whichever block carries most.
  ///
  /// It does not depend on how dense the clouds are: a sparse one has a small excess and a small deviation of it.
  let certainty: Float

  /// A hit is a point of the other cloud within this distance (metres).
  static let hit: Float = 0.02
  /// The edge of a cell of the grids in which hits are looked for (metres).
  static let cell: Float = 0.05
  /// How far the null slides a point (metres).
  private static let slides: ClosedRange<Float> = 0.07...0.13
  /// Slides along each axis.
  private static let slidesPerAxis = 6
  /// The excess of a block counts as at most this: a spot that lies on another by chance must not decide.
  private static let mostExcess: Float = 3
  /// Of more points every n-th is asked.
  private static let mostWitnesses = 2_000

  /// - Parameters:
  ///   - cloud: The witnesses (metres).
  ///   - motion: Their pose in the frame of `other`.
  ///   - up: The vertical in that frame, of length 1.
  init(of cloud: [SIMD3<Float>], at motion: RigidMotion, in other: PointGrid, up: SIMD3<Float>) {
    let own = PointGrid(cloud, cell: OwnSurface.reach)
    let step = max(1, (cloud.count + Self.mostWitnesses - 1) / Self.mostWitnesses)
    var blocks = Blocks()
    for index in stride(from: 0, to: cloud.count, by: step) {
      let point = cloud[index]
      let place = motion.act(on: point)
      let surface = OwnSurface(of: point, in: own)
      let directions: [3 of SIMD3<Float>] = [motion.rotate(surface.first), motion.rotate(surface.second), up]
      var chance: Float = 0
      for axis in 0..<3 {
        // A point that can be slid along any of them is no evidence: one of an edge can along it, whatever the others say.
        chance = max(chance, Self.chance(place, directions[axis], salt: index &* 131 &+ axis &* 17, in: other))
      }
      let isHit = other.hasPoint(near: place, within: Self.hit)
      blocks.add((isHit ? 1 : 0) - chance, at: point)
    }
    certainty = Self.certainty(
      of: blocks.sums.map { min(max($0, -Self.mostExcess), Self.mostExcess) }, at: blocks.middles)
  }

  /// How often a point that is slid along `axis` meets the other cloud.
  @inline(__always)
  private static func chance(_ place: SIMD3<Float>, _ axis: SIMD3<Float>, salt: Int, in other: PointGrid) -> Float {
    var hits: Float = 0
    for slide in 0..<slidesPerAxis {
      // From a lattice that no two slides of a point share.
      let part = Float((salt &+ slide &* 37) % 61) / 60
      let length = slides.lowerBound + (slides.upperBound - slides.lowerBound) * part
      if other.hasPoint(near: place + axis * (slide & 1 == 0 ? length : -length), within: hit) { hits += 1 }
    }
    return hits / Float(slidesPerAxis)
  }

  /// The least t value when the region around one of the six best blocks is left out: evidence comes from several regions.
  private static func certainty(of excess: [Float], at middles: [SIMD3<Float>]) -> Float {
    let region = 0.4 + 0.036 * Float(excess.count).squareRoot()
    let strongest = excess.indices.sorted { (excess[$0], $1) > (excess[$1], $0) }.prefix(6)
    return strongest.map { best in
      Blocks.tValue(
        of: excess.indices.lazy.filter { (middles[$0] - middles[best]).lengthSquared > region * region }
          .map { excess[$0] }, prior: 1)
    }.min() ?? 0
  }
}
