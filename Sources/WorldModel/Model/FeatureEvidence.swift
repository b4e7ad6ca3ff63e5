/// How a device came by a feature point: its own name of the point, and how well it was measured.
public struct FeatureEvidence: Hashable, Sendable, BitwiseCopyable {
  /// The device's mapping session in which the point was first seen; 0 when the device named none.
  public var session: UInt64
  /// The number of the point in that session.
  public var number: UInt64
  /// How often keyframes saw the point; 0 when nothing is known about it.
  public var sightings: UInt32
  /// The largest distance between the point's image and a sighting of it (pixels, not negative); nil when not known.
  public var residual: Float?
  /// The standard deviation of the distance from the first camera that saw it (metres, not negative); nil when not known.
  public var depthDeviation: Float?

  /// A measurement of a point; it is checked with its cloud.
  public init(
    session: UInt64 = 0, number: UInt64 = 0, sightings: UInt32 = 0, residual: Float? = nil,
    depthDeviation: Float? = nil
  ) {
    self.session = session
    self.number = number
    self.sightings = sightings
    self.residual = residual
    self.depthDeviation = depthDeviation
  }

  /// Refuses numbers that are negative or not finite.
  func validate() throws(ModelError) {
    for (number, field) in [(residual, "residual"), (depthDeviation, "depth deviation")] {
      guard let number else { continue }
      guard number.isFinite else { throw .notFinite(field) }
      guard number >= 0 else { throw .outOfRange(field: field) }
    }
  }
}
