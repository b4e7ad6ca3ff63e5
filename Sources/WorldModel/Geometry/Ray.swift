/// A half-line in the world frame: where a look begins and where it goes.
public struct Ray: Hashable, Sendable {
  /// Where it begins (metres, world frame).
  public var origin: SIMD3<Float>
  /// Where it goes: a vector of length one.
  public var direction: SIMD3<Float>

  /// A ray; `direction` is scaled to length one, and becomes −z when it has no direction.
  public init(origin: SIMD3<Float>, direction: SIMD3<Float>) {
    self.origin = origin
    self.direction = direction.unit ?? [0, 0, -1]
  }

  /// The point `distance` metres along the ray.
  public func point(at distance: Float) -> SIMD3<Float> { origin + direction * distance }
}
