public import WorldModel

extension Session.Maps {
  /// Maps that come: those of ``Session/events`` that are about this part, with the same bounds.
  public var events: Session.Events { Session.Events(hub: session.hub, part: .maps) }

  /// Shares a map with one peer, or with all and every later joiner.
  ///
  /// Its anchors join the session, once, under their own ids; those of a map for one peer only where this peer may share one with
  /// all (``Session/Configuration/Hosting/mapProviders``), and else they are in that peer's ``Session/Maps/latest()`` alone. Of two maps shared with all, that of the later epoch is
  /// the session's, and within an epoch that of the higher revision.
  ///
  /// - Returns: the id of this revision of the map.
  /// - Throws: ``SessionError`` with the code `not-permitted` when the session's rule for providers does not allow it,
  ///   `unknown-peer`, `invalid-argument` or `limit-exceeded`.
  @discardableResult
  public nonisolated(nonsending) func share(
    _ map: WorldMap, with peer: PeerID? = nil
  ) async throws(SessionError) -> MapID {
    try await session.share(map, with: peer)
  }

  /// The anchors of the session and a cloud of feature points as one map, to be shared or saved.
  ///
  /// - Parameters:
  ///   - cloud: The feature points of this device, in the frame of the session's anchors.
  ///   - views: How many camera views the cloud was built from; nil when that is not known.
  /// - Throws: ``SessionError`` with the code `map-not-ready` while ``MappingStatus/notAvailable`` is the map's status.
  public nonisolated(nonsending) func capture(
    _ cloud: FeatureCloud, views: UInt32? = nil
  ) async throws(SessionError) -> WorldMap {
    try await session.requireRunning()
    let map = WorldMap(anchors: await session.anchors(), cloud: cloud, views: views)
    guard map.mappingStatus != .notAvailable else {
      throw SessionError(.mapNotReady, "there is no feature point yet; move the device until it has seen some")
    }
    return map
  }

  /// Captures the session's anchors and `cloud` and shares them as a map with everybody, if that is worth it: once the
  /// place is mapped well enough to be found in again, and another peer is connected.
  ///
  /// A device in a frame of its own shares the map as it lies in the shared frame; the first map of a session defines that frame,
  /// and this device is aligned with it at once. ``share(_:with:)`` shares any map at any time, as it is.
  ///
  /// - Parameters:
  ///   - cloud: The feature points of this device, in the frame of the session's anchors.
  ///   - views: How many camera views the cloud was built from; nil when that is not known.
  /// - Returns: The id of the shared map.
  /// - Throws: ``SessionError`` with the code `map-not-ready` while ``MappingStatus/allowsSharing`` does not hold,
  ///   `not-connected` while no other peer is connected, `not-relocalized` where the session has a map in which this device has
  ///   not found its place, and as ``share(_:with:)``.
  @discardableResult
  public nonisolated(nonsending) func shareCapture(
    of cloud: FeatureCloud, views: UInt32? = nil
  ) async throws(SessionError) -> MapID {
    try await session.shareCapture(of: cloud, views: views)
  }

  /// The session's map, or the latest one sent to this peer alone; nil until one is complete.
  ///
  /// Its provider is the peer that shared it. It is decoded, beside the event loop, when it is first asked for. Nil also if it cannot be: then
  /// ``Event/mapFailed(_:)`` says why.
  public nonisolated(nonsending) func latest() async -> WorldMap? {
    await session.map()
  }

  /// Stops fetching a map, permanently; nothing happens if it is here already.
  public nonisolated(nonsending) func cancel(_ id: MapID) async {
    await session.input(.cancelMap(id))
  }
}
