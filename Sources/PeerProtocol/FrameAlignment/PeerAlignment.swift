import AnchorReplication
public import WorldModel

/// How a peer's frame lies in this peer's, as far as measurements say.
public struct PeerAlignment: Hashable, Sendable {
  /// How far two peers have come with lining up their frames.
  @nonexhaustive
  public enum State: String, Hashable, Sendable {
    /// Nothing is known: what the other peer places has no place here.
    case unaligned
    /// Measurements are there and do not connect the two frames yet.
    case aligning
    /// Measurements connect the two frames, or both peers use the shared one.
    case aligned
    /// One of the two has begun another frame since they were aligned, and that is not connected.
    case lost
  }

  /// How far the two have come.
  public internal(set) var state: State
  /// The peer's frame to this peer's; nil unless they are aligned.
  public internal(set) var transform: Transform?
  /// The root of the sum of the squared residuals of the measurements on the way (metres); 0 in one frame.
  public internal(set) var residual: Double
  /// The standard deviation of positions, over all directions (metres); 0 in one frame.
  public internal(set) var position: Double
  /// The standard deviation of orientations, over all axes (radians); 0 in one frame.
  public internal(set) var orientation: Double
  /// The observations behind the weakest measurement on the way; 0 in one frame.
  public internal(set) var observations: Int
  /// When the oldest measurement on the way was made; nil in one frame.
  public internal(set) var sessionTime: SessionTime?
  /// Measurements of the peer's frame that are held back, because they contradict others beyond five standard deviations.
  public internal(set) var contradictions: Int

  /// Of a peer of which nothing is known.
  package static let unknown = PeerAlignment(.unaligned)

  /// Not aligned.
  init(_ state: State, contradictions: Int = 0) {
    self.state = state
    transform = nil
    (residual, position, orientation, observations) = (0, 0, 0, 0)
    sessionTime = nil
    self.contradictions = contradictions
  }

  /// Aligned by a relation from the peer's frame to this peer's.
  init(_ relation: FrameRelation, contradictions: Int) {
    self.init(.aligned, contradictions: contradictions)
    transform = relation.motion.transform
    residual = relation.residual
    position = relation.position.squareRoot()
    orientation = relation.orientation.squareRoot()
    observations = relation.observations
    sessionTime = relation.sessionTime.map(SessionTime.init)
  }
}

extension PeerAlignment {
  /// How long ago the oldest measurement on the way was made, at a session time; nil in one frame.
  public func age(at sessionTime: SessionTime) -> Duration? { self.sessionTime.map(sessionTime.duration(since:)) }
}

extension PeerAlignment: CustomStringConvertible {
  /// The state and how well the measurements agree.
  public var description: String {
    "\(state.rawValue)" + (transform == nil ? "" : ", from \(observations) measurements that agree to \(residual) m")
  }
}
