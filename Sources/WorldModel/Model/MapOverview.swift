/// The figures of a map that people are told: enough to decide whether to open it.
///
/// ``WorldMapDecoder/overview(room:anchors:)`` makes it of a file without the map.
package struct MapOverview: Equatable, Sendable {
  /// The number of points.
  package var points: Int
  /// Which channels the points have: those that are not nil, without their elements.
  package var channels: FeatureCloud.Channels
  /// The smallest box about the points (metres); nil without points.
  package var bounds: BoundingBox?
  /// The box of ``BoundingBox/init(ignoringOutliersOf:)`` about the points (metres).
  package var boundsWithoutOutliers: BoundingBox?
  /// How well the place is mapped.
  package var mapping = MappingEvidence(FeatureCloud())
  /// The peer that shared the map, if that is known.
  package var provider: PeerID?
  /// The pictures from which a device mapped the place.
  package var keyframes: [Keyframe] = []
  /// How a device measured the points.
  package var evidence = EvidenceSummary()
  /// The number of anchors.
  package var anchors = 0

  init(points: Int, channels: FeatureCloud.Channels) {
    self.points = points
    self.channels = channels
  }

  /// The overview of a map that is in memory.
  package init(_ map: WorldMap) {
    self.init(points: map.cloud.count, channels: CloudLayout(map.cloud, step: 0).emptyChannels)
    if let rows = map.cloud.channels.evidence {
      channels.evidence = []
      for row in rows { evidence.add(row) }
      evidence.sort()
    }
    extendBounds(to: map.cloud.positions)
    boundsWithoutOutliers = BoundingBox(ignoringOutliersOf: map.cloud.positions)
    mapping = MappingEvidence(map.cloud, views: map.views)
    (provider, keyframes, anchors) = (map.provider, map.keyframes, map.anchors.count)
  }

  /// Makes ``bounds`` hold more points.
  mutating func extendBounds(to positions: [SIMD3<Float>]) {
    let boxes = [bounds, BoundingBox(containing: positions)].compactMap(\.self)
    bounds = BoundingBox(containing: boxes.flatMap { [$0.minimum, $0.maximum] })
  }
}

/// The evidence of all points of a map in numbers.
package struct EvidenceSummary: Equatable, Sendable {
  /// How often keyframes saw a point.
  package private(set) var sightings = 0
  /// The worst residual of each point that has one, rising (pixels).
  package private(set) var residuals: [Float] = []
  /// The deviation of depth of each point that has one, rising (metres).
  package private(set) var depthDeviations: [Float] = []

  /// Adds the evidence of a point; ``sort()`` comes after the last.
  mutating func add(_ evidence: FeatureEvidence) {
    sightings += Int(evidence.sightings)
    if let residual = evidence.residual { residuals.append(residual) }
    if let deviation = evidence.depthDeviation { depthDeviations.append(deviation) }
  }

  mutating func sort() {
    residuals.sort()
    depthDeviations.sort()
  }
}

/// The points that ``BoundingBox/init(ignoringOutliersOf:)`` looks at, of a cloud that is read block by block.
struct OutlierSample {
  private let step: Int
  /// How many points are passed over before the next one is taken.
  private var distance = 0
  private var identifiers: [UInt64] = []
  private var positions: [SIMD3<Float>] = []

  /// The sample of a cloud of `count` points.
  init(count: Int) {
    step = BoundingBox.sampleStep(of: count)
  }

  /// Takes or passes over the next point in the order of the identifiers.
  mutating func choose(_ identifier: UInt64) {
    if distance == 0 {
      identifiers.append(identifier)
      positions.append(.zero)
      distance = step
    }
    distance -= 1
  }

  /// Notes where the chosen points of a block are, which is in order.
  mutating func take(_ block: FeatureCloud) {
    guard let first = block.identifiers.first, let last = block.identifiers.last else { return }
    var place = 0
    for (index, identifier) in identifiers.enumerated() where identifier >= first {
      guard identifier <= last else { break }
      while block.identifiers[place] < identifier { place += 1 }
      if block.identifiers[place] == identifier { positions[index] = block.positions[place] }
    }
  }

  /// The box without outliers.
  var bounds: BoundingBox? { BoundingBox(ignoringOutliersOf: positions) }
}
