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
