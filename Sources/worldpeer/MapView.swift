import PeerCLI
import SharedWorld

/// The user's view: a map, through a camera.
struct MapView {
  /// The map in view: the one loaded or received last.
  private(set) var map: WorldMap?
  /// Which shared map has been in view last.
  private(set) var sharedID: MapID?
  /// Whether the map in view is known to this peer alone.
  private(set) var isUnsent = false
  /// Where the user looks from; nil while the whole map is in view, from outside and cut open.
  var camera: PinholeCamera? {
    didSet { hitTest = nil }
  }

  private var hitTest: HitTest?
  /// The anchors among which the last hit was looked for.
  private var anchors: [Anchor] = []

  /// Looks at a map; `id` says which, when it is shared.
  mutating func show(_ map: WorldMap, id: MapID? = nil) {
    self.map = map
    hitTest = nil
    isUnsent = id == nil
    if let id { sharedID = id }
  }

  /// Notes that the map in view has been shared.
  mutating func noteShared(_ id: MapID) {
    isUnsent = false
    sharedID = id
  }

  /// The nearest thing under a point of the screen, of the points in view and these anchors; nil when there is nothing.
  mutating func hit(at screen: SIMD2<Float>, among anchors: [Anchor]) -> HitTest.Result? {
    guard let map else { return nil }
    let camera = camera ?? .framing(map)
    if self.anchors != anchors { (self.anchors, hitTest) = (anchors, nil) }
    let test = hitTest ?? HitTest(cloud: map.cloud, anchors: anchors, within: seenBox(of: map, camera))
    hitTest = test
    return test.results(at: screen, through: camera).first
  }

  /// The box of what is seen of a map; nil when everything is.
  private func seenBox(of map: WorldMap, _ framing: PinholeCamera) -> BoundingBox? {
    guard camera == nil, let bounds = BoundingBox(ignoringOutliersOf: map.cloud.positions) else { return nil }
    return OpenRoom.box(of: bounds, seenFrom: framing.pose.translation)
  }
}
