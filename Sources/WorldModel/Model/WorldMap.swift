/// What a device knows of a place: anchors and a cloud of feature points in one frame.
public struct WorldMap: Hashable, Sendable {
  /// The static anchors, in the order of their ids once encoded.
  public var anchors: [Anchor]
  /// The feature points.
  public var cloud: FeatureCloud

  /// A map; it is checked when it is encoded.
  public init(anchors: [Anchor] = [], cloud: FeatureCloud = FeatureCloud()) {
    self.anchors = anchors
    self.cloud = cloud
  }
}
