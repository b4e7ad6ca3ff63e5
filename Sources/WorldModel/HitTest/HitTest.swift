/// Finds the surfaces under a point of the screen: planes, and surfaces estimated from clusters of feature points.
///
/// ```swift
/// let camera = PinholeCamera.framing(map)
/// let hits = HitTest(map).results(at: [0.5, 0.5], through: camera)
/// if let hit = hits.first { map.anchors.append(Anchor(name: "lamp", transform: hit.transform)) }
/// ```
///
/// The conventions of the camera and the screen are those of ``PinholeCamera``. The first one of a cloud builds its
/// ``FeatureCloud/spatialIndex``; further ones of the same cloud, or of a copy, cost nothing.
public struct HitTest: Sendable {
  /// The surfaces that are tried beside the cloud.
  public let planes: [Surface]
  /// How far from the tapped point a feature point may appear, in picture heights; 0.02 is 20 pixels of 1,000.
  public var radius: Float = 0.02
  /// How far it may appear in a sparse cloud: without a cluster within ``radius``, that is doubled up to here.
  public var largestRadius: Float = 0.08
  /// How many points make a cluster; fewer count as outliers.
  public var clusterSize = 3

  let positions: [SIMD3<Float>]
  let index: SpatialIndex

  /// A hit-test on `planes` and on the points of `cloud`.
  public init(cloud: FeatureCloud, planes: [Surface] = []) {
    self.planes = planes
    positions = cloud.positions
    index = cloud.spatialIndex
  }

  /// A hit-test on the plane anchors and the cloud of `map`.
  public init(_ map: WorldMap) {
    self.init(
      cloud: map.cloud,
      planes: map.anchors.compactMap { anchor in Plane(anchor).map { Surface($0, anchor: anchor.id) } })
  }
}

extension HitTest {
  /// A plane and the anchor that it belongs to.
  public struct Surface: Hashable, Sendable {
    /// Where it is and how far it reaches.
    public var plane: Plane
    /// The plane anchor, if any.
    public var anchor: AnchorID?

    /// A surface.
    public init(_ plane: Plane, anchor: AnchorID? = nil) {
      self.plane = plane
      self.anchor = anchor
    }
  }

  /// The kinds of surfaces, best first.
  @nonexhaustive
  public enum Kind: Int, Hashable, Sendable, Comparable {
    /// A plane, within its extent.
    case plane
    /// A surface estimated from a cluster of feature points.
    case featurePoints
    /// A plane beyond its extent, as if it had no end.
    case extendedPlane

    /// Orders kinds by how far they can be trusted, best first.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  /// One hit.
  public struct Result: Hashable, Sendable {
    /// The kind of surface.
    public var kind: Kind
    /// Where: the position is on the surface, the y axis is the surface's unit normal, and the placement is rigid.
    ///
    /// On a plane the axes are the plane's own. On feature points the normal points to the camera's side, and the x
    /// axis to the right of its picture, as far as the surface allows.
    public var transform: Transform
    /// From the camera's position, along the ray (metres).
    public var distance: Float
    /// The plane anchor that was hit, if it was one.
    public var anchor: AnchorID?
  }

  /// Everything under a normalised screen point, nearest first; empty when there is nothing.
  ///
  /// There is one result for each plane, and at most one for the cloud: its nearest cluster. At equal distances the
  /// more trusted kind comes first, then the smaller anchor id.
  ///
  /// - Parameters:
  ///   - screen: (0, 0) is the top left corner of the picture, (1, 1) the bottom right.
  ///   - camera: The camera that shows the picture.
  ///   - kinds: The kinds of hits to find. The default leaves out planes beyond their extent, which are everywhere.
  public func results(
    at screen: SIMD2<Float>, through camera: PinholeCamera, kinds: Set<Kind> = [.plane, .featurePoints]
  ) -> [Result] {
    guard screen.x.isFinite, screen.y.isFinite else { return [] }
    let ray = camera.ray(through: screen)
    var results = planes.compactMap { hit(on: $0, along: ray) }.filter { kinds.contains($0.kind) }
    if kinds.contains(.featurePoints), let hit = clusterHit(at: screen, along: ray, camera) { results.append(hit) }
    return results.sorted {
      ($0.distance, $0.kind, $0.anchor ?? Self.lastID) < ($1.distance, $1.kind, $1.anchor ?? Self.lastID)
    }
  }

  /// Where a result without an anchor stands among equals.
  private static let lastID = AnchorID(high: .max, low: .max)

  /// The hit on a plane, within or beyond its extent.
  private func hit(on surface: Surface, along ray: Ray) -> Result? {
    guard let distance = surface.plane.distance(along: ray) else { return nil }
    let point = ray.point(at: distance)
    var transform = surface.plane.transform
    transform.translation = point
    let kind: Kind = surface.plane.contains(point) ? .plane : .extendedPlane
    return Result(kind: kind, transform: transform, distance: distance, anchor: surface.anchor)
  }
}
