public import WorldModel

extension WorldMap {
  /// The anchors of a session and a cloud of feature points as one map, to be shared or saved.
  ///
  /// - Parameters:
  ///   - session: The session whose anchors are taken, in the frame of `cloud`.
  ///   - cloud: The feature points of this device.
  ///   - views: How many camera views the cloud was built from; nil when that is not known.
  /// - Throws: ``SessionError`` with the code `map-not-ready` while ``mappingStatus`` is ``MappingStatus/notAvailable``.
  public static func capture(
    of session: Session, cloud: FeatureCloud, views: UInt32? = nil
  ) async throws(SessionError) -> WorldMap {
    let map = WorldMap(anchors: await session.anchors(), cloud: cloud, views: views)
    guard map.mappingStatus != .notAvailable else {
      throw SessionError(.mapNotReady, "there is no feature point yet; move the device until it has seen some")
    }
    return map
  }
}

extension Session {
  /// Captures the session's anchors and `cloud` and shares them as a map with everybody, if that is worth it: once the
  /// place is mapped well enough to be found in again, and another peer is connected.
  ///
  /// ``share(_:with:)`` shares any map at any time.
  ///
  /// - Parameters:
  ///   - cloud: The feature points of this device, in the frame of the session's anchors.
  ///   - views: How many camera views the cloud was built from; nil when that is not known.
  /// - Returns: The id of the shared map.
  /// - Throws: ``SessionError`` with the code `map-not-ready` while ``MappingStatus/allowsSharing`` does not hold,
  ///   `not-connected` while no other peer is connected, and as ``share(_:with:)``.
  @discardableResult
  public func shareCapture(of cloud: FeatureCloud, views: UInt32? = nil) async throws(SessionError) -> MapID {
    let map = try await WorldMap.capture(of: self, cloud: cloud, views: views)
    guard map.mappingStatus.allowsSharing else {
      throw SessionError(
        .mapNotReady, "the place is not mapped well enough (\(map.mappingStatus)); move the device around more of it")
    }
    guard state().peers.contains(where: { $0.state == .connected }) else {
      throw SessionError(.notConnected, "no other peer is connected; share the map when one has joined")
    }
    return try await share(map)
  }
}
