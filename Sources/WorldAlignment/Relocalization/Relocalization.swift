public import WorldModel

/// Where a local cloud belongs in a map, and how far that can be trusted.
public struct Relocalization: Hashable, Sendable {
  /// How well the place of a device in a map is known; the words are those of ARKit's tracking state.
  @nonexhaustive
  public enum State: Hashable, Sendable {
    /// The place is not known yet.
    case relocalizing
    /// The place is known.
    case normal
    /// The place cannot be told.
    case limited(Reason)
  }

  /// Why a place cannot be told.
  @nonexhaustive
  public enum Reason: String, Hashable, Sendable {
    /// The cloud has too few points; look around.
    case insufficientFeatures = "insufficient-features"
    /// Too little of the cloud meets the map: another place, or a part that the map lacks.
    case littleOverlap = "little-overlap"
    /// Another pose, or a shift of this one, fits nearly as well, as in rooms that look alike; look at what differs.
    case ambiguous
  }

  /// The evidence that carries a pose, and how large the part of the map is in which it was seen.
  ///
  /// A thing that was moved fits where it stands now, and two maps cannot tell that the rest did not move with it. So
  /// a pose that a small part carries, such as one shelf, asks for a second look.
  public struct Support: Hashable, Sendable {
    /// The kind of evidence.
    @nonexhaustive
    public enum Source: String, Hashable, Sendable {
      /// Points that look alike, by their descriptors.
      case descriptors
      /// The shape of the cloud.
      case geometry
    }

    /// The evidence by which query and map agree.
    public let source: Source
    /// The number of points of the query that agree with the map.
    public let points: Int
    /// The part of the map that they lie in, in its frame (metres).
    public let box: BoundingBox
  }

  /// The best pose found, query to map, even when it is not accepted; nil when there is none.
  public let proposal: Transform?
  /// How sure ``proposal`` is if it is the right place; nil where its pairs leave some motion free.
  public let uncertainty: PoseUncertainty?
  /// How many of the query's cleaned points lie within ``reach`` of a point of the map.
  public let inliers: Int
  /// The share of the query's cleaned points that are inliers, 0–1.
  public let inlierRatio: Float
  /// The root mean square distance of the inliers to the map (metres); zero when there are none.
  public let rms: Float
  /// How clear the case is, 0–1, by the least of the tests' margins.
  ///
  /// From 0.5 on the pose is accepted.
  public let confidence: Float
  /// The knowledge of the place.
  public let state: State
  /// The part of the map that carries ``proposal``; nil when there is none.
  public let support: Support?

  /// The distance within which a point counts as an inlier (metres).
  public static let reach: Float = 0.05

  /// Whether the pose can be used.
  public var isAccepted: Bool { state == .normal }

  /// Query to map, if the pose is accepted: a wrong place is worse than none.
  public var transform: Transform? { isAccepted ? proposal : nil }

  /// A query that gives no pose.
  static func without(_ reason: Reason) -> Relocalization {
    Relocalization(
      proposal: nil, uncertainty: nil, inliers: 0, inlierRatio: 0, rms: 0, confidence: 0, state: .limited(reason),
      support: nil)
  }
}
