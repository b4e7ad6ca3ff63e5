package import AnchorReplication
import Basics
package import WorldModel

/// A transform between two frames and how sure it is.
package struct FrameEstimate: Equatable, Sendable {
  /// Source to target.
  package var pose: Pose
  /// The point of the target frame about which the turn of ``covariance`` is (metres).
  package var center: SIMD3<Float>
  /// The 6 × 6 covariance of the small motion that may be missing, as the 21 numbers on and below the diagonal, row by row: a turn
  /// about ``center`` (rad²), then a shift (m²), both in the target frame.
  package var covariance: [Float]
  /// The root mean square of the distances that remain (metres).
  package var residual: Float
  /// The number of observations behind it, from 1.
  package var observations: UInt32

  package init(pose: Pose, center: SIMD3<Float>, covariance: [Float], residual: Float, observations: UInt32) {
    precondition(covariance.count == Self.covarianceCount, "a lower triangle of six rows")
    (self.pose, self.center, self.covariance) = (pose, center, covariance)
    (self.residual, self.observations) = (residual, observations)
  }

  /// An estimate whose errors in the three directions, and about the three axes, are alike and independent; nil for a transform
  /// that is not rigid.
  ///
  /// - Parameters:
  ///   - position: The standard deviation of the position of `center`, over all directions (metres).
  ///   - orientation: The standard deviation of the orientation, over all axes (radians).
  package init?(
    _ transform: Transform, center: SIMD3<Float>, position: Double, orientation: Double, residual: Double = 0,
    observations: Int = 1
  ) {
    guard let pose = Pose(transform) else { return nil }
    var covariance = [Float](repeating: 0, count: Self.covarianceCount)
    for row in 0..<6 {
      let deviation = row < 3 ? orientation : position
      covariance[Self.diagonal(row)] = Float(deviation * deviation / 3)
    }
    self.init(
      pose: pose, center: center, covariance: covariance, residual: Float(residual),
      observations: UInt32(clamping: max(1, observations)))
  }

  /// The variance of the position of ``center``, over all directions (m²).
  var positionVariance: Double { (3..<6).reduce(0) { $0 + Double(covariance[Self.diagonal($1)]) } }

  /// The variance of the orientation, over all axes (rad²).
  var orientationVariance: Double { (0..<3).reduce(0) { $0 + Double(covariance[Self.diagonal($1)]) } }

  /// Numbers on and below the diagonal.
  static let covarianceCount = 21

  /// Where the number of the diagonal in a row stands.
  static func diagonal(_ row: Int) -> Int { row * (row + 3) / 2 }
}

extension FrameEstimate {
  /// Bytes on the wire.
  static let wireSize = 48 + 12 + 4 * covarianceCount + 4 + 4
  /// The largest coordinate of a center (metres), variance (m², rad²) and residual (metres).
  private static let greatest: Float = 1_000_000

  /// Whether every number is in range: the variances are at least zero, and nothing is NaN.
  package var isValid: Bool {
    let numbers = covariance + [center.x, center.y, center.z, residual]
    // Written so that NaN fails: it compares false with everything.
    return numbers.allSatisfy { $0.magnitude <= Self.greatest } && residual >= 0 && observations > 0
      && (0..<6).allSatisfy { covariance[Self.diagonal($0)] >= 0 }
  }

  /// Appends the pose, the center, the 21 numbers of the covariance, the residual and the observations.
  func write(to writer: inout ByteWriter) {
    writer.write(pose)
    for index in 0..<3 { writer.write(center[index]) }
    for number in covariance { writer.write(number) }
    writer.write(residual)
    writer.write(observations)
  }

  /// Reads what ``write(to:)`` wrote; a number out of range is an error.
  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    pose = try reader.readPose()
    center = SIMD3(try reader.readFloat(), try reader.readFloat(), try reader.readFloat())
    var numbers: [Float] = []
    numbers.reserveCapacity(Self.covarianceCount)
    for _ in 0..<Self.covarianceCount { numbers.append(try reader.readFloat()) }
    covariance = numbers
    residual = try reader.readFloat()
    observations = try reader.read(UInt32.self)
    guard isValid else { throw .invalid("a number of an estimate is out of range", offset: start) }
  }
}
