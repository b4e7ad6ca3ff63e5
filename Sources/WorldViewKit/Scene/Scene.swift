package import SharedWorld

/// The map in view, what the page needs of it, and what lies under a tap.
package struct Scene: Sendable {
  /// Which map is in view; nil before the first.
  package private(set) var mapID: MapID?
  /// How many points it has.
  package private(set) var pointCount = 0
  /// About its points but for outliers; a box of 4 m about the origin without points.
  package private(set) var bounds = BoundingBox(minimum: [-2, -2, -2], maximum: [2, 2, 2])
  /// The page's form of the points.
  package private(set) var points = PointBuffer.encode(FeatureCloud())

  private var cloud = FeatureCloud()

  package init() {}

  /// A view of a map.
  package init(_ map: WorldMap, id: MapID) {
    mapID = id
    cloud = map.cloud
    pointCount = cloud.count
    points = PointBuffer.encode(cloud)
    if let box = BoundingBox(ignoringOutliersOf: cloud.positions) { bounds = box }
  }

  /// The nearest thing under a tap, of what the page shows: points and plane anchors inside its clipping box.
  package func hit(_ tap: TapRequest, anchors: [Anchor]) -> HitTest.Result? {
    var shown = cloud
    if let clip = tap.box { shown = cloud.selecting(cloud.indices.filter { clip.contains(cloud.positions[$0]) }) }
    let planes = anchors.compactMap { anchor -> HitTest.Surface? in
      guard let plane = Plane(anchor), tap.box?.contains(plane.transform.translation) ?? true else { return nil }
      return HitTest.Surface(plane, anchor: anchor.id)
    }
    return HitTest(cloud: shown, planes: planes).results(at: [tap.x, tap.y], through: tap.camera).first
  }
}
