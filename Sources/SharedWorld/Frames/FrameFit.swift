import PeerProtocol
public import WorldModel

/// A measured transform between two frames and how sure it is.
public struct FrameFit: Hashable, Sendable {
  /// The frame that is measured to the frame in which it is measured.
  public var transform: Transform
  /// The point of the latter about which the orientation is uncertain (metres): the middle of what was measured.
  public var center: SIMD3<Float>
  /// The standard deviation of the position of ``center``, over all directions (metres); more than 1 m places nothing.
  public var position: Double
  /// The standard deviation of the orientation, over all axes (radians); more than 0.35 places nothing.
  public var orientation: Double
  /// The root mean square of the distances that remain (metres).
  public var residual: Double
  /// The number of observations behind it.
  public var observations: Int

  /// A transform that the app has measured.
  public init(
    transform: Transform, center: SIMD3<Float> = .zero, position: Double = 0.02, orientation: Double = 0.01,
    residual: Double = 0, observations: Int = 1
  ) {
    (self.transform, self.center) = (transform, center)
    (self.position, self.orientation) = (position, orientation)
    (self.residual, self.observations) = (residual, observations)
  }

  /// A pair of positions of one point: in the frame that is measured, and in the one in which it is measured (metres).
  public struct Point: Hashable, Sendable {
    /// The position in the frame that is measured.
    public var source: SIMD3<Float>
    /// The position in the frame in which it is measured.
    public var target: SIMD3<Float>

    /// A pair of positions of one point.
    public init(source: SIMD3<Float>, target: SIMD3<Float>) { (self.source, self.target) = (source, target) }
  }

  /// The transform that moves points of one frame onto the same points in another one (`RigidFit` of WorldAlignment).
  ///
  /// - Parameters:
  ///   - points: Two that are not above each other where both devices know gravity, else three that are not on a line.
  ///   - hasGravity: Whether y is straight up in both frames.
  ///   - noise: The standard deviation of one coordinate of a point (metres), which few points cannot tell themselves.
  /// - Throws: ``SessionError`` with the code `notDetermined` while the points leave a turn open, or `invalidArgument` for one that is
  ///   not finite.
  public init(points: [Point], hasGravity: Bool = true, noise: Double = 0.01) throws(SessionError) {
    let pairs = points.map { RigidMeasurement.Pair(source: $0.source, target: $0.target) }
    let fit = try RigidMeasurement(pairs, hasGravity)
    let center = fit.center
    let spread = points.reduce(0.0) { sum, point in
      let arm = point.target - center
      return sum + Double((arm * arm).sum())
    }
    let count = Double(points.count)
    self.init(
      transform: fit.transform, center: center,
      position: max(fit.position, noise * (3 / count).squareRoot()),
      orientation: max(fit.orientation, noise / spread.squareRoot()), residual: fit.rms,
      observations: points.count)
  }

  /// Whether this is better than what is believed: it differs by more than ``Session/Frames/realignmentBound``, at its center or 2 m beside
  /// it, and there by more than three of its own standard deviations.
  func corrects(_ believed: Transform) -> Bool {
    let change = transform * believed.inverse
    let arms: [(direction: SIMD3<Float>, length: Double)] = [
      (.zero, 0), ([2, 0, 0], 2), ([-2, 0, 0], 2), ([0, 0, 2], 2), ([0, 0, -2], 2),
    ]
    return arms.contains { arm in
      let point = center + arm.direction
      let move = change.act(on: point) - point
      let gap = Double((move * move).sum()).squareRoot()
      let turned = arm.length * orientation
      return gap > Session.Frames.realignmentBound && gap > 3 * (position * position + turned * turned).squareRoot()
    }
  }

  /// As the protocol sends it; nil for a transform that is not rigid, or a negative or infinite number.
  var estimate: FrameEstimate? {
    FrameEstimate(
      transform, center: center, position: position, orientation: orientation, residual: residual,
      observations: observations)
  }
}
