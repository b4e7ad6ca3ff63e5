/// A flat surface: a placement whose y axis is the normal, and an extent along its x and z axes.
public struct Plane: Hashable, Sendable {
  /// The centre of the surface and its axes: y is the normal, x and z span it.
  public var transform: Transform
  /// The full size along x and z (metres); nil for a plane without end.
  public var extent: SIMD2<Float>?

  /// A plane; without an extent it has no end.
  public init(transform: Transform, extent: SIMD2<Float>? = nil) {
    self.transform = transform
    self.extent = extent
  }

  /// The unit normal: the placement's y axis.
  public var normal: SIMD3<Float> { transform.columns.1.xyz }

  /// The distance along `ray` to this plane taken without end; nil when they never meet in front of the origin.
  public func distance(along ray: Ray) -> Float? {
    let slope = normal.dot(ray.direction)
    // Below this the ray runs along the plane, and the quotient says nothing.
    guard slope.magnitude > 1e-6 else { return nil }
    let distance = normal.dot(transform.translation - ray.origin) / slope
    return distance.isFinite && distance >= 0 ? distance : nil
  }

  /// Whether a point of the plane lies within the extent (always, when there is none).
  public func contains(_ point: SIMD3<Float>) -> Bool {
    guard let extent else { return true }
    let offset = point - transform.translation
    let local = SIMD2(offset.dot(transform.columns.0.xyz), offset.dot(transform.columns.2.xyz))
    return local.x.magnitude <= extent.x / 2 && local.y.magnitude <= extent.y / 2
  }
}
