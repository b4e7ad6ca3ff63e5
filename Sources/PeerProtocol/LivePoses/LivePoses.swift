import AnchorReplication
import Basics
import WorldModel

/// The organ of what counts only until the next update: poses of devices and of dragged anchors, and who wants to see them.
///
/// A pose is never repeated and never waited for. It leaves after operations and before pieces of maps; a dragged pose becomes
/// an ordinary move once a second and when the drag ends. A pose that no app wants to see is not sent.
struct LivePoses: Organ {
  /// The state of this organ for a member's link.
  private struct Lane: Sendable {
    /// Poses that wait to leave, the latest of each subject.
    var waiting: [EphemeralUpdate] = []
    /// The poses that left here and have not ended, while anybody wants less than all.
    var shown = ShownPoses()
    /// How many updates came in the present second.
    var budget: RateLimit
  }

  /// The latest pose of everything that moves.
  private var poses: PoseLane
  /// The anchors that this node drags.
  private var drags = Drags()
  /// Whose poses the app is shown: the members that can be reached.
  private var shownNodes: KeySet<NodeID> = []
  /// Which poses of others the app wants.
  private var gate = InterestGate()
  /// Counts what this node told the others of that; 0 for nothing yet.
  private var version: UInt32 = 0
  /// Which poses the others want.
  private var interests = Interests()
  private var lanes = PerLink<Lane>()

  init(me: NodeID) {
    poses = PoseLane(me: me)
  }

  /// When something of drags and poses is due; nil for never.
  func deadline(in turn: inout Turn) -> Instant? {
    guard let drags = drags.deadline else { return poses.deadline }
    return min(drags, poses.deadline ?? drags)
  }

  /// Does what is due of drags and poses.
  mutating func tick(in turn: inout Turn) {
    for drag in drags.takeDue(at: turn.now) {
      guard let pose = drag.pending else { continue }
      // The anchor may be gone: then there is nothing to drag either.
      do throws(AnchorError) { try makeDurable(drag.anchor, pose, in: &turn) } catch { drop(drag, in: &turn) }
    }
    for update in poses.takeDue(at: turn.now) { spread(update, from: nil, in: &turn) }
    for update in poses.expire(at: turn.now) { show(update, in: &turn) }
  }

  // MARK: Commands

  /// Begins to drag an anchor; an earlier drag of it by this node ends.
  mutating func beginDrag(_ anchor: AnchorID, in turn: inout Turn) throws(DragError) -> DragID {
    guard turn.anchors[anchor] != nil else { throw .refused(.unknownAnchor(anchor)) }
    let id = DragID(rawValue: turn.freshNumber())
    try drags.begin(id, anchor, at: turn.now)
    return id
  }

  /// Shows a dragged anchor at another place, to all who look; it is made durable within a second.
  mutating func drag(_ id: DragID, to transform: Transform, in turn: inout Turn) throws(DragError) {
    guard let drag = drags[id] else { throw .ended }
    guard turn.anchors[drag.anchor] != nil else {
      drop(drag, in: &turn)
      throw .refused(.unknownAnchor(drag.anchor))
    }
    let pose: Pose
    do { pose = try Pose(checking: transform, of: drag.anchor) } catch { throw .refused(error) }
    drags.move(id, to: pose)
    publish(.anchor(drag.anchor), pose, in: &turn)
  }

  /// Ends a drag; the pose it was shown at last becomes the anchor's.
  mutating func endDrag(_ id: DragID, in turn: inout Turn) throws(DragError) {
    guard let drag = drags[id] else { throw .ended }
    drop(drag, in: &turn)
    guard let pose = drag.pending else { return }
    do throws(AnchorError) { try makeDurable(drag.anchor, pose, in: &turn) } catch { throw .refused(error) }
  }

  /// Tells the others where this node's device is; nil that it does not tell any more.
  mutating func updatePose(_ transform: Transform?, in turn: inout Turn) throws(AnchorError) {
    let pose: Pose? = if let transform { try Pose(checking: transform, of: .participant(turn.me.peer)) } else { nil }
    publish(.participant, pose, in: &turn)
  }

  /// Ends all drags, where their anchors were shown last, and this device's pose; returns the sequence of the next live pose.
  mutating func endAll(in turn: inout Turn) -> UInt64 {
    for drag in drags.all {
      // The anchor may be gone: then there is nothing to drag either.
      do throws(DragError) { try endDrag(drag.id, in: &turn) } catch { drop(drag, in: &turn) }
    }
    if poses.own.contains(where: { $0.subject == .participant && $0.pose != nil }) {
      publish(.participant, nil, in: &turn)
    }
    return poses.nextSequence
  }

  /// Tells the others which live poses the app wants from now on.
  mutating func setInterest(_ filter: AnchorFilter, in turn: inout Turn) {
    let live = visible(in: turn)
    gate.set(filter, live: live)
    version += 1
    for update in live { show(update, in: &turn) }
    for member in turn.mesh.links.members { sendInterest(on: member.link, in: &turn) }
  }

  /// The poses of the others' devices and of anchors they drag, as far as the app wants them.
  func visible(in turn: borrowing Turn) -> [EphemeralUpdate] {
    poses.known.filter { update in
      shownNodes.contains(update.origin)
        && content(of: update, seenBy: turn.me, in: turn).map(gate.filter.matches) ?? true
    }
  }

  /// The content of an update, where a reader sees it; nil when it is not known or nothing says where that is.
  private func content(of update: EphemeralUpdate, seenBy reader: NodeID, in turn: borrowing Turn) -> MovedAnchor? {
    turn.anchor(movedBy: update).flatMap { turn.mesh.frames.content($0, seenBy: reader) }
  }

  private mutating func drop(_ drag: Drags.Drag, in turn: inout Turn) {
    drags.remove(drag.id)
    publish(.anchor(drag.anchor), nil, in: &turn)
  }

  private func makeDurable(_ anchor: AnchorID, _ pose: Pose, in turn: inout Turn) throws(AnchorError) {
    // This peer may have become a guest meanwhile.
    guard turn.heeds(turn.me.peer) else { return }
    try turn.edit { anchors, time throws(AnchorError) in _ = try anchors.move(anchor, to: pose.transform, at: time) }
  }

  private mutating func publish(_ subject: EphemeralSubject, _ pose: Pose?, in turn: inout Turn) {
    if let update = poses.publish(subject, pose, sessionTime: turn.sessionTime, at: turn.now) {
      spread(update, from: nil, in: &turn)
    }
  }

  // MARK: Notices

  /// A link is a member's from now on.
  mutating func linked(_ link: LinkRef, in turn: inout Turn) {
    lanes.begin(link, with: Lane(budget: RateLimit(ProtocolLimits.ephemeralRate, at: turn.now)))
  }

  /// Shows a new neighbour where everybody is whom it does not hear itself, and says who wants what.
  mutating func introduce(on link: LinkRef, in turn: inout Turn) {
    guard let neighbor = turn.mesh.links.node(link) else { return }
    sendInterest(on: link, in: &turn)
    for told in interests.all where told.node != neighbor { send(told, on: link, in: &turn) }
    for update in poses.own { introduce(update, on: link, in: &turn) }
    for update in poses.devices where turn.mesh.relays(update.origin, to: neighbor) {
      introduce(update, on: link, in: &turn)
    }
  }

  /// A link is gone.
  mutating func unlinked(_ link: LinkRef) { lanes.end(link) }

  /// A neighbour heard of `origin`, and now where its device is: it takes no pose of those it has not heard of.
  mutating func announced(_ origin: NodeID, on link: LinkRef, in turn: inout Turn) {
    guard let neighbor = turn.mesh.links.member(link), turn.mesh.relays(origin, to: neighbor) else { return }
    for update in poses.devices where update.origin == origin { introduce(update, on: link, in: &turn) }
  }

  /// The ways between members have changed: some may get from here what they got elsewhere.
  mutating func graphChanged(in turn: inout Turn) {
    if interests.isNarrow { reconsider(in: &turn) }
  }

  /// Shows the app the poses of those who are members now, and the end of those who are not any more.
  ///
  /// Poses are kept of all who can be reached: for a moment the roster may speak of another start of one who is there, and
  /// its poses come no second time.
  mutating func reachable(_ nodes: KeySet<NodeID>, in turn: inout Turn) {
    for var update in poses.known where !nodes.contains(update.origin) {
      update.pose = nil
      show(update, in: &turn)
    }
    let before = shownNodes
    shownNodes = nodes
    for update in poses.known where !before.contains(update.origin) { show(update, in: &turn) }
    let reached = Set(turn.mesh.graph.members.map(\.node))
    poses.keep(reached.contains)
    interests.keep(turn.mesh.isMember)
  }

  // MARK: Frames

  /// The frames of this organ.
  enum Frame {
    case poses, interest
  }

  /// Takes a frame about live poses.
  mutating func receive(
    _ frame: Frame, _ body: RawSpan, from sender: MemberLink, in turn: inout Turn
  ) throws(DecodingFailure) {
    switch frame {
    case .poses: try receivePoses(body, from: sender, in: &turn)
    case .interest: receiveInterest(try InterestFrame(body: body), from: sender, in: &turn)
    }
  }

  /// Takes poses that a member sends, its own and those it passes on.
  private mutating func receivePoses(
    _ body: RawSpan, from sender: MemberLink, in turn: inout Turn
  ) throws(DecodingFailure) {
    var reader = ByteReader(body)
    repeat {
      let update = try EphemeralUpdate(reading: &reader)
      guard lanes.update(sender.link, { $0.budget.admits(at: turn.now) }) == true else { continue }
      // A member with a link of its own is believed on that link alone.
      guard update.origin == sender.node || turn.mesh.isBehindOthers(update.origin) else { continue }
      if update.origin == sender.node { poses.hear(sender.node, at: update.sequence) }
      if case .anchor = update.subject, !turn.heeds(update.origin.peer) { continue }
      guard poses.receive(update, at: turn.now) else { continue }
      spread(update, from: sender.link, in: &turn)
      if case .anchor(let id) = update.subject, turn.anchors[id] == nil { continue }
      show(update, in: &turn)
    } while reader.remaining > 0
  }

  /// Takes what a member wants and hands it on, as far as it is news.
  private mutating func receiveInterest(_ told: InterestFrame, from sender: MemberLink, in turn: inout Turn) {
    let isOwnWord = told.node == sender.node
    guard isOwnWord || mayBeFar(told.node, in: turn), interests.take(told, isOwnWord: isOwnWord) else { return }
    for member in turn.mesh.links.members where member.link != sender.link && member.node != told.node {
      send(told, on: member.link, in: &turn)
    }
    reconsider(in: &turn)
  }

  /// Whether `node` is a member without a link of its own: who has one is believed on that link alone.
  private func mayBeFar(_ node: NodeID, in turn: borrowing Turn) -> Bool {
    guard node != turn.me, turn.mesh.isMember(node) else { return false }
    return turn.mesh.graph.slot(of: node).map { !turn.mesh.graph.neighbors.contains($0) } ?? true
  }

  /// Tells a neighbour what this node wants to hear of; who never said anything wants all.
  private func sendInterest(on link: LinkRef, in turn: inout Turn) {
    guard version > 0 else { return }
    send(InterestFrame(node: turn.me, version: version, filter: gate.filter), on: link, in: &turn)
  }

  private func send(_ told: InterestFrame, on link: LinkRef, in turn: inout Turn) {
    turn.send(.interest, on: link) { told.write(to: &$0) }
  }

  // MARK: Receivers

  /// Tells the app of a live pose, if it wants it.
  private mutating func show(_ update: EphemeralUpdate, in turn: inout Turn) {
    guard shownNodes.contains(update.origin) else { return }
    if let wanted = gate.admit(update, of: content(of: update, seenBy: turn.me, in: turn)) {
      turn.report(.ephemeral(wanted))
    }
  }

  /// Lets an update leave on the links of all who do not hear it from its origin.
  private mutating func spread(_ update: EphemeralUpdate, from sender: LinkRef?, in turn: inout Turn) {
    for member in turn.mesh.links.members where member.link != sender {
      guard update.origin == turn.me || turn.mesh.relays(update.origin, to: member.node) else { continue }
      offer(update, to: member, in: &turn)
    }
  }

  /// Offers an update to one who may have seen an earlier one by another way, and has to be told of its end.
  private mutating func introduce(_ update: EphemeralUpdate, on link: LinkRef, in turn: inout Turn) {
    lanes[link]?.shown.assume(update)
    guard let node = turn.mesh.links.node(link) else { return }
    offer(update, to: MemberLink(link: link, node: node), in: &turn)
  }

  /// Looks again at who wants which poses, after a change of wishes or of ways.
  ///
  /// A member that saw something by another way before is told its end by this one.
  private mutating func reconsider(in turn: inout Turn) {
    let (own, known) = (poses.renew(), poses.known)
    for member in turn.mesh.links.members {
      let relayed = known.filter { turn.mesh.relays($0.origin, to: member.node) }
      lanes[member.link]?.shown.assume(own + relayed)
      for update in own { offer(update, to: member, in: &turn) }
      for update in relayed where isWanted(update, by: member.node, in: turn) { offer(update, to: member, in: &turn) }
    }
  }

  /// Lets an update leave on a link, if the other side wants it, or one that gets it from there.
  ///
  /// The end of another's pose is always passed on: it may have been seen by another way.
  private mutating func offer(_ update: EphemeralUpdate, to member: MemberLink, in turn: inout Turn) {
    guard interests.isNarrow, update.origin == turn.me || update.pose != nil else {
      return queue(update, on: member.link, in: &turn)
    }
    let isWanted = isWanted(update, by: member.node, in: turn)
    if let admitted = lanes[member.link]?.shown.admit(update, isWanted: isWanted) {
      queue(admitted, on: member.link, in: &turn)
    }
  }

  /// Whether an update is wanted by a neighbour, or by a member that may get it by way of that neighbour.
  private func isWanted(_ update: EphemeralUpdate, by neighbor: NodeID, in turn: borrowing Turn) -> Bool {
    guard update.pose != nil else { return false }
    guard let anchor = turn.anchor(movedBy: update) else { return true }
    if isWanted(anchor, by: neighbor, in: turn) { return true }
    var far = turn.mesh.graph.dependants(of: neighbor, for: update.origin)
    while let slot = far.popFirst() {
      if let node = turn.mesh.graph.node(at: slot), isWanted(anchor, by: node, in: turn) { return true }
    }
    return false
  }

  /// Whether a reader wants to see it where it is there; where nothing says that, the reader decides.
  private func isWanted(_ moved: MovedAnchor, by reader: NodeID, in turn: borrowing Turn) -> Bool {
    turn.mesh.frames.content(moved, seenBy: reader).map { interests.wants($0, reader) } ?? true
  }

  // MARK: Sending

  /// Puts an update in the place of an older one, to leave in this turn or never.
  private mutating func queue(_ update: EphemeralUpdate, on link: LinkRef, in turn: inout Turn) {
    lanes.update(link) { lane in
      if let index = lane.waiting.firstIndex(where: update.hasSameSlot) {
        lane.waiting[index] = update
      } else {
        lane.waiting.append(update)
      }
    }
    turn.flush(link)
  }

  /// Whether poses wait to leave on a link.
  func hasWaiting(on link: LinkRef) -> Bool { lanes[link]?.waiting.isEmpty == false }

  /// Drops what would be late on a link that has taken its fill: a newer pose of a drag follows, but a device may stand still
  /// from now on.
  mutating func dropLate(on link: LinkRef) {
    if lanes[link]?.waiting.isEmpty == false { lanes[link]?.waiting.removeAll { $0.subject != .participant } }
  }

  /// Appends the poses that wait, as far as operations have left room.
  mutating func write(on link: LinkRef, in turn: inout Turn) {
    guard let updates = lanes.update(link, { exchange(&$0.waiting, with: []) }) else { return }
    let room = ProtocolLimits.transmitWindow - turn.outbox.scratch.count - FrameHead.size
    let fitting = updates.prefix(max(0, room / EphemeralUpdate.largest))
    lanes[link]?.waiting = Array(updates.dropFirst(fitting.count))
    dropLate(on: link)
    guard !fitting.isEmpty else { return }
    turn.outbox.scratch.writeFrame(.ephemeral) { body in
      for update in fitting { update.write(to: &body) }
    }
  }
}
