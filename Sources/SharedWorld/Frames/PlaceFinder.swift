import WorldAlignment
import WorldModel

/// A session's map prepared for finding scans in it; preparing costs as much as a search.
struct PlaceFinder: Sendable {
  /// The map.
  let id: MapID
  private let relocalizer: Relocalizer

  /// Prepares a map, beside the session.
  @concurrent
  static func prepared(_ map: FeatureCloud, id: MapID) async throws(SessionError) -> PlaceFinder {
    do throws(AlignmentError) {
      return PlaceFinder(id: id, relocalizer: try Relocalizer(map: map.positions))
    } catch {
      throw SessionError(error)
    }
  }

  /// Looks for a cloud, and measures how the map lies in the frame of the cloud.
  @concurrent
  func locate(_ cloud: [SIMD3<Float>], _ mode: AlignmentMode) async throws(SessionError) -> FrameFit {
    let found: Relocalization
    do throws(AlignmentError) {
      found = try relocalizer.relocalize(cloud, mode: mode)
    } catch {
      throw SessionError(error)
    }
    guard let transform = found.transform, let uncertainty = found.uncertainty else {
      let reason = if case .limited(let reason) = found.state { reason.rawValue } else { "ambiguous" }
      throw SessionError(
        .notRelocalised, "the place is not surely found in the map (\(reason)); look around and try again")
    }
    // An error that all points share, such as one of scale, is in no covariance.
    let back = transform.inverse
    return FrameFit(
      transform: back, center: back.act(on: uncertainty.center), position: max(uncertainty.position, 0.01),
      orientation: max(uncertainty.orientation, 0.003), residual: Double(found.rms), observations: found.inliers)
  }

  /// How far a cloud is from the map near the place where it is believed to be (metres); nil where it hardly meets the map there.
  ///
  /// - Parameter transform: The map to the frame of the cloud.
  @concurrent
  func residual(
    of transform: Transform, _ cloud: [SIMD3<Float>], _ mode: AlignmentMode
  ) async throws(SessionError) -> Double? {
    do throws(AlignmentError) {
      return try relocalizer.drift(of: cloud, from: transform.inverse, mode: mode).map { Double($0) }
    } catch {
      throw SessionError(error)
    }
  }
}
