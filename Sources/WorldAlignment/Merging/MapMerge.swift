public import WorldModel

/// One map of two that show parts of one place.
///
/// Points of the second map that the first has too are joined with them; identifiers stay unique. The first map's
/// anchors and points keep their ids, so that a new revision of it differs only by what was added.
public struct MapMerge: Sendable {
  /// The merged map, in the frame of the first.
  public let map: WorldMap
  /// How many points of the second map were added.
  public let added: Int
  /// How many points of the second map were there already.
  public let joined: Int
  /// How many added points got another identifier, because the first map uses theirs for another point.
  public let renumbered: Int

  /// The distance within which two points count as one unless told otherwise (metres): the noise of two devices.
  public static let noise: Float = 0.02

  /// Merges two maps.
  ///
  /// - Parameters:
  ///   - map: The map whose frame is kept; of anchors that both have, its own are kept.
  ///   - other: The map that is added.
  ///   - transform: From the frame of `other` to that of `map`, as ``Relocalization/transform`` gives it.
  ///   - distance: The distance within which points are joined (metres).
  /// - Throws: ``ModelError`` when the transform is not rigid, a map has an identifier twice, or there are too many points.
  public init(
    _ map: WorldMap, adding other: WorldMap, at transform: Transform, within distance: Float = MapMerge.noise
  ) throws(ModelError) {
    var moved = try other.transformed(by: transform)
    let index = map.cloud.spatialIndex
    let cloud = moved.cloud
    let fresh = cloud.indices.filter { index.indices(within: distance, of: cloud.positions[$0]).isEmpty }
    joined = cloud.count - fresh.count
    added = fresh.count
    (moved.cloud, renumbered) = Self.renumbered(cloud.selecting(fresh), beside: map.cloud)
    let known = Set(map.anchors.map(\.id))
    moved.anchors.removeAll { known.contains($0.id) }
    let merged = try map.merged(with: moved)
    try merged.validate()
    self.map = merged
  }

  /// The points with identifiers that `others` does not use: their own where they can keep it.
  private static func renumbered(_ cloud: FeatureCloud, beside others: FeatureCloud) -> (FeatureCloud, Int) {
    let used = Set(others.identifiers)
    var taken = used.union(cloud.identifiers)
    var next: UInt64 = 0
    var count = 0
    let identifiers = cloud.identifiers.map { identifier in
      guard used.contains(identifier) else { return identifier }
      while taken.contains(next) { next += 1 }
      taken.insert(next)
      count += 1
      return next
    }
    return (FeatureCloud(positions: cloud.positions, identifiers: identifiers, channels: cloud.channels), count)
  }
}
