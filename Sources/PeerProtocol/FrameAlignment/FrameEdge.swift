import AnchorReplication

/// A measured relation of two frames as the solution uses it: the frames in their order, and the errors with their floors.
struct FrameEdge: Sendable {
  /// The observers that vouch for a relation; the earlier case is used first.
  enum Trust: Int, Comparable, Sendable {
    /// The owners of both frames have measured it alike, or the one owner there is.
    case confirmed
    /// One of two owners has measured it.
    case oneSided
    /// Others have.
    case thirdParty

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  /// The frames, `low` before `high`.
  let low, high: WorldFrame
  /// `high` to `low`.
  let motion: FrameMotion
  /// The point of `low` about which the turn is uncertain (metres).
  private let center: SIMD3<Double>
  /// The variances of position (m²) and orientation (rad²), over all directions.
  let position, orientation: Double
  let measurement: FrameMeasurement
  /// Whether the observer owns one of the frames.
  let isFirstHand: Bool

  /// The least variances that count, of 2 mm and 0.1° (m², rad²): nobody measures better.
  private static let leastPosition = 4e-6
  private static let leastOrientation = 3e-6
  /// A worse measurement places nothing: 1 m and 20°, as variances.
  private static let mostPosition = 1.0
  private static let mostOrientation = 0.12
  /// The drift of a device's frame (metres a millisecond, and radians), and the most that counts.
  private static let drift = 2e-7
  private static let mostDrift = 0.2
  /// Measurements contradict beyond this many standard deviations.
  private static let sigmas = 5.0
  /// The lever that makes an error of orientation one of position: the size of a room (metres).
  private static let lever = 3.0

  /// Nil for a measurement that is too uncertain to place anything.
  init?(_ measurement: FrameMeasurement) {
    let (key, estimate) = (measurement.key, measurement.estimate)
    guard estimate.positionVariance <= Self.mostPosition, estimate.orientationVariance <= Self.mostOrientation else {
      return nil
    }
    let forward = FrameMotion(estimate.pose.transform)
    let center = SIMD3(Double(estimate.center.x), Double(estimate.center.y), Double(estimate.center.z))
    let isTargetLow = key.target < key.source
    low = isTargetLow ? key.target : key.source
    high = isTargetLow ? key.source : key.target
    motion = isTargetLow ? forward : forward.inverse
    self.center = isTargetLow ? center : motion.act(on: center)
    position = max(estimate.positionVariance, Self.leastPosition)
    orientation = max(estimate.orientationVariance, Self.leastOrientation)
    isFirstHand = key.observer == low.owner || key.observer == high.owner
    self.measurement = measurement
  }

  /// The cost of a path over this relation: the variance of a place a room's size away (m²).
  var cost: Double { Self.variance(position, orientation) }

  /// The variance of a place a room's size away from the point about which the turn is (m²).
  static func variance(_ position: Double, _ orientation: Double) -> Double {
    position + orientation * lever * lever
  }

  /// The number of owners whose word makes it confirmed: the shared frame has none, two frames of one device have one.
  var ownerCount: Int { low == .shared || low.owner == high.owner ? 1 : 2 }

  /// Whether another measurement of the same frames, or what a path of others makes of them, says the same within 5 σ.
  func agrees(with other: FrameMotion, position: Double, orientation: Double, age: UInt64) -> Bool {
    let drift = min(Double(age) * Self.drift, Self.mostDrift)
    let limit = Self.sigmas * Self.sigmas
    let point = motion.inverse.act(on: center)
    return motion.squaredDistance(to: other, at: point) <= limit * (self.position + position + drift * drift)
      && motion.squaredAngle(to: other) <= limit * (self.orientation + orientation + drift * drift)
  }

  /// Whether two measurements of the same frames say the same within 5 σ.
  func agrees(with other: Self) -> Bool {
    let gap = center - other.center
    let (one, two) = (measurement.sessionTime, other.measurement.sessionTime)
    return agrees(
      with: other.motion, position: other.position + other.orientation * (gap * gap).sum(),
      orientation: other.orientation, age: max(one, two) - min(one, two))
  }

  /// Decides between measurements of the same frames: the surer one, of equal ones that of the lower register.
  func precedes(_ other: Self) -> Bool {
    cost == other.cost ? measurement.key < other.measurement.key : cost < other.cost
  }
}

/// All measurements of one pair of frames.
struct FramePair {
  /// Both frames.
  struct Ends: Comparable {
    let low, high: WorldFrame

    static func < (one: Self, other: Self) -> Bool { (one.low, one.high) < (other.low, other.high) }
  }

  /// The measurements of the owners of the frames, and of others.
  private(set) var firstHand: [FrameEdge] = []
  private(set) var others: [FrameEdge] = []

  mutating func add(_ edge: FrameEdge) {
    if edge.isFirstHand { firstHand.append(edge) } else { others.append(edge) }
  }

  /// The measurement to use and who vouches for it; nil when those who may vouch contradict each other, since nothing tells which
  /// of them is right.
  func verdict(_ rules: ProtocolRules) -> (edge: FrameEdge, trust: FrameEdge.Trust)? {
    guard rules.contains(.confirmedFirst) else {
      return Self.best(firstHand + others, rules).map { ($0, .confirmed) }
    }
    let candidates = firstHand.isEmpty ? others : firstHand
    guard let best = Self.best(candidates, rules), candidates.allSatisfy({ best.agrees(with: $0) }) else { return nil }
    if firstHand.isEmpty { return (best, .thirdParty) }
    let observers = Set(firstHand.map(\.measurement.key.observer))
    return (best, observers.count >= best.ownerCount ? .confirmed : .oneSided)
  }

  /// The measurement to use; where `rules` are broken the last that arrived.
  private static func best(_ edges: [FrameEdge], _ rules: ProtocolRules) -> FrameEdge? {
    rules.contains(.measurementOrder) ? edges.min { $0.precedes($1) } : edges.last
  }
}
