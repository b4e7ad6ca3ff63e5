import AnchorReplication
import Basics
import PeerProtocol
import WorldModel

/// The doings of the people of a simulated session that count only for the moment: they walk about, drag anchors, and say which
/// of this they want to see.
struct PoseApp {
  /// The last words of the app on a machine to its node, if that still runs.
  private struct Told: Equatable, CustomStringConvertible {
    let node: NodeID
    var pose: Transform?
    var filter = AnchorFilter.all
    var drag: DragID?

    var description: String {
      let place = pose.map { "is at \($0.translation.x)" } ?? "is nowhere"
      return "\(place)\(drag == nil ? "" : ", drags")\(filter == .all ? "" : ", wants \(filter)")"
    }
  }

  private var random: SeededRandom
  private var told: [Int: Told] = [:]

  init(random: SeededRandom) {
    self.random = random
  }

  /// A step, a drag, or another wish.
  mutating func act(in world: inout SessionWorld, at index: Int) {
    var dice = random.split()
    tell(in: &world, at: index) { told, node, now in
      switch dice.below(8) {
      case 0: told.pose = nil
      case 1: return Self.want(Self.filter(&dice), &told, &node, at: now)
      case 2, 3, 4: return Self.drag(&told, &node, &dice, at: now)
      default: told.pose = Transform(translation: [Float(dice.below(20)), 0, 0])
      }
      node.handle(.updatePose(told.pose), at: now)
    }
  }

  /// Lets go of what is being dragged.
  mutating func release(in world: inout SessionWorld) {
    for index in 0..<world.count {
      tell(in: &world, at: index) { told, node, now in
        if let drag = told.drag { node.handle(.endDrag(drag), at: now) }
        told.drag = nil
      }
    }
  }

  private mutating func tell(
    in world: inout SessionWorld, at index: Int, _ body: (inout Told, inout SessionPeer, Instant) -> Void
  ) {
    var told = told[index]
    world.perform(index) { node, now in
      let me = node.me
      var latest = told.flatMap { $0.node == me ? $0 : nil } ?? Told(node: me)
      body(&latest, &node, now)
      told = latest
    }
    if let told, told != self.told[index] {
      world.simulation.monitor.note("\(index + 1) \(told)", at: world.simulation.now)
    }
    self.told[index] = told
  }

  private static func want(_ filter: AnchorFilter, _ told: inout Told, _ node: inout SessionPeer, at now: Instant) {
    told.filter = filter
    node.handle(.setInterest(filter), at: now)
  }

  private static func drag(_ told: inout Told, _ node: inout SessionPeer, _ dice: inout SeededRandom, at now: Instant) {
    let anchors = node.allAnchors
    if let drag = told.drag, dice.below(4) == 0 {
      node.handle(.endDrag(drag), at: now)
      told.drag = nil
    } else if told.drag == nil, !anchors.isEmpty {
      if case .began(let drag) = node.handle(.beginDrag(anchors[dice.below(anchors.count)].id), at: now) {
        told.drag = drag
      }
    }
    guard let drag = told.drag else { return }
    node.handle(.drag(drag, to: Transform(translation: [Float(dice.below(20)), 1, 0])), at: now)
  }

  private static func filter(_ dice: inout SeededRandom) -> AnchorFilter {
    switch dice.below(5) {
    case 0: return AnchorFilter(namePrefix: "peer \(1 + dice.below(4))")
    case 1: return AnchorFilter(kind: dice.below(2) == 0 ? .participant : .plain)
    case 2:
      let number = dice.below(4)
      let peer = SessionPeer.identity(of: number)
      return number.isMultiple(of: 2) ? AnchorFilter(creator: peer) : AnchorFilter(owner: peer)
    case 3: return AnchorFilter(region: AnchorFilter.Region(center: [Float(dice.below(20)), 0, 0], radius: 5))
    default: return .all
    }
  }

  /// L1: whose device an app at rest does not see where it is, or sees although it is not there or not wanted.
  func disagreement(in world: SessionWorld) -> String? {
    for component in world.simulation.components() {
      for reader in component {
        guard let node = world.node(reader) else { continue }
        let seen = node.livePoses.map { Sighting(of: $0) }.sorted()
        let expected = component.filter { $0 != reader }.compactMap { shown($0, to: reader, in: world) }.sorted()
        if seen != expected { return "L1 \(reader + 1) sees \(seen), not \(expected)" }
      }
    }
    return nil
  }

  private func current(_ index: Int, in world: SessionWorld) -> Told? {
    told[index].flatMap { $0.node == world.node(index)?.me ? $0 : nil }
  }

  private func shown(_ index: Int, to reader: Int, in world: SessionWorld) -> Sighting? {
    guard let told = current(index, in: world), let pose = told.pose else { return nil }
    var anchor = Anchor(
      id: .participant(told.node.peer), name: "peer \(index + 1)", transform: pose, kind: .participant(told.node.peer))
    anchor.creator = told.node.peer
    guard current(reader, in: world)?.filter.matches(anchor, owner: told.node.peer) ?? true else { return nil }
    return Sighting(origin: told.node, subject: .participant, x: pose.translation.x)
  }
}

/// The poses that are seen: whose, of what, and where.
private struct Sighting: Equatable, Comparable, CustomStringConvertible {
  let origin: NodeID
  let subject: EphemeralSubject
  let x: Float?

  static func < (left: Self, right: Self) -> Bool { left.origin < right.origin }

  var description: String { "\(origin) \(subject == .participant ? "" : "dragging ")at \(x ?? .nan)" }
}

extension Sighting {
  fileprivate init(of update: EphemeralUpdate) {
    self.init(origin: update.origin, subject: update.subject, x: update.pose?.transform.translation.x)
  }
}
