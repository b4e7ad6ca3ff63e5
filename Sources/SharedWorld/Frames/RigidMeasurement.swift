#if Alignment
import WorldAlignment
#endif
import WorldModel

/// The rigid transform between pairs of points (`RigidFit` of WorldAlignment), and how sure it is.
struct RigidMeasurement {
  /// One point: in the frame that is measured, and in the one in which it is measured (metres).
  struct Pair {
    let source, target: SIMD3<Float>
    var weight: Float = 1
  }

  let transform: Transform
  /// The point about which the orientation is uncertain (metres).
  let center: SIMD3<Float>
  /// Standard deviations (metres, and radians).
  let position, orientation: Double
  /// The root mean square of the distances that remain (metres).
  let rms: Double

  #if Alignment
  init(_ pairs: [Pair], _ hasGravity: Bool) throws(SessionError) {
    do throws(AlignmentError) {
      let fit = try RigidFit(
        pairs.map { RigidFit.Pair(source: $0.source, target: $0.target, weight: $0.weight) },
        mode: hasGravity ? .gravity : .free)
      (transform, rms) = (fit.transform, fit.rms)
      center = fit.uncertainty.center
      (position, orientation) = (fit.uncertainty.position, fit.uncertainty.orientation)
    } catch {
      throw SessionError(error)
    }
  }
  #else
  init(_ pairs: [Pair], _ hasGravity: Bool) throws(SessionError) {
    throw .missingTrait("Alignment", for: "an alignment of frames by points, poses or scans")
  }
  #endif
}
