import AnchorReplication
import PeerProtocol
import PeerTransport
import WorldModel

// MARK: - Frames

extension Session {
  /// How the frame of a peer lies in this peer's; ``PeerAlignment/State/unaligned`` of a peer that is not in the session.
  func alignment(of peer: PeerID) -> PeerAlignment {
    let found = try? read { node, _ in node.alignment(of: peer) }
    return (found ?? nil) ?? .unknown
  }

  /// How the shared frame, that of the session's map, lies in this peer's.
  func alignmentOfSharedFrame() -> PeerAlignment {
    (try? read { node, _ in node.alignmentOfSharedFrame }) ?? .unknown
  }

  /// The anchors that have no place in this peer's frame, because nothing aligns the frames of their authors, in the order of their
  /// ids; their transforms are in those frames.
  func unalignedAnchors() -> [Anchor] { (try? read { node, _ in node.unplacedAnchors }) ?? [] }

  /// Records how the frame of a peer lies in this peer's, as the app has measured it; a later measurement replaces it.
  func align(_ peer: PeerID, by fit: FrameFit) throws(SessionError) -> PeerAlignment {
    try measure(try frame(of: peer), by: fit)
    return alignment(of: peer)
  }

  /// Records how the shared frame, that of the session's map, lies in this peer's: after the device has relocalised in the map.
  func alignToSharedFrame(by fit: FrameFit) throws(SessionError) -> PeerAlignment {
    try measure(.shared, by: fit)
    return alignmentOfSharedFrame()
  }

  /// Finds where a cloud that this device has scanned lies in the session's map, and lines up this peer's frame with it.
  func relocalize(_ cloud: FeatureCloud, hasGravity: Bool) async throws(SessionError) -> PeerAlignment {
    let alignment = try await align(by: MapScan(cloud, hasGravity: hasGravity))
    input(.relocalized(.measured))
    return alignment
  }

  /// Measures a frame by whatever can measure it, and records the result.
  func align(by source: some AlignmentSource) async throws(SessionError) -> PeerAlignment {
    let mine = try read { node, _ in node.worldFrames.mine }
    let theirs = try frame(of: source.peer)
    guard mine != theirs else { throw SessionError(Refusal.measurement(.sameFrame), anchor: nil) }
    let fit = try await source.measure(in: self)
    // Of the frames in which it began, even if a device has begun another one meanwhile.
    try handleQuietly(.measure(from: theirs, to: mine, Self.estimate(fit)))
    return alignment(to: source.peer)
  }

  /// Measures a frame by a source where that is needed: while the frame is not aligned, and again when it has moved.
  func keepAligned(by source: some AlignmentSource) async throws(SessionError) -> Realignment {
    let mine = try read { node, _ in node.worldFrames.mine }
    let theirs = try frame(of: source.peer)
    guard mine != theirs else { throw SessionError(Refusal.measurement(.sameFrame), anchor: nil) }
    if let believed = alignment(to: source.peer).transform,
      let residual = try await source.residual(of: believed, in: self), residual <= Frames.realignmentBound
    {
      return .kept(alignment(to: source.peer))
    }
    let now = try read { _, now in now }
    guard frameDesk.pace.begin(source.peer, at: now) else { return .skipped(alignment(to: source.peer)) }
    defer { frameDesk.pace.end(source.peer) }
    let fit = try await source.measure(in: self)
    let present = (try read { node, _ in node.worldFrames.mine }, try frame(of: source.peer))
    if present == (mine, theirs), let believed = alignment(to: source.peer).transform, !fit.corrects(believed) {
      return .kept(alignment(to: source.peer))
    }
    try handleQuietly(.measure(from: theirs, to: mine, Self.estimate(fit)))
    if source.peer == nil { input(.relocalized(.measured)) }
    return .measured(alignment(to: source.peer))
  }

  private func alignment(to peer: PeerID?) -> PeerAlignment {
    peer.map { alignment(of: $0) } ?? alignmentOfSharedFrame()
  }

  /// Shares a map that this device has made in its own frame: in the shared frame, that of the session's map.
  ///
  /// - Throws: ``SessionError``, `notRelocalized` where the session has a map in which this device has not found its place.
  func shareFromOwnFrame(_ map: WorldMap) async throws(SessionError) -> MapID {
    let mine = try read { node, _ in node.worldFrames.mine }
    if let transform = alignmentOfSharedFrame().transform {
      guard mine != .shared else { return try await share(map) }
      let moved: WorldMap
      do throws(ModelError) {
        moved = try map.transformed(by: transform.inverse)
      } catch {
        throw SessionError(.invalidArgument, "the map cannot be moved into the shared frame: \(error)", cause: error)
      }
      return try await share(moved)
    }
    guard state.mapID == nil else {
      throw SessionError(
        .notRelocalized, "this device has not found its place in the session's map; relocalise before you share another"
      )
    }
    // The first map of a session defines the shared frame: nothing is to be measured.
    let id = try await share(map)
    let exact = FrameFit(transform: .identity, position: 0, orientation: 0)
    try handleQuietly(.measure(from: .shared, to: mine, Self.estimate(exact)))
    return id
  }

  private static func estimate(_ fit: FrameFit) throws(SessionError) -> FrameEstimate {
    if let estimate = fit.estimate { return estimate }
    throw SessionError(.invalidArgument, "the transform of an alignment is not rigid")
  }

  /// The frame of a member, or the shared one.
  private func frame(of peer: PeerID?) throws(SessionError) -> WorldFrame {
    guard let peer else { return .shared }
    try requireMember(peer)
    guard let frame = try read({ node, _ in node.frame(of: peer) }) else {
      throw SessionError(.unknownPeer, "\(peer.short) is not a member of this session")
    }
    return frame
  }

  /// The session's map, prepared for finding scans in it.
  func relocalizer() async throws(SessionError) -> PlaceFinder {
    try requireRunning()
    guard let map = await map(), let id = mapDesk.latest?.id else {
      throw SessionError(.invalidArgument, "the session has no map here yet")
    }
    if let finder = frameDesk.finder, finder.id == id { return finder }
    let finder = try await PlaceFinder.prepared(map.cloud, id: id)
    frameDesk.finder = finder
    return finder
  }

  /// Looks for a cloud of this device in the session's map, and measures how the map lies in the frame of the cloud.
  func locate(
    _ cloud: FeatureCloud, _ sightings: FeatureCloud.Sightings?, _ hasGravity: Bool
  ) async throws(SessionError) -> FrameFit {
    let finder = try await relocalizer()
    let finding = try await finder.locate(cloud, sightings, hasGravity)
    if frameDesk.finder?.id == finder.id { frameDesk.finder?.remember(finding) }
    return try finding.fit()
  }

  /// Records a measurement of a frame; one that others caused counts with theirs, not at once.
  func measure(_ frame: WorldFrame, by fit: FrameFit, isPrompt: Bool = true) throws(SessionError) {
    let mine = try read { node, _ in node.worldFrames.mine }
    try handleQuietly(.measure(from: frame, to: mine, Self.estimate(fit), isPrompt: isPrompt))
  }

  /// Tells the app that a peer's frame lies elsewhere.
  func takeAlignment(of peer: Peer, _ alignment: PeerAlignment, into events: inout [Event]) {
    events.append(.alignmentChanged(peer, alignment))
    for reader in worldDesk.readers { reader.mailbox?.restart() }
    guard alignment.state != .aligned else { return }
    let isShown = driver?.read { node, _ in
      node.livePoses.contains { $0.origin.peer == peer.id && $0.subject == .participant }
    }
    if isShown == true { events.append(.participantGone(peer)) }
  }
}

// MARK: - Touched points

extension Session {
  /// Records that the user of this device touches a named point of the room, such as the corner of a table.
  func touch(
    _ name: String, at position: SIMD3<Float>, hasGravity: Bool
  ) throws(SessionError) -> [PeerID: PeerAlignment] {
    let name = Frames.touchPrefix + name
    let transform = Transform(translation: position)
    let own = try touches().first { $0.owner == identity.peerID && $0.name == name }
    frameDesk.touchesHaveGravity = hasGravity
    if let own {
      try handle(.edits([.move(own.id, to: transform)]))
    } else {
      try handle(.edits([.place(Anchor(name: name, transform: transform))]))
    }
    return alignByTouches(isPrompt: true)
  }

  /// Measures again when another peer has touched a point, where this peer has touched any.
  func takeTouches(_ changes: [SetChange]) {
    let isTrivial = (try? read { node, _ in node.hasTrivialFrames }) ?? true
    guard !isTrivial || frameDesk.touches.isKept else { return }
    // A list that is made now has what has just changed.
    if !isTrivial, !frameDesk.touches.isKept { _ = try? touchIDs() }
    var isTouched = false
    lookUp { anchors, _, _ in isTouched = frameDesk.touches.follow(changes, in: anchors) }
    if isTouched, !isTrivial { _ = alignByTouches(isPrompt: false) }
  }

  /// Measures the frames of all peers with which this one has enough points in common.
  private func alignByTouches(isPrompt: Bool) -> [PeerID: PeerAlignment] {
    guard let touches = try? touches(), let mine = try? read({ node, _ in node.worldFrames.mine }) else { return [:] }
    var found: [PeerID: PeerAlignment] = [:]
    for peer in Set(touches.map(\.owner)).inOrder() where peer != identity.peerID {
      guard let frame = try? frame(of: peer), frame != mine else { continue }
      let points = pairs(of: touches, with: peer, in: frame, and: mine)
      // Too few points, or points above each other, align nothing yet.
      guard let fit = try? FrameFit(points: points, hasGravity: frameDesk.touchesHaveGravity) else { continue }
      guard (try? measure(frame, by: fit, isPrompt: isPrompt)) != nil else { continue }
      found[peer] = alignment(of: peer)
    }
    return found
  }

  /// The points that a peer and this one have touched.
  func pointsTouched(with peer: PeerID) throws(SessionError) -> [FrameFit.Point] {
    let mine = try read { node, _ in node.worldFrames.mine }
    return pairs(of: try touches(), with: peer, in: try frame(of: peer), and: mine)
  }

  private func pairs(
    of touches: [Touch], with peer: PeerID, in theirs: WorldFrame, and mine: WorldFrame
  ) -> [FrameFit.Point] {
    let own = touches.filter { $0.owner == identity.peerID && $0.frame == mine }
    return touches.filter { $0.owner == peer && $0.frame == theirs }.compactMap { touch in
      own.first { $0.name == touch.name }.map { FrameFit.Point(source: touch.position, target: $0.position) }
    }
  }

  /// All touched points, each in the frame of its author.
  private func touches() throws(SessionError) -> [Touch] {
    let ids = try touchIDs()
    return try read { node, _ in
      ids.compactMap { id in
        guard let anchor = node.anchors[id], let owner = anchor.creator, let frame = node.frame(ofPoseOf: id) else {
          return nil
        }
        return Touch(id: id, name: anchor.name, owner: owner, frame: frame, position: anchor.transform.translation)
      }
    }
  }

  /// The anchors of the touched points, in the order of their ids.
  private func touchIDs() throws(SessionError) -> [AnchorID] {
    var book = frameDesk.touches
    defer { frameDesk.touches = book }
    return try read { node, _ in book.list { node.allAnchors } }
  }
}

// MARK: - Meetings

extension Session {
  /// Lines this peer's frame up with that of a peer whose device is held together with this one at the moment.
  func meet(
    _ peer: PeerID, hold: FrameFit.Hold, hasGravity: Bool
  ) async throws(SessionError) -> PeerAlignment {
    try await align(by: DeviceMeeting(peer, hold: hold, hasGravity: hasGravity))
  }

  /// Remembers that this device meets another one at this moment, and returns all their meetings in their present frames.
  func meetings(with peer: PeerID) throws(SessionError) -> [FrameFit.Meeting] {
    let theirs = try frame(of: peer)
    let (mine, update) = try read { node, _ in
      let view = node.worldFrames
      let poses = node.livePoses.filter { $0.origin.peer == peer && $0.subject == .participant }
      return (view.mine, poses.first { view.frame(of: $0) == theirs })
    }
    guard let update, let pose = update.pose else {
      throw SessionError(.noPose, "\(peer.short) tells no pose of its device, or your interest does not let it through")
    }
    guard let own = frameDesk.track.pose(at: update.sessionTime, in: mine) else {
      throw SessionError(.noPose, "this device tells no pose: call updatePose while you meet")
    }
    return frameDesk.add(FrameFit.Meeting(source: pose.transform, target: own), with: peer, from: theirs, to: mine)
  }
}

/// A point that the user of a device has touched.
private struct Touch {
  let id: AnchorID
  let name: String
  let owner: PeerID
  let frame: WorldFrame
  /// In the frame (metres).
  let position: SIMD3<Float>
}
