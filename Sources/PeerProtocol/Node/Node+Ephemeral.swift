package import AnchorReplication
package import Basics
package import WorldModel

/// Drags and poses of devices: what is worth something only until the next update.
extension Node {
  /// Begins to drag an anchor; an earlier drag of it by this node ends.
  package mutating func beginDrag(_ anchor: AnchorID, at now: Instant) throws(DragError) -> DragID {
    guard anchors[anchor] != nil else { throw .refused(.unknownAnchor(anchor)) }
    let id = DragID(rawValue: freshNumber())
    try drags.begin(id, anchor, at: now)
    return id
  }

  /// Shows a dragged anchor at another place, to all who look; it is made durable within a second.
  package mutating func drag(_ id: DragID, to transform: Transform, at now: Instant) throws(DragError) {
    guard let drag = drags[id] else { throw .ended }
    guard anchors[drag.anchor] != nil else {
      dropDrag(drag, at: now)
      throw .refused(.unknownAnchor(drag.anchor))
    }
    let pose: Pose
    do { pose = try Pose(checking: transform, of: drag.anchor) } catch { throw .refused(error) }
    drags.move(id, to: pose)
    publish(.anchor(drag.anchor), pose, at: now)
  }

  /// Ends a drag; the pose it was shown at last becomes the anchor's.
  package mutating func endDrag(_ id: DragID, at now: Instant) throws(DragError) {
    guard let drag = drags[id] else { throw .ended }
    dropDrag(drag, at: now)
    guard let pose = drag.pending else { return }
    do throws(AnchorError) { try makeDurable(drag.anchor, pose, at: now) } catch { throw .refused(error) }
  }

  /// Tells the others where this node's device is; nil that it does not tell any more.
  package mutating func updatePose(_ transform: Transform?, at now: Instant) throws(AnchorError) {
    let pose: Pose? = if let transform { try Pose(checking: transform, of: .participant(me.peer)) } else { nil }
    publish(.participant, pose, at: now)
  }

  /// The poses of the others' devices and of anchors they drag.
  package var livePoses: [EphemeralUpdate] {
    ephemeral.known.filter { update in
      shownNodes.contains(update.origin) && anchor(movedBy: update).map(interest.filter.matches) ?? true
    }
  }

  private mutating func dropDrag(_ drag: Drags.Drag, at now: Instant) {
    drags.remove(drag.id)
    publish(.anchor(drag.anchor), nil, at: now)
  }

  private mutating func makeDurable(_ anchor: AnchorID, _ pose: Pose, at now: Instant) throws(AnchorError) {
    try edit(at: now) { anchors, time throws(AnchorError) in
      _ = try anchors.move(anchor, to: pose.transform, at: time)
    }
  }

  private mutating func publish(_ subject: EphemeralSubject, _ pose: Pose?, at now: Instant) {
    if let update = ephemeral.publish(subject, pose, sessionTime: sessionTime(at: now), at: now) {
      spread(update, from: nil)
    }
  }

  /// When something of drags and poses is due; nil for never.
  var ephemeralDeadline: Instant? {
    guard let drags = drags.deadline else { return ephemeral.deadline }
    return min(drags, ephemeral.deadline ?? drags)
  }

  /// Does what is due of drags and poses.
  mutating func runEphemeral(at now: Instant) {
    for drag in drags.takeDue(at: now) {
      guard let pose = drag.pending else { continue }
      // The anchor may be gone: then there is nothing to drag either.
      do throws(AnchorError) { try makeDurable(drag.anchor, pose, at: now) } catch { dropDrag(drag, at: now) }
    }
    for update in ephemeral.takeDue(at: now) { spread(update, from: nil) }
    for update in ephemeral.expire(at: now) { tellLive(update) }
  }

  /// Shows the app the poses of those who are members now, and the end of those who are not any more.
  ///
  /// Poses are kept of all who can be reached: for a moment the roster may speak of another start of one who is there, and
  /// its poses come no second time.
  mutating func showPoses(of nodes: Set<NodeID>) {
    for var update in ephemeral.known where !nodes.contains(update.origin) {
      update.pose = nil
      tellLive(update)
    }
    let before = shownNodes
    shownNodes = nodes
    for update in ephemeral.known where !before.contains(update.origin) { tellLive(update) }
    let reached = Set(graph.members.map(\.node))
    ephemeral.keep(reached.contains)
  }

  /// Shows a new neighbour where everybody is whom it does not hear itself.
  mutating func introducePoses(on id: LinkID) {
    introduceInterests(on: id)
    for update in ephemeral.own { introduce(update, on: id) }
    for update in ephemeral.devices where relays(update.origin, on: id) { introduce(update, on: id) }
  }

  /// Shows a neighbour that hears of `origin` where its device is: it takes no pose of those it has not heard of.
  mutating func introducePose(of origin: NodeID, on id: LinkID) {
    guard links[id]?.phase == .member, relays(origin, on: id) else { return }
    for update in ephemeral.devices where update.origin == origin { introduce(update, on: id) }
  }

  /// Offers an update to one who may have seen an earlier one by another way, and has to be told of its end.
  private mutating func introduce(_ update: EphemeralUpdate, on id: LinkID) {
    links[id]?.shownPoses.assume(update)
    offer(update, on: id)
  }

  mutating func receiveEphemeral(_ reader: inout ByteReader, from link: Link, at now: Instant) throws(DecodingFailure) {
    repeat {
      let update = try EphemeralUpdate(reading: &reader)
      guard links[link.id]?.admitsEphemeral(at: now) == true else { continue }
      // Who has a link of its own is believed on that link alone.
      guard let node = link.node, update.origin == node || isBehindOthers(update.origin) else { continue }
      if update.origin == node { ephemeral.hear(node, at: update.sequence) }
      guard ephemeral.receive(update, at: now) else { continue }
      spread(update, from: link.id)
      if case .anchor(let id) = update.subject, anchors[id] == nil { continue }
      tellLive(update)
    } while reader.remaining > 0
  }

  /// Whether `node` is a member that is reachable, but not directly.
  func isHeardThroughOthers(_ node: NodeID) -> Bool {
    roster[node.peer]?.node == node && roster.admits(node.peer) && isBehindOthers(node)
  }

  /// Whether a path of links leads to `node`, but no link of this node's.
  private func isBehindOthers(_ node: NodeID) -> Bool {
    guard let place = graph.place(of: node) else { return false }
    return graph.reachable.contains(place) && !graph.neighbours.contains(place)
  }

  /// Lets an update leave on the links of all who do not hear it from its origin.
  private mutating func spread(_ update: EphemeralUpdate, from sender: LinkID?) {
    for id in memberLinks where id != sender && (update.origin == me || relays(update.origin, on: id)) {
      offer(update, on: id)
    }
  }

  /// Whether this node passes on what `origin` sends to the member on a link.
  func relays(_ origin: NodeID, on id: LinkID) -> Bool {
    guard let node = links[id]?.node, node != origin, let place = graph.place(of: origin) else { return false }
    return !graph.linked(to: node).contains(place)
  }

  /// Appends the poses that wait, as far as operations have left room.
  mutating func writeEphemeral(for id: LinkID) {
    guard let updates = links[id]?.takeEphemeral(), !updates.isEmpty else { return }
    let room = ProtocolLimits.transmitWindow - scratch.count - FrameHead.size
    let fitting = updates.prefix(max(0, room / EphemeralUpdate.largest))
    for update in updates.dropFirst(fitting.count) { links[id]?.queue(update) }
    links[id]?.dropDrags()
    guard !fitting.isEmpty else { return }
    scratch.writeFrame(.ephemeral) { body in
      for update in fitting { update.write(to: &body) }
    }
  }
}

extension AnchorID {
  /// The id under which a peer's device is shown as an anchor: the same everywhere.
  package static func participant(_ peer: PeerID) -> AnchorID {
    let digest = SHA256Digest(hashing: Array("participant".utf8) + peer.bytes)
    // A UUID of version 8: made by a rule of one's own (RFC 9562 §5.8).
    return AnchorID(high: digest.words[0] & ~0xf000 | 0x8000, low: digest.words[1] & ~(3 << 62) | 2 << 62)
  }
}
