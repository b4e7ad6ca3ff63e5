import PeerCLI
package import SharedWorld

/// The map in view, what the page needs of it, and what lies under a tap.
package struct Scene: Sendable {
  /// Which map is in view; nil before the first.
  package private(set) var mapID: MapID?
  /// How many points it has; the page may draw fewer.
  package private(set) var pointCount = 0
  /// About its points but for outliers; a box of 4 m about the origin without points.
  package private(set) var bounds = BoundingBox(minimum: [-2, -2, -2], maximum: [2, 2, 2])
  /// The page's form of the points.
  package private(set) var points = PointBuffer.encode(FeatureCloud())

  /// How well it shows its place.
  let mappingStatus: MappingStatus
  /// It as it came, with the anchors of its file.
  let map: WorldMap

  private var cloud: FeatureCloud { map.cloud }

  /// No map.
  package init() {
    map = WorldMap()
    mappingStatus = .notAvailable
  }

  /// A view of a map.
  package init(_ map: WorldMap, id: MapID) {
    mapID = id
    self.map = map
    mappingStatus = map.mappingStatus
    let cloud = map.cloud
    pointCount = cloud.count
    points = PointBuffer.encode(cloud)
    if let box = BoundingBox(ignoringOutliersOf: cloud.positions) { bounds = box }
  }

  /// The nearest thing under a tap, of what the page shows: points and plane anchors inside its clipping box.
  package func hit(_ tap: TapRequest, anchors: [Anchor]) -> HitTest.Result? {
    HitTest(cloud: cloud, anchors: anchors, within: tap.box).results(at: [tap.x, tap.y], through: tap.camera).first
  }
}
