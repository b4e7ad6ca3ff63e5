import AnchorReplication
import Basics
import PeerProtocol
import WorldModel

/// The people of a simulated session whose devices see one room in frames of their own.
///
/// Where everything really is, only the simulation knows. Devices drift, lose their world and begin another one, meet, relocalise in
/// the map, and measure frames of third parties; one of them may measure whatever it likes.
struct FrameApp {
  /// The kinds of people.
  enum Kind {
    case honest
    case wrong(by: Int)
  }

  private var random: SeededRandom
  private let liar: Int?
  /// Each frame in the room.
  private var frames: [WorldFrame: FrameMotion] = [.shared: .identity]
  /// The place in the room for which an app wrote a pose.
  private var places: [Transform: Transform] = [:]
  /// The processes that have decided on their frame.
  private var begun: Set<NodeID> = []

  /// Half the width of the room (metres), and how far its corners are from the origins of frames.
  private static let room: Float = 8
  private static let away: Float = 40
  /// The errors of measurements: 1 cm and 0.1° (1.7 mrad).
  private static let position = 0.01
  private static let orientation = 0.0017
  /// How far from its place something may be seen (metres): noise and drift over a few measurements.
  private static let tolerance: Float = 1.5
  /// How far two peers may differ about a place (metres).
  private static let agreement: Float = 1e-4

  init(_ kind: Kind, random: SeededRandom) {
    self.random = random
    switch kind {
    case .honest: liar = nil
    case .wrong(let index): liar = index
    }
  }

  // MARK: People

  /// Something that the person at a machine does.
  mutating func act(in world: inout SessionWorld, at index: Int) {
    guard let node = world.node(index), world.simulation.isAwake(index) else { return }
    if begun.insert(node.me).inserted, random.chance(percent: 80) { return begin(in: &world, at: index) }
    let mine = node.worldFrames.mine
    drift(mine)
    switch random.below(12) {
    case 0: if random.chance(percent: 30) { begin(in: &world, at: index) }
    case 1, 2, 3: edit(in: &world, at: index)
    case 4:
      let pose = self.pose(in: mine)
      world.perform(index) { node, now in node.handle(.updatePose(pose), at: now) }
    case 5: if mine != .shared { measure(from: mine, to: .shared, in: &world, at: index) }
    case 6:
      let others = (0..<world.count).compactMap { world.node($0)?.me }.filter { $0 != node.me }
      guard others.count > 1 else { return }
      let pair = (0..<2).map { _ in node.worldFrames.frame(of: others[random.below(others.count)]) }
      if pair[0] != pair[1] { measure(from: pair[0], to: pair[1], in: &world, at: index) }
    default: meet(random.below(world.count), in: &world, at: index)
    }
  }

  /// A device loses its world and finds itself in another one.
  private mutating func begin(in world: inout SessionWorld, at index: Int) {
    world.perform(index) { node, now in node.handle(.beginFrame(isShared: false), at: now) }
    guard let mine = world.node(index)?.worldFrames.mine, mine != .shared else { return }
    frames[mine] = placement(within: Self.away)
    world.simulation.monitor.note("\(index + 1) sees a new world", at: world.simulation.now)
  }

  private mutating func edit(in world: inout SessionWorld, at index: Int) {
    guard let mine = world.node(index)?.worldFrames.mine else { return }
    let pose = self.pose(in: mine)
    var dice = random.split()
    let id = AnchorID(using: &dice)
    world.edit(index) { anchors, _ in
      guard dice.below(3) == 0, !anchors.isEmpty else { return .place(Anchor(id: id, name: "framed", transform: pose)) }
      return .move(anchors[dice.below(anchors.count)].id, to: pose)
    }
  }

  /// Two devices are held together: both measure, or one of them.
  private mutating func meet(_ other: Int, in world: inout SessionWorld, at index: Int) {
    guard other != index, let one = world.node(index), let two = world.node(other) else { return }
    let (mine, theirs) = (one.worldFrames.mine, two.worldFrames.mine)
    // Each knows the frame of the poses that it sees.
    if mine != theirs, one.worldFrames.frame(of: two.me) == theirs {
      measure(from: theirs, to: mine, in: &world, at: index)
    }
    guard random.chance(percent: 80), mine != theirs, two.worldFrames.frame(of: one.me) == mine else { return }
    measure(from: mine, to: theirs, in: &world, at: other)
  }

  private mutating func measure(
    from source: WorldFrame, to target: WorldFrame, in world: inout SessionWorld, at index: Int
  ) {
    guard world.simulation.isAwake(index), let truth = motion(from: source, to: target) else { return }
    let isLie = index == liar
    let measured = isLie ? placement(within: Self.away) : noisy(truth, to: target)
    let certainty = isLie ? 0.01 : 1
    let estimate = FrameEstimate(
      measured.transform, center: middle(of: target), position: Self.position * certainty,
      orientation: Self.orientation * certainty, residual: Self.position, observations: 3)
    guard let estimate else { return }
    world.perform(index) { node, now in node.handle(.measure(from: source, to: target, estimate), at: now) }
  }

  // MARK: Where things are

  private mutating func number(within limit: Float) -> Float { (Float(random.below(2_001)) / 1_000 - 1) * limit }

  private mutating func placement(within limit: Float) -> FrameMotion {
    // An angle with a rational sine and cosine.
    let t = number(within: 1)
    let (cosine, sine) = ((1 - t * t) / (1 + t * t), 2 * t / (1 + t * t))
    return FrameMotion(
      Transform(
        x: [cosine, 0, -sine], y: [0, 1, 0], z: [sine, 0, cosine],
        translation: [number(within: limit), number(within: 1), number(within: limit)]))
  }

  /// A place in the room as a device in a frame sees it.
  private mutating func pose(in frame: WorldFrame) -> Transform {
    let place = placement(within: Self.room).transform
    guard let frame = frames[frame] else { return place }
    let pose = frame.inverse.act(on: place)
    places[pose] = place
    return pose
  }

  private func motion(from source: WorldFrame, to target: WorldFrame) -> FrameMotion? {
    guard let one = frames[source], let other = frames[target] else { return nil }
    return other.inverse.after(one)
  }

  /// The middle of the room in a frame.
  private func middle(of frame: WorldFrame) -> SIMD3<Float> { frames[frame]?.inverse.transform.translation ?? .zero }

  /// A device has gone a few millimetres astray.
  private mutating func drift(_ frame: WorldFrame) {
    guard frame != .shared, let motion = frames[frame] else { return }
    let step = Transform(translation: [number(within: 0.002), 0, number(within: 0.002)])
    frames[frame] = FrameMotion(step).after(motion)
  }

  /// A measured motion: wrong by a little turn about the middle of the room, and a shift.
  private mutating func noisy(_ motion: FrameMotion, to target: WorldFrame) -> FrameMotion {
    let middle = middle(of: target)
    let turn = number(within: Float(Self.orientation))
    let shift = SIMD3(
      number(within: Float(Self.position) / 2), number(within: Float(Self.position) / 2),
      number(within: Float(Self.position) / 2))
    let turned = FrameMotion(
      Transform(x: [1, 0, -turn], y: [0, 1, 0], z: [turn, 0, 1], translation: .zero))
    let error = FrameMotion(Transform(translation: middle + shift)).after(turned)
      .after(FrameMotion(Transform(translation: -middle)))
    return error.after(motion)
  }
}

// MARK: - What must hold

extension FrameApp {
  /// F2 and F3: what a peer wrote itself is there to the bit, and everything else where it is or nowhere.
  ///
  /// Until all that honest peers measured has come, a lie may move what nothing else connects.
  func misplacement(in world: SessionWorld, at index: Int, isAtRest: Bool = false) -> String? {
    guard var node = world.node(index) else { return nil }
    let view = node.worldFrames
    for anchor in node.allAnchors {
      guard let slot = node.anchors.slot(showing: anchor.id) else { continue }
      let stamp = node.anchors.poseStamp(at: slot)
      let frame = view.book.frame(of: stamp.actor, clock: stamp.clock)
      let seen = view.anchor(at: slot, in: node.anchors)?.transform
      if frame == view.mine, seen != anchor.transform { return "F2 \(index + 1) reads \(anchor.id) changed" }
      if let seen, isAtRest || liar == nil, let text = misplaced(anchor.transform, seen, in: frame, by: view) {
        return "F3 \(index + 1) sees \(anchor.id) \(text)"
      }
    }
    for update in node.livePoses {
      guard isAtRest || liar == nil, let pose = update.pose, let seen = view.update(update)?.pose else { continue }
      let frame = view.book.frame(of: update.origin.actor, sequence: update.sequence)
      if let text = misplaced(pose.transform, seen.transform, in: frame, by: view) {
        return "F3 \(index + 1) sees the device of \(update.origin) \(text)"
      }
    }
    return nil
  }

  /// How far from its place a pose is seen; nil where that is not too far, or nobody can know.
  private func misplaced(
    _ written: Transform, _ seen: Transform, in frame: WorldFrame?, by view: FrameView
  ) -> String? {
    guard let place = places[written], let mine = frames[view.mine], let frame else { return nil }
    // A liar may move what nobody else connects.
    if liar != nil, !isConfirmed(frame, view.mine, by: view) { return nil }
    let gap = (seen.translation - mine.inverse.act(on: place).translation).length
    return gap <= Self.tolerance ? nil : "\(gap) m from its place"
  }

  /// Whether known measurements that their honest owners confirm lead from one frame to another.
  private func isConfirmed(_ one: WorldFrame, _ other: WorldFrame, by view: FrameView) -> Bool {
    let liars = liar.map { SessionPeer.identity(of: $0).prefix }
    var observers: [Set<WorldFrame>: Set<ActorID>] = [:]
    for key in view.book.registers { observers[[key.source, key.target], default: []].insert(key.observer) }
    var (reached, next): (Set<WorldFrame>, [WorldFrame]) = ([one], [one])
    while let frame = next.popLast() {
      if frame == other { return true }
      for (pair, seen) in observers where pair.contains(frame) {
        let owners = Set(pair.filter { $0 != .shared }.map(\.owner))
        guard owners.isSubset(of: seen), !owners.contains(where: { $0.peerPrefix == liars }),
          let far = pair.first(where: { $0 != frame }), reached.insert(far).inserted
        else { continue }
        next.append(far)
      }
    }
    return false
  }

  /// F1 and F3 at rest: all know the same, put everything in the same place, and see whatever is connected.
  func disagreement(in world: SessionWorld) -> String? {
    for component in world.simulation.components() {
      guard let first = component.first.flatMap(world.node) else { continue }
      let words = first.frameWords
      for index in component {
        guard let node = world.node(index) else { continue }
        if node.frameWords != words { return "F1 \(index + 1) knows other frames" }
        if let text = misplacement(in: world, at: index, isAtRest: true) { return text }
        if let text = difference(first, node) { return "F1 \(component[0] + 1) and \(index + 1) \(text)" }
      }
    }
    return nil
  }

  /// Anything that two nodes see at different places.
  private func difference(_ one: Node, _ other: Node) -> String? {
    let motion = other.worldFrames.alignment(of: one.me).transform.map(FrameMotion.init)
    var listed = one
    for id in listed.allAnchors.map(\.id) {
      let seen = one.worldFrames.anchor(id, in: one.anchors)
      let otherSeen = other.worldFrames.anchor(id, in: other.anchors)
      guard let motion, let seen, let otherSeen else { continue }
      let gap = (motion.act(on: seen.transform).translation - otherSeen.transform.translation).length
      if gap > Self.agreement { return "see \(id) \(gap) m apart" }
    }
    return nil
  }
}

extension SIMD3<Float> {
  fileprivate var length: Float { (self * self).sum().squareRoot() }
}

extension Node {
  /// The words on frames that the node knows.
  fileprivate var frameWords: [SpreadWord] {
    words.filter { [WordTopic.declarations.rawValue, WordTopic.measurements.rawValue].contains($0.topic) }
  }
}
