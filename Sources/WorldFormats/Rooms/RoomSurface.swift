import Basics
import WorldModel

/// A rectangle of a made-up room, with spots of texture on it.
struct RoomSurface {
  /// The kind of surface; nil when it gets no anchor.
  let name: String?
  let classification: Anchor.Plane.Classification
  /// The middle (metres).
  let center: SIMD3<Float>
  /// From the middle to the middle of one side.
  let u: SIMD3<Float>
  /// From the middle to the middle of the other side, so that v × u points along the normal.
  let v: SIMD3<Float>
  let color: SIMD3<Float>
  /// Where texture is, in units of u and v, in the order of the first.
  var spots: [SIMD2<Float>] = []

  /// Half the width and half the depth (metres).
  let halfSize: SIMD2<Float>
  /// The side that is seen.
  let normal: SIMD3<Float>

  init(
    name: String?, classification: Anchor.Plane.Classification, center: SIMD3<Float>, u: SIMD3<Float>,
    v: SIMD3<Float>, color: SIMD3<Float>
  ) {
    (self.name, self.classification, self.center, self.color) = (name, classification, center, color)
    (self.u, self.v) = (u, v)
    halfSize = SIMD2(u.length, v.length)
    normal = v.cross(u) / (u.length * v.length)
  }

  /// The area (square metres).
  var area: Float { 4 * halfSize.x * halfSize.y }

  /// The point at `place`, in units of u and v.
  @inline(__always)
  func point(at place: SIMD2<Float>) -> SIMD3<Float> { center + u * place.x + v * place.y }

  /// Strews spots of texture: about eight a square metre, half of them in a few groups such as posters and books.
  mutating func addTexture(using random: inout SplitMix64) {
    let count = max(3, Int(area * 8))
    let groups = (0..<max(1, count / 16)).map { _ in random.place() * 0.8 }
    let spread = 0.25 / halfSize
    spots = (0..<count).map { index in
      guard index % 2 == 0 else { return random.place() }
      let group = groups[index / 2 % groups.count]
      return (group + random.place() * spread).clamped(lowerBound: SIMD2(-1, -1), upperBound: SIMD2(1, 1))
    }.inOrder { $0.x < $1.x }
  }

  /// The plane anchor of this surface: y along the normal, x along u.
  func anchor(using random: inout SplitMix64) -> Anchor? {
    guard let name, let x = u.unit, let z = v.unit else { return nil }
    let isLevel = normal.y.magnitude > 0.5
    let plane = Anchor.Plane(
      alignment: isLevel ? .horizontal : .vertical, classification: classification, extent: halfSize * 2)
    let transform = Transform(x: x, y: z.cross(x), z: z, translation: center)
    return Anchor(id: AnchorID(using: &random), name: name, transform: transform, kind: .plane(plane))
  }
}

extension SplitMix64 {
  /// A place in the square −1…1 from one draw.
  @inline(__always)
  mutating func place() -> SIMD2<Float> {
    let bits = next()
    return SIMD2(Float(bits >> 40), Float(bits >> 16 & 0xff_ffff)) * 0x1p-23 - 1
  }

  /// A number with mean 0 and standard deviation 1, nearly normal, never beyond 3.5: the sum of four even ones.
  @inline(__always)
  mutating func bell() -> Float {
    let bits = next()
    let sum = (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + bits >> 48
    // Four even numbers of width 1 have the variance 4/12; 1.7320508 is the square root of its inverse.
    return (Float(sum) * 0x1p-16 - 2) * 1.732_050_8
  }
}
