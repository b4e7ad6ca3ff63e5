/// A box along the axes of the world, from its lowest to its highest corner (metres).
public struct BoundingBox: Hashable, Sendable {
  /// The corner with the smallest coordinates.
  public var minimum: SIMD3<Float>
  /// The corner with the largest coordinates.
  public var maximum: SIMD3<Float>

  /// A box from two corners, smallest first.
  public init(minimum: SIMD3<Float>, maximum: SIMD3<Float>) {
    self.minimum = minimum
    self.maximum = maximum
  }

  /// The smallest box about `points`; nil when there are none.
  public init?(containing points: some Sequence<SIMD3<Float>>) {
    var box: BoundingBox?
    for point in points {
      box = BoundingBox(
        minimum: pointwiseMin(box?.minimum ?? point, point), maximum: pointwiseMax(box?.maximum ?? point, point))
    }
    guard let box else { return nil }
    self = box
  }

  /// The middle (metres).
  public var center: SIMD3<Float> { minimum + extent / 2 }

  /// The lengths of the sides (metres).
  public var extent: SIMD3<Float> { maximum - minimum }

  /// Whether `point` lies inside or on the surface.
  public func contains(_ point: SIMD3<Float>) -> Bool {
    all(point .>= minimum) && all(point .<= maximum)
  }

  /// Whether the boxes share at least a point.
  public func intersects(_ other: BoundingBox) -> Bool {
    all(minimum .<= other.maximum) && all(other.minimum .<= maximum)
  }
}
