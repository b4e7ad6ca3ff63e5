extension FeatureCloud {
  /// All descriptors by which a device knows the points of a cloud: one for each sighting, several a point.
  ///
  /// A point looks different from other sides, so two clouds are matched better by all sightings than by the one descriptor
  /// that ``Channels/descriptors`` has room for. Files of this project do not keep them; archives of ARKit have them.
  public struct Sightings: Hashable, Sendable {
    /// The descriptors of the first point, then those of the second, and so on.
    public var descriptors: Descriptors
    /// How many of them each point has, in the order of the cloud.
    public var counts: [UInt32]

    /// The sightings of a cloud with `counts.count` points.
    public init(descriptors: Descriptors, counts: [UInt32]) {
      self.descriptors = descriptors
      self.counts = counts
    }
  }
}
