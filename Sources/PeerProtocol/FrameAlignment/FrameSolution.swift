import AnchorReplication
import Basics

/// The places of all frames that measurements connect: the same on every peer that knows the same.
///
/// Frames are placed one after the other, from the root of each component: the shared frame, or else the oldest. The next frame is the one
/// that the most trusted relation reaches, of equally trusted ones that on the path of least variance. So frames whose owners confirm
/// their relations are placed by those alone: a member that lies about others can place only what nobody else connects.
///
/// For n measurements the search costs n log n and a look along each path one step a frame, over arrays: a member may make paths long.
struct FrameSolution: Sendable {
  /// A placed frame.
  private struct Place: Sendable {
    let root: Int
    /// The frame to its root.
    let motion: FrameMotion
    /// The variance of the path (m²).
    let cost: Double
    /// The number of relations on the path.
    let depth: Int
    /// The frame before it on the path and the relation to that; nil for the root.
    let step: (parent: Int, edge: FrameEdge)?
  }

  /// A relation that leads from a placed frame to one that may have no place yet, in the order in which they are used.
  private struct Candidate: Comparable {
    let trust: FrameEdge.Trust
    let cost: Double
    let relation: Int
    let from, to: Int

    static func < (left: Self, right: Self) -> Bool {
      (left.trust, left.cost, left.relation) < (right.trust, right.cost, right.relation)
    }
  }

  /// The relations of the pairs, in the order of these, and those of each frame.
  private struct Relations {
    var all: [(edge: FrameEdge, trust: FrameEdge.Trust)] = []
    var ofFrame: [[(relation: Int, other: Int)]]
  }

  private var indices: Table<WorldFrame, Int> = [:]
  private var places: [Place?] = []
  /// The frames that somebody has measured.
  private(set) var measured: KeySet<WorldFrame> = []
  /// The measurements that contradict others, in the order of their registers.
  private(set) var contradictions: [FrameMeasurement.Key] = []
  /// How many of them there are of each frame.
  private var contradictionCounts: Table<WorldFrame, Int> = [:]

  /// All placed frames.
  var frames: [WorldFrame] { indices.compactMap { places[$1] == nil ? nil : $0 } }

  init() {}

  /// Places all frames that are declared or measured.
  init(_ book: FrameBook, _ rules: ProtocolRules) {
    let edges = book.measurements(rules).compactMap(FrameEdge.init)
    var pairs: Table<FramePair.Ends, FramePair> = [:]
    for edge in edges { pairs[FramePair.Ends(low: edge.low, high: edge.high), default: FramePair()].add(edge) }
    measured = KeySet(pairs.keys.flatMap { [$0.low, $0.high] })
    let roots = Self.roots(book, edges)
    for (index, frame) in roots.enumerated() { indices[frame] = index }
    places = Array(repeating: nil, count: roots.count)
    let relations = relate(pairs.values.compactMap { $0.verdict(rules) })
    for root in roots.indices where places[root] == nil { grow(from: root, over: relations) }
    contradictions = edges.filter { !agrees($0) }.map(\.measurement.key).inOrder()
    for key in contradictions {
      for frame in [key.source, key.target] { contradictionCounts[frame, default: 0] += 1 }
    }
  }

  /// The measurements of a frame that contradict others.
  func contradictions(of frame: WorldFrame) -> Int { contradictionCounts[frame] ?? 0 }

  /// The frames in the order in which they may be roots: the shared one, then by age; what nobody declared comes last.
  private static func roots(_ book: FrameBook, _ edges: [FrameEdge]) -> [WorldFrame] {
    var ages: Table<WorldFrame, UInt64> = [:]
    for edge in edges { (ages[edge.low], ages[edge.high]) = (.max, .max) }
    for (frame, declaration) in book.declarations { ages[frame] = declaration.sessionTime }
    ages[.shared] = 0
    return ages.inOrder { one, other in
      if (one.key == .shared) != (other.key == .shared) { return one.key == .shared }
      return (one.value, one.key) < (other.value, other.key)
    }.map(\.key)
  }

  private func relate(_ verdicts: [(edge: FrameEdge, trust: FrameEdge.Trust)]) -> Relations {
    var relations = Relations(ofFrame: Array(repeating: [], count: indices.count))
    relations.all = verdicts.inOrder { ($0.edge.low, $0.edge.high) < ($1.edge.low, $1.edge.high) }
    for (number, relation) in relations.all.enumerated() {
      guard let low = indices[relation.edge.low], let high = indices[relation.edge.high] else { continue }
      relations.ofFrame[low].append((number, high))
      relations.ofFrame[high].append((number, low))
    }
    return relations
  }

  /// Places the component of a root.
  private mutating func grow(from root: Int, over relations: Relations) {
    var candidates = MinHeap<Candidate>()
    place(root, Place(root: root, motion: .identity, cost: 0, depth: 0, step: nil), relations, &candidates)
    while let next = candidates.pop() {
      guard places[next.to] == nil, let parent = places[next.from] else { continue }
      let edge = relations.all[next.relation].edge
      let step = indices[edge.low] == next.from ? edge.motion : edge.motion.inverse
      let place = Place(
        root: root, motion: parent.motion.after(step), cost: next.cost, depth: parent.depth + 1,
        step: (next.from, edge))
      self.place(next.to, place, relations, &candidates)
    }
  }

  private mutating func place(
    _ frame: Int, _ place: Place, _ relations: Relations, _ candidates: inout MinHeap<Candidate>
  ) {
    places[frame] = place
    for (relation, other) in relations.ofFrame[frame] where places[other] == nil {
      let (edge, trust) = relations.all[relation]
      candidates.push(
        Candidate(trust: trust, cost: place.cost + edge.cost, relation: relation, from: frame, to: other))
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
  /// The sum of the squared residuals of all measurements (m²).
  fileprivate var squaredResidual = 0.0
  /// The observations of the weakest measurement; 0 where none is needed.
  var observations = 0
  /// When the oldest of them was measured (milliseconds of session time).
  var sessionTime: UInt64?

  /// The root of the sum of the squared residuals (metres).
  var residual: Double { squaredResidual.squareRoot() }

  fileprivate init(motion: FrameMotion) { self.motion = motion }

  fileprivate mutating func add(_ edge: FrameEdge) {
    let (estimate, time) = (edge.measurement.estimate, edge.measurement.sessionTime)
    position += edge.position
    orientation += edge.orientation
    squaredResidual += Double(estimate.residual) * Double(estimate.residual)
    let count = Int(estimate.observations)
    observations = observations == 0 ? count : min(observations, count)
    sessionTime = min(sessionTime ?? time, time)
  }
}

extension FrameSolution {
  /// The root of a frame; nil when it has no place.
  func root(of frame: WorldFrame) -> Int? { place(of: frame)?.root }

  /// The motion from one frame to another over their root; nil when no path leads from one to the other.
  func motion(from source: WorldFrame, to target: WorldFrame) -> FrameMotion? {
    guard let one = place(of: source), let other = place(of: target), one.root == other.root else { return nil }
    return other.motion.inverse.after(one.motion)
  }

  /// The relation of two frames; nil when no path leads from one to the other.
  func relation(from source: WorldFrame, to target: WorldFrame) -> FrameRelation? {
    guard source != target else { return FrameRelation(motion: .identity) }
    guard let motion = motion(from: source, to: target), let start = indices[source], let end = indices[target] else {
      return nil
    }
    var relation = FrameRelation(motion: motion)
    var (up, down) = (start, end)
    while up != down {
      let isUpLower = (places[up]?.depth ?? 0) >= (places[down]?.depth ?? 0)
      guard let step = places[isUpLower ? up : down]?.step else { break }
      relation.add(step.edge)
      if isUpLower { up = step.parent } else { down = step.parent }
    }
    return relation
  }

  private func place(of frame: WorldFrame) -> Place? { indices[frame].flatMap { index in places[index] } }
}
