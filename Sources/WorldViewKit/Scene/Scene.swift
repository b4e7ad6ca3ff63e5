import PeerCLI
import WorldFormats
package import SharedWorld

/// The map in view, what the page needs of it, and what lies under a tap.
package struct Scene: Sendable {
  /// Which map is in view; nil before the first.
  package private(set) var mapID: MapID?
  /// How many points it has; the page may draw fewer.
  package private(set) var pointCount = 0
  /// About its points but for outliers; a box of 4 m about the origin without points.
  package private(set) var bounds = BoundingBox(minimum: [-2, -2, -2], maximum: [2, 2, 2])
  /// The page's order of the points, and the answer to a page that asks for them.
  package private(set) var layers: PointLayers
  private(set) var points: [UInt8] = []
  /// The axis that seems to point up.
  package private(set) var up = UpAxis.y
  /// The place in the frame of the map's file that is (0, 0, 0) of the map; see `PointCloudFile.origin`.
  var fileOrigin = CloudOrigin.zero
  /// The user's choices for the map; nil until they are looked up.
  var kept: ViewBook.Entry?

  /// How well it shows its place.
  let mappingStatus: MappingStatus
  /// It as it came, with the anchors of its file.
  private(set) var map: WorldMap

  private var cloud: FeatureCloud { map.cloud }

  /// No map.
  package init() {
    map = WorldMap()
    layers = PointLayers([], bounds: bounds)
    mappingStatus = .notAvailable
  }

  /// A view of a map.
  package init(_ map: WorldMap, id: MapID) {
    mapID = id
    self.map = map
    mappingStatus = map.mappingStatus
    let cloud = map.cloud
    pointCount = cloud.count
    let box = BoundingBox(ignoringOutliersOf: cloud.positions)
    layers = PointLayers(cloud.positions, bounds: box ?? bounds)
    bounds = box ?? bounds
    up = UpAxis.guess(cloud.positions, in: bounds)
    points = layers.points(of: id, cloud)
    // The cloud keeps the index that every tap searches: it is built here, not while a user waits for a tap.
    _ = cloud.spatialIndex
  }

  /// The names of the numbers by which the page may colour the points.
  var numberNames: [String] { cloud.numberNames }

  /// The answer to a page that asks for them.
  func numbers() -> [UInt8] { mapID.map { layers.numbers(of: $0, cloud) } ?? [] }

  /// An anchor of the file is gone from the session: it is not saved or sent with the map any more.
  mutating func forget(_ anchor: AnchorID) { map.anchors.removeAll { $0.id == anchor } }

  /// The nearest thing under a tap, of what the page shows: points and plane anchors inside its clipping box.
  package func hit(_ tap: TapRequest, anchors: [Anchor]) -> HitTest.Result? {
    // The index of the cloud gives the few points about the ray; only of these some may be cut away. A cluster and its
    // neighbourhood reach no further than three radii.
    if let hit = hitTest(tap, anchors, reach: .near).results(at: tap.point, through: tap.camera).first { return hit }
    return hitTest(tap, anchors, reach: .far).results(at: tap.point, through: tap.camera).first
  }

  private func hitTest(_ tap: TapRequest, _ anchors: [Anchor], reach: HitTest.Reach) -> HitTest {
    let found = cloud.spatialIndex.indices(within: 3 * reach.radius, of: tap.point, through: tap.camera)
    var test = HitTest(cloud: cloud.selecting(found.sorted()), anchors: anchors, within: tap.box)
    test.largestRadius = reach.radius
    return test
  }
}

extension HitTest {
  /// How far from a tap its points may appear (picture heights), as ``HitTest/radius`` and ``HitTest/largestRadius`` say.
  fileprivate enum Reach {
    case near, far

    var radius: Float {
      switch self {
      case .near: 0.02
      case .far: 0.08
      }
    }
  }
}
