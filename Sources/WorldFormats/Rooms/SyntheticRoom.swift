import Basics
public import WorldModel

/// A made-up scan of a furnished room, for tests, benchmarks and demonstrations: the same seed gives the same bytes
/// on every machine.
///
/// It has what makes real scans awkward: points crowd on textured spots and along edges and are few elsewhere; they are
/// found keyframe by keyframe, so that neighbours in the order of identifiers are neighbours in space; identifiers
/// rise with gaps, because a tracker discards most of its points; each point is off its surface by some millimetres,
/// one in twenty by centimetres; 1.5 % are outliers, some of them kilometres away. The frame is that of ARKit:
/// metres, y up, the origin where the device began, 1.4 m above the floor in the middle of the room.
///
/// All numbers come from one `SplitMix64` generator through additions, multiplications, divisions and square roots,
/// which IEEE 754 fixes to the last bit.
public struct SyntheticRoom: Hashable, Sendable {
  /// Where the random numbers begin.
  public var seed: UInt64
  /// How many points the cloud has.
  public var pointCount: Int
  /// Whether points carry the colour of their surface.
  public var includesColors: Bool
  /// Which walk through the room found the points: another one finds other points on the same surfaces.
  public var walk: UInt64

  /// A room; the seed decides its size, furniture and texture.
  public init(seed: UInt64, pointCount: Int, includesColors: Bool = false, walk: UInt64 = 0) {
    self.seed = seed
    self.walk = walk
    self.pointCount = min(max(pointCount, 0), Limits.points)
    self.includesColors = includesColors
  }

  /// The scan: a cloud in the order of its identifiers, and an anchor for the floor, the ceiling, each wall and each
  /// top.
  public func map() -> WorldMap {
    var random = SplitMix64(seed: seed)
    let furnishing = RoomFurnishing(using: &random)
    let anchors = furnishing.surfaces.compactMap { $0.anchor(using: &random) }
    if walk != 0 { random = SplitMix64(seed: random.next() ^ walk) }
    var scan = RoomScan(furnishing.surfaces, size: furnishing.size, count: pointCount, random: random)
    scan.run(colors: includesColors)
    let colors = includesColors ? scan.colors : nil
    let cloud = FeatureCloud(
      positions: scan.positions, identifiers: scan.identifiers, channels: FeatureCloud.Channels(colors: colors))
    return WorldMap(anchors: anchors.inOrder { $0.id < $1.id }, cloud: cloud, views: UInt32(scan.keyframes))
  }
}
