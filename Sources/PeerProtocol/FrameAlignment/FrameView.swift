package import AnchorReplication
import Basics
package import WorldModel

/// The frames as all organs and the app read them: which pose is in which, and where that is in this peer's frame.
///
/// A pose is converted here and nowhere else, when the app reads it; what is stored and sent stays in its author's frame.
/// Declarations count at once, so no pose is read in a wrong frame; measurements move frames when ``solve()`` works them out.
package struct FrameView: Sendable {
  /// The declarations and measurements.
  package private(set) var book = FrameBook()
  private var solution = FrameSolution()
  private let rules: ProtocolRules
  private let me: ActorID
  /// The frame in which this peer reads and writes.
  package private(set) var mine = WorldFrame.shared
  /// Each connected frame to this peer's.
  private var motions: Table<WorldFrame, FrameMotion> = [:]
  /// Whether all poses are in the shared frame, and this peer too.
  package private(set) var isTrivial = true

  /// Of a session in which nobody declared a frame.
  init(me: ActorID = WorldFrame.shared.owner, _ rules: ProtocolRules = .all) { (self.me, self.rules) = (me, rules) }

  /// Takes the declarations of an author; nil for none, and for some that are not known.
  mutating func set(_ declarations: DeclarationList?, of author: NodeID, isKnown: Bool) {
    book.set(declarations, of: author, isKnown: isKnown)
    isTrivial = book.isTrivial
    guard author.actor == me, mine != book.current(of: me) else { return }
    mine = book.current(of: me)
    motions = [:]
  }

  /// Takes a measurement, which moves nothing yet.
  mutating func set(_ measurement: FrameMeasurement) { book.set(measurement) }

  /// Forgets a measurement, which moves nothing yet.
  mutating func forget(_ key: FrameMeasurement.Key) { book.forget(key) }

  /// Works out where all frames are.
  mutating func solve() {
    solution = isTrivial ? FrameSolution() : FrameSolution(book, rules)
    motions = [:]
    for frame in solution.frames { motions[frame] = solution.motion(from: frame, to: mine) }
  }

  /// The frame in which a process writes.
  package func frame(of node: NodeID) -> WorldFrame { book.current(of: node.actor) }

  /// The measurements that are held back because they contradict others.
  package var contradictions: [FrameMeasurement.Key] { solution.contradictions }

  /// A placement in this peer's frame; nil when nothing says where that is.
  package func place(_ transform: Transform, in frame: WorldFrame?) -> Transform? {
    // To the bit what this peer has written.
    if frame == mine { return transform }
    guard let motion = frame.flatMap({ motions[$0] }) else {
      return rules.contains(.unknownIsUnaligned) ? nil : transform
    }
    return motion.act(on: transform)
  }

  /// A placement in one frame as one in another; nil when nothing says where that is.
  func place(_ transform: Transform, from source: WorldFrame?, to target: WorldFrame) -> Transform? {
    if source == target { return transform }
    guard let source, let one = motions[source], let other = motions[target] else { return nil }
    return other.inverse.after(one).act(on: transform)
  }

  /// The frame of a live pose; nil when that is not known.
  package func frame(of update: EphemeralUpdate) -> WorldFrame? {
    isTrivial ? .shared : book.frame(of: update.origin.actor, sequence: update.sequence)
  }

  /// How the frame of a process lies in this peer's.
  package func alignment(of node: NodeID) -> PeerAlignment {
    alignment(of: frame(of: node)) { wasAligned(node.actor) }
  }

  /// How the shared frame lies in this peer's.
  package var alignmentOfSharedFrame: PeerAlignment { alignment(of: .shared) { false } }

  private func alignment(of frame: WorldFrame, wasAligned: () -> Bool) -> PeerAlignment {
    let count = solution.contradictions(of: frame)
    if let relation = solution.relation(from: frame, to: mine) {
      return PeerAlignment(relation, contradictions: count)
    }
    if wasAligned() { return PeerAlignment(.lost, contradictions: count) }
    let isMeasured = solution.measured.contains(frame) || solution.measured.contains(mine)
    return PeerAlignment(isMeasured ? .aligning : .unaligned, contradictions: count)
  }

  /// Whether some earlier frames of a process and of this one are connected.
  private func wasAligned(_ other: ActorID) -> Bool {
    let theirs = Set(book.frames(of: other) + [book.current(of: other)])
    let ours = Set(book.frames(of: mine.owner) + [mine])
    return !theirs.isDisjoint(with: ours)
      || !Set(theirs.compactMap(solution.root)).isDisjoint(with: ours.compactMap(solution.root))
  }

  /// The processes that declared a frame, in the order of their ids.
  var authors: [NodeID] { book.declared.values.map(\.node).inOrder() }
}

extension FrameView {
  /// The frame of the pose of the anchor that the set has at a slot; nil when that is not known.
  private func frame(ofSlot slot: Int, in anchors: borrowing AnchorSet) -> WorldFrame? {
    frame(of: anchors.poseStamp(at: slot))
  }

  /// The frame of an anchor's pose with this stamp; nil when that is not known.
  private func frame(of stamp: Stamp) -> WorldFrame? {
    guard rules.contains(.posesKeepFrames) else { return book.current(of: stamp.actor) }
    return book.frame(of: stamp.actor, clock: stamp.clock)
  }

  /// The anchor at a slot, in this peer's frame; nil when nothing says where that is.
  @inline(__always)
  package func anchor(at slot: Int, in anchors: borrowing AnchorSet) -> Anchor? {
    if isTrivial { return anchors.anchor(at: slot) }
    var anchor = anchors.anchor(at: slot)
    guard let placed = place(anchor.transform, in: frame(ofSlot: slot, in: anchors)) else { return nil }
    anchor.transform = placed
    return anchor
  }

  /// The anchor with an id, in this peer's frame; nil when there is none or nothing says where it is.
  package func anchor(_ id: AnchorID, in anchors: borrowing AnchorSet) -> Anchor? {
    anchors.slot(showing: id).flatMap { anchor(at: $0, in: anchors) }
  }

  /// Hands out the anchor with an id, in this peer's frame, unless there is none or nothing says where it is.
  ///
  /// An optional anchor would be copied twice on its way. `next` is that of ``AnchorSet/slot(showing:next:)``.
  package func read(
    _ id: AnchorID, next: inout Int, in anchors: borrowing AnchorSet, _ body: (consuming Anchor) -> Void
  ) {
    guard let slot = anchors.slot(showing: id, next: &next) else { return }
    if isTrivial { return body(anchors.anchor(at: slot)) }
    if let anchor = anchor(at: slot, in: anchors) { body(anchor) }
  }

  /// A removed anchor as it was last, in this peer's frame; nil when nothing says where that was.
  package func anchor(_ removed: Anchor, written stamp: Stamp) -> Anchor? {
    if isTrivial { return removed }
    guard let placed = place(removed.transform, in: frame(of: stamp)) else { return nil }
    var anchor = removed
    anchor.transform = placed
    return anchor
  }

  /// A live pose in this peer's frame; nil when nothing says where that is, but for the end of one.
  package func update(_ update: EphemeralUpdate) -> EphemeralUpdate? {
    guard !isTrivial, let pose = update.pose else { return update }
    guard let placed = place(pose.transform, in: frame(of: update)).flatMap(Pose.init) else { return nil }
    var update = update
    update.pose = placed
    return update
  }
}
