import AnchorReplication

/// The places of all frames that measurements connect: the same on every peer that knows the same.
///
/// Frames are placed one after the other, from the root of each component: the shared frame, or else the oldest. The next frame is the one
/// that the most trusted relation reaches, of equally trusted ones that on the path of least variance. So frames whose owners confirm
/// their relations are placed by those alone: a member that lies about others can place only what nobody else connects.
struct FrameSolution: Sendable {
  /// A placed frame.
  private struct Place: Sendable {
    let root: WorldFrame
    /// The frame to its root.
    let motion: FrameMotion
    /// The variance of the path (m²).
    let cost: Double
    /// The frame before it on the path; nil for the root.
    let parent: WorldFrame?
    /// The relation to that frame.
    let edge: FrameEdge?
  }

  private var places: [WorldFrame: Place] = [:]
  /// The frames that somebody has measured.
  private(set) var measured: Set<WorldFrame> = []
  /// The measurements that contradict others, in the order of their registers.
  private(set) var contradictions: [FrameMeasurement.Key] = []

  /// All placed frames.
  var frames: [WorldFrame] { Array(places.keys) }

  init() {}

  /// Places all frames that are declared or measured.
  init(_ book: FrameBook, _ rules: ProtocolRules) {
    let edges = book.measurements(rules).compactMap(FrameEdge.init)
    var pairs: [FramePair.Ends: FramePair] = [:]
    for edge in edges { pairs[FramePair.Ends(low: edge.low, high: edge.high), default: FramePair()].add(edge) }
    measured = Set(pairs.keys.flatMap { [$0.low, $0.high] })
    let used = pairs.values.compactMap { $0.verdict(rules) }.sorted { Self.precedes($0.edge, $1.edge) }
    var next: [WorldFrame: [Int]] = [:]
    for (index, relation) in used.enumerated() {
      next[relation.edge.low, default: []].append(index)
      next[relation.edge.high, default: []].append(index)
    }
    for root in Self.roots(book, edges) where places[root] == nil { grow(from: root, over: used, next) }
    contradictions = edges.filter { !agrees($0) }.map(\.measurement.key).sorted()
  }

  private static func precedes(_ one: FrameEdge, _ other: FrameEdge) -> Bool {
    (one.low, one.high) < (other.low, other.high)
  }

  /// The frames in the order in which they may be roots: the shared one, then by age; what nobody declared comes last.
  private static func roots(_ book: FrameBook, _ edges: [FrameEdge]) -> [WorldFrame] {
    var ages: [WorldFrame: UInt64] = [:]
    for edge in edges { (ages[edge.low], ages[edge.high]) = (.max, .max) }
    for declaration in book.declarations { ages[declaration.frame] = declaration.sessionTime }
    ages[.shared] = 0
    return ages.keys.sorted { one, other in
      if (one == .shared) != (other == .shared) { return one == .shared }
      let (age, otherAge) = (ages[one] ?? .max, ages[other] ?? .max)
      return age == otherAge ? one < other : age < otherAge
    }
  }

  /// Places the component of a root.
  private mutating func grow(
    from root: WorldFrame, over edges: [(edge: FrameEdge, trust: FrameEdge.Trust)], _ next: [WorldFrame: [Int]]
  ) {
    places[root] = Place(root: root, motion: .identity, cost: 0, parent: nil, edge: nil)
    var frontier = next[root] ?? []
    while true {
      var best: (index: Int, from: WorldFrame, to: WorldFrame, trust: FrameEdge.Trust, cost: Double)?
      frontier.removeAll { places[edges[$0].edge.low] != nil && places[edges[$0].edge.high] != nil }
      for index in frontier {
        let (edge, trust) = edges[index]
        let (from, to) = places[edge.low] != nil ? (edge.low, edge.high) : (edge.high, edge.low)
        let cost = (places[from]?.cost ?? 0) + edge.cost
        if let best, (best.trust, best.cost, best.index) <= (trust, cost, index) { continue }
        best = (index, from, to, trust, cost)
      }
      guard let best, let parent = places[best.from] else { return }
      let edge = edges[best.index].edge
      let step = best.from == edge.low ? edge.motion : edge.motion.inverse
      places[best.to] = Place(
        root: root, motion: parent.motion.after(step), cost: best.cost, parent: best.from, edge: edge)
      frontier += (next[best.to] ?? []).filter { $0 != best.index }
    }
  }

  /// Whether a measurement says the same as what the frames are placed by; false too where the owners contradict each other.
  private func agrees(_ edge: FrameEdge) -> Bool {
    guard let relation = relation(from: edge.high, to: edge.low) else { return false }
    let age = edge.measurement.sessionTime
    let oldest = relation.sessionTime ?? age
    return edge.agrees(
      with: relation.motion, position: FrameEdge.variance(relation.position, relation.orientation),
      orientation: relation.orientation,
      age: max(age, oldest) - min(age, oldest))
  }
}

/// The relation of two frames over a path of measurements.
struct FrameRelation: Sendable, Equatable {
  /// The first frame to the second one.
  var motion: FrameMotion
  /// The variances of position (m²) and orientation (rad²).
  var position = 0.0
  var orientation = 0.0
  /// The root of the sum of the squared residuals of all measurements (metres).
  var residual = 0.0
  /// The observations of the weakest measurement; 0 where none is needed.
  var observations = 0
  /// When the oldest of them was measured (milliseconds of session time).
  var sessionTime: UInt64?
}

extension FrameSolution {
  /// The motion from one frame to another over their root; nil when no path leads from one to the other.
  func motion(from source: WorldFrame, to target: WorldFrame) -> FrameMotion? {
    guard let one = places[source], let other = places[target], one.root == other.root else { return nil }
    return other.motion.inverse.after(one.motion)
  }

  /// The relation of two frames; nil when no path leads from one to the other.
  func relation(from source: WorldFrame, to target: WorldFrame) -> FrameRelation? {
    guard source != target else { return FrameRelation(motion: .identity) }
    guard let motion = motion(from: source, to: target) else { return nil }
    var relation = FrameRelation(motion: motion)
    let (up, down) = (path(source), path(target))
    let common = Set(up.map(\.frame)).intersection(down.map(\.frame))
    var squares = 0.0
    for step in up + down where !common.contains(step.frame) {
      guard let edge = step.edge else { continue }
      let (estimate, time) = (edge.measurement.estimate, edge.measurement.sessionTime)
      relation.position += edge.position
      relation.orientation += edge.orientation
      squares += Double(estimate.residual) * Double(estimate.residual)
      let count = Int(estimate.observations)
      relation.observations = relation.observations == 0 ? count : min(relation.observations, count)
      relation.sessionTime = min(relation.sessionTime ?? time, time)
    }
    relation.residual = squares.squareRoot()
    return relation
  }

  /// A frame and those before it, with the relation from each to the next.
  private func path(_ frame: WorldFrame) -> [(frame: WorldFrame, edge: FrameEdge?)] {
    var path: [(frame: WorldFrame, edge: FrameEdge?)] = []
    var next: WorldFrame? = frame
    while let frame = next, let place = places[frame] {
      path.append((frame, place.edge))
      next = place.parent
    }
    return path
  }
}
