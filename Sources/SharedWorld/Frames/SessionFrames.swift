public import WorldModel

extension Session.Frames {
  /// Frames that lie elsewhere: those of ``Session/events`` that are about this part, with the same bounds.
  public var events: Session.Events { Session.Events(hub: session.hub, part: .frames) }

  /// Begins a frame of this device's own: from now on its poses are in it, and have a place for others only once measurements
  /// connect it.
  ///
  /// Call it before the first anchor where the device's world has its own origin, and again whenever the device loses
  /// its world and begins another one. Anchors that were placed before stay in the frame before. Drags, and the pose of
  /// the device, end.
  /// - Throws: ``SessionError`` with the code `ended`.
  public nonisolated(nonsending) func begin() async throws(SessionError) {
    try await session.handleQuietly(.beginFrame(isShared: false))
  }

  /// Returns to the shared frame, that of the session's map, in which every app begins: for a device that has moved its own origin
  /// there.
  ///
  /// - Throws: ``SessionError`` with the code `ended`.
  public nonisolated(nonsending) func useShared() async throws(SessionError) {
    try await session.handleQuietly(.beginFrame(isShared: true))
  }

  /// How the frame of a peer lies in this peer's; ``PeerAlignment/State/unaligned`` of a peer that is not in the session.
  public nonisolated(nonsending) func alignment(of peer: PeerID) async -> PeerAlignment {
    await session.alignment(of: peer)
  }

  /// How the shared frame, that of the session's map, lies in this peer's.
  public nonisolated(nonsending) var alignmentOfShared: PeerAlignment {
    get async { await session.alignmentOfSharedFrame() }
  }

  /// Measures a frame by whatever can measure it, and records the result.
  ///
  /// - Returns: The alignment that follows from this and all other measurements, with the residual.
  /// - Throws: ``SessionError`` with the code `unknownPeer`, `invalidArgument` for peers in one frame or a fit out of range, and what
  ///   the source throws.
  @discardableResult
  public nonisolated(nonsending) func align(
    by source: some AlignmentSource
  ) async throws(SessionError) -> PeerAlignment {
    try await session.align(by: source)
  }

  /// Records how the frame of a peer lies in this peer's, as the app has measured it; a later measurement replaces it.
  ///
  /// Frames that both owners have measured are placed first, so both peers should measure.
  /// - Parameters:
  ///   - peer: The peer whose frame was measured.
  ///   - fit: Its frame to this peer's.
  /// - Returns: The alignment that follows from this and all other measurements.
  /// - Throws: ``SessionError`` with the code `unknownPeer`, or `invalidArgument` for a fit out of range or peers in one frame.
  @discardableResult
  public nonisolated(nonsending) func align(
    _ peer: PeerID, by fit: FrameFit
  ) async throws(SessionError) -> PeerAlignment {
    try await session.align(peer, by: fit)
  }

  /// Records how the shared frame, that of the session's map, lies in this peer's: after the device has relocalised in the map.
  ///
  /// - Parameter fit: The map to this peer's frame.
  /// - Returns: The alignment that follows from this and all other measurements.
  /// - Throws: ``SessionError`` with the code `invalidArgument` for a fit out of range, or where this peer uses the shared frame.
  @discardableResult
  public nonisolated(nonsending) func alignToShared(by fit: FrameFit) async throws(SessionError) -> PeerAlignment {
    try await session.alignToSharedFrame(by: fit)
  }

  /// Measures a frame by a source where that is needed: while the frame is not aligned, and again when it has moved.
  ///
  /// Call it with whatever is new: each cloud as the device walks, each sight of a marker. Nothing is measured as long
  /// as the residual of the alignment (``AlignmentSource/residual(of:in:)``) is within ``Session/Frames/realignmentBound``. Otherwise
  /// it measures, one measurement of a frame at a time and at most one in ``Configuration/realignmentInterval``. The
  /// result replaces the alignment only if it differs by more than that bound and by more than its own uncertainty
  /// explains, so that nothing jumps for a measurement that is not better.
  ///
  /// A search for a scan in a map of 3,000 points takes tenths of a second in a release build, and many seconds in a debug build
  /// of this package.
  ///
  /// - Returns: The alignment, and whether this call has changed it.
  /// - Throws: As ``Session/Frames/align(by:)``; the alignment before stands.
  @discardableResult
  public nonisolated(nonsending) func keepAligned(
    by source: some AlignmentSource
  ) async throws(SessionError) -> Realignment {
    try await session.keepAligned(by: source)
  }

  /// The residual above which ``Session/Frames/keepAligned(by:)`` measures again (metres).
  public static let realignmentBound = 0.05

  /// Finds where a cloud that this device has scanned lies in the session's map, and lines up this peer's frame with it.
  ///
  /// The search runs beside the session (`Relocalizer` of WorldAlignment) and takes up to a few seconds; the peers see that this
  /// one has found its place in the map.
  /// - Parameters:
  ///   - cloud: Points of the place in this peer's frame.
  ///   - hasGravity: Whether y is straight up in the cloud and in the map.
  /// - Returns: How the map's frame lies in this peer's.
  /// - Throws: ``SessionError`` with the code `invalidArgument` (no map, or this peer uses the shared frame), `notRelocalized` (the
  ///   place is not found, or not surely) or `cancelled`.
  @discardableResult
  public nonisolated(nonsending) func relocalize(
    _ cloud: FeatureCloud, hasGravity: Bool = true
  ) async throws(SessionError) -> PeerAlignment {
    try await session.relocalize(cloud, hasGravity: hasGravity)
  }

  /// Tells everybody that this peer's app knows where it is in the session's map, or has lost it.
  ///
  /// The others see ``MapStatus/Stage/claimed``: ``MapStatus/Stage/relocalized`` is for what ``Session/Frames/relocalize(_:hasGravity:)`` or
  /// ``Session/Frames/keepAligned(by:)`` has measured in that map.
  public nonisolated(nonsending) func setRelocalized(_ isRelocalized: Bool) async {
    await session.input(.relocalized(isRelocalized ? .claimed : nil))
  }

  /// Lines this peer's frame up with that of a peer whose device is held together with this one at the moment.
  ///
  /// Both devices tell their poses (``Session/World/updatePose(_:)``) and stay as they are for a moment. Both peers call this: frames that both owners
  /// have measured are placed first. Meet again at other places of the room: the residual says how well the meetings fit each other.
  /// - Parameters:
  ///   - peer: The peer whose device it is.
  ///   - hold: The part of both poses that is equal.
  ///   - hasGravity: Whether y is straight up in both frames.
  /// - Returns: The alignment that follows from this and all other measurements.
  /// - Throws: ``SessionError`` with the code `unknownPeer`, `noPose` where one of the two tells no pose, `invalidArgument` for peers in
  ///   one frame, or `notDetermined` while the meetings leave a turn open; those that were count with the next one.
  @discardableResult
  public nonisolated(nonsending) func meet(
    _ peer: PeerID, hold: FrameFit.Hold = .together, hasGravity: Bool = true
  ) async throws(SessionError) -> PeerAlignment {
    try await session.meet(peer, hold: hold, hasGravity: hasGravity)
  }

  /// Records that the user of this device touches a named point of the room, such as the corner of a table.
  ///
  /// Two points that both users have touched, not above each other, align their frames where both devices know gravity; else three
  /// that are not on a line.
  ///
  /// The point is an anchor whose name begins with ``Session/Frames/touchPrefix``, of this peer alone; touching it again moves it. Each peer measures
  /// from its own points and the others', also when another one touches later.
  /// - Parameters:
  ///   - name: The name that both users give the point.
  ///   - position: Where it is in this peer's frame (metres).
  ///   - hasGravity: Whether y is straight up in this frame and those of the others.
  /// - Returns: The alignments of the peers with which this peer has enough touched points in common, with the residuals.
  /// - Throws: The errors of ``place(_:acknowledgement:)`` and ``move(_:to:acknowledgement:)``.
  public nonisolated(nonsending) func touch(
    _ name: String, at position: SIMD3<Float>, hasGravity: Bool = true
  ) async throws(SessionError) -> [PeerID: PeerAlignment] {
    try await session.touch(name, at: position, hasGravity: hasGravity)
  }

  /// The beginning of the names of anchors that stand for touched points.
  public static let touchPrefix = "touch/"
}
