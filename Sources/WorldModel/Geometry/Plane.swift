/// A flat surface: a placement whose y axis is the normal, and an extent along its x and z axes.
public struct Plane: Hashable, Sendable {
  /// The centre of the surface and its axes: y is the normal, x and z span it.
  public var transform: Transform
  /// The full size along x and z (metres); nil for a plane without end.
  public var extent: SIMD2<Float>?
  /// The corners (x, z) of the surface, in order (metres); fewer than three mean the rectangle of ``extent``.
  public var outline: [SIMD2<Float>]

  /// A plane; without an extent and an outline it has no end.
  public init(transform: Transform, extent: SIMD2<Float>? = nil, outline: [SIMD2<Float>] = []) {
    self.transform = transform
    self.extent = extent
    self.outline = outline
  }

  /// The surface of a plane anchor; nil for other kinds.
  public init?(_ anchor: Anchor) {
    guard case .plane(let plane) = anchor.kind else { return nil }
    self.init(transform: anchor.transform, extent: plane.extent, outline: plane.boundary)
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

  /// Whether a point of the plane lies within the outline or, without one, the extent (always, when there is neither).
  public func contains(_ point: SIMD3<Float>) -> Bool {
    let offset = point - transform.translation
    let local = SIMD2(offset.dot(transform.columns.0.xyz), offset.dot(transform.columns.2.xyz))
    if outline.count >= 3 { return outlineContains(local) }
    guard let extent else { return true }
    return local.x.magnitude <= extent.x / 2 && local.y.magnitude <= extent.y / 2
  }

  /// Whether a line from `place` to the far right crosses the outline an odd number of times.
  private func outlineContains(_ place: SIMD2<Float>) -> Bool {
    var isInside = false
    var last = outline[outline.count - 1]
    for corner in outline {
      if (corner.y > place.y) != (last.y > place.y) {
        let crossing = last.x + (corner.x - last.x) * (place.y - last.y) / (corner.y - last.y)
        if crossing > place.x { isInside.toggle() }
      }
      last = corner
    }
    return isInside
  }
}
