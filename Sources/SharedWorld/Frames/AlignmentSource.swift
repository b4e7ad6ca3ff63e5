public import WorldModel

/// Something that measures how a frame lies in that of a session's peer; ``Session/Frames/align(by:)`` records what it found.
///
/// The library has ``MapScan``, ``DeviceMeeting``, ``TouchedPoints`` and ``SuppliedFit``; an app adds its own, such as the corners of an
/// image that two cameras see (`FrameFit.init(points:)`).
public protocol AlignmentSource: Sendable {
  /// The peer whose frame is measured; nil for the shared frame, that of the session's map.
  var peer: PeerID? { get }

  /// Measures that frame in the one in which the session's peer is.
  ///
  /// - Throws: ``SessionError``, such as `notDetermined` while more has to be observed.
  func measure(in session: Session) async throws(SessionError) -> FrameFit

  /// How far an alignment is from what the source sees now, where it can tell that for less than a measurement costs;
  /// ``Session/Frames/keepAligned(by:)`` asks for it. Nil by default.
  ///
  /// - Parameters:
  ///   - transform: The frame to this peer's, as it is believed to be.
  ///   - session: The session that asks.
  /// - Returns: The residual (metres); nil where only a measurement can tell.
  func residual(of transform: Transform, in session: Session) async throws(SessionError) -> Double?
}

extension AlignmentSource {
  /// Nil: only a measurement can tell.
  public func residual(of transform: Transform, in session: Session) async throws(SessionError) -> Double? { nil }
}

/// A cloud that this device has scanned, looked for in the session's map.
///
/// Where cloud and map have descriptors of one kind, points that look alike line them up, else the shape of the cloud does.
public struct MapScan: AlignmentSource {
  /// The points, in this peer's frame.
  public let cloud: FeatureCloud
  /// Whether y is straight up in the cloud and in the map.
  public let hasGravity: Bool

  /// All descriptors of each point, where more are known than the one that the cloud has room for.
  public var sightings: FeatureCloud.Sightings?

  /// A scan in which y is straight up unless told otherwise.
  public init(_ cloud: FeatureCloud, hasGravity: Bool = true) { (self.cloud, self.hasGravity) = (cloud, hasGravity) }

  /// Nil: the frame of the map.
  public var peer: PeerID? { nil }

  /// Looks for the cloud, for up to a few seconds.
  public func measure(in session: Session) async throws(SessionError) -> FrameFit {
    try await session.locate(cloud, sightings, hasGravity)
  }

  /// How far the cloud is from the map near the place where it is believed to be; nil where it hardly meets the map there.
  public func residual(of transform: Transform, in session: Session) async throws(SessionError) -> Double? {
    try await session.relocalizer().residual(of: transform, cloud.positions, hasGravity)
  }
}

/// Two devices that are held together at this moment; the meetings before, in the same frames, count too while they agree.
public struct DeviceMeeting: AlignmentSource {
  private let partner: PeerID
  /// The part of both poses that is equal.
  public let hold: FrameFit.Hold
  /// Whether y is straight up in both frames.
  public let hasGravity: Bool

  /// A meeting with a peer's device.
  public init(_ peer: PeerID, hold: FrameFit.Hold = .together, hasGravity: Bool = true) {
    (partner, self.hold, self.hasGravity) = (peer, hold, hasGravity)
  }

  /// The peer whose device it is.
  public var peer: PeerID? { partner }

  /// Takes the poses of both devices at one moment of session time: that of the peer's latest one.
  public func measure(in session: Session) async throws(SessionError) -> FrameFit {
    try FrameFit(latest: try await session.meetings(with: partner), hold: hold, hasGravity: hasGravity)
  }
}

/// The points of the room that the users of two devices have touched (``Session/Frames/touch(_:at:hasGravity:)``).
public struct TouchedPoints: AlignmentSource {
  private let partner: PeerID
  /// Whether y is straight up in both frames: then two points are enough, else three.
  public let hasGravity: Bool

  /// The points that a peer has touched, and this one too.
  public init(with peer: PeerID, hasGravity: Bool = true) { (partner, self.hasGravity) = (peer, hasGravity) }

  /// The peer that has touched them.
  public var peer: PeerID? { partner }

  /// Fits the points of the one onto those of the other.
  public func measure(in session: Session) async throws(SessionError) -> FrameFit {
    try await FrameFit(points: session.pointsTouched(with: partner), hasGravity: hasGravity)
  }
}

/// A transform that the app has measured itself.
public struct SuppliedFit: AlignmentSource {
  /// The peer whose frame is measured; nil for the shared frame.
  public let peer: PeerID?
  /// Its frame to this peer's.
  public let fit: FrameFit

  /// A measurement by the app of a peer's frame, or of the shared one.
  public init(_ fit: FrameFit, of peer: PeerID?) { (self.fit, self.peer) = (fit, peer) }

  /// The transform.
  public func measure(in session: Session) async throws(SessionError) -> FrameFit { fit }
}
