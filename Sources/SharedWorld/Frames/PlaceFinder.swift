#if Alignment
import WorldAlignment
#endif
import WorldModel

/// A session's map prepared for finding scans in it; preparing costs as much as a search.
///
/// Without the trait `Alignment` none can be prepared.
struct PlaceFinder: Sendable {
  /// The map.
  let id: MapID

  #if Alignment
  /// Where this device's cloud was found last.
  private(set) var memory = PlaceMemory()
  private let relocalizer: Relocalizer

  private init(id: MapID, relocalizer: Relocalizer) { (self.id, self.relocalizer) = (id, relocalizer) }

  /// Prepares a map, beside the session.
  @concurrent
  static func prepared(_ map: FeatureCloud, id: MapID) async throws(SessionError) -> PlaceFinder {
    do throws(AlignmentError) {
      return PlaceFinder(id: id, relocalizer: try Relocalizer(map: map))
    } catch {
      throw SessionError(error)
    }
  }

  /// The answer for a cloud, and what is known of the cloud from then on.
  struct Finding: Sendable {
    fileprivate let place: Relocalization
    fileprivate let memory: PlaceMemory

    /// How the map lies in the frame of a cloud that was found.
    func fit() throws(SessionError) -> FrameFit {
      guard let transform = place.transform, let uncertainty = place.uncertainty else {
        let reason = if case .limited(let reason) = place.state { reason.rawValue } else { "ambiguous" }
        throw SessionError(
          .notRelocalized, "the place is not surely found in the map (\(reason)); look around and try again")
      }
      // An error that all points share, such as one of scale, is in no covariance.
      let back = transform.inverse
      return FrameFit(
        transform: back, center: back.act(on: uncertainty.center), position: max(uncertainty.position, 0.01),
        orientation: max(uncertainty.orientation, 0.003), residual: Double(place.rms), observations: place.inliers)
    }
  }

  /// Looks for a cloud; where it only grew since the last one, near the place of that one.
  @concurrent
  func locate(
    _ cloud: FeatureCloud, _ sightings: FeatureCloud.Sightings?, _ hasGravity: Bool
  ) async throws(SessionError) -> Finding {
    var memory = memory
    do throws(AlignmentError) {
      let place = try relocalizer.relocalize(
        cloud, sightings: sightings, mode: hasGravity ? .gravity : .free, remembering: &memory)
      return Finding(place: place, memory: memory)
    } catch {
      throw SessionError(error)
    }
  }

  /// Looks near this place first when the cloud has grown.
  mutating func remember(_ finding: Finding) { memory = finding.memory }

  /// How far a cloud is from the map near the place where it is believed to be (metres); nil where it hardly meets the map there.
  ///
  /// - Parameter transform: The map to the frame of the cloud.
  @concurrent
  func residual(
    of transform: Transform, _ cloud: [SIMD3<Float>], _ hasGravity: Bool
  ) async throws(SessionError) -> Double? {
    do throws(AlignmentError) {
      return try relocalizer.drift(of: cloud, from: transform.inverse, mode: hasGravity ? .gravity : .free)
        .map { Double($0) }
    } catch {
      throw SessionError(error)
    }
  }
  #else
  private static let missing = SessionError.missingTrait("Alignment", for: "a search for a scan in the session's map")

  /// - Throws: ``SessionError`` with the code `missing-trait`.
  static func prepared(_ map: FeatureCloud, id: MapID) async throws(SessionError) -> PlaceFinder { throw missing }

  struct Finding: Sendable {
    func fit() throws(SessionError) -> FrameFit { throw PlaceFinder.missing }
  }

  func locate(
    _ cloud: FeatureCloud, _ sightings: FeatureCloud.Sightings?, _ hasGravity: Bool
  ) async throws(SessionError) -> Finding { throw Self.missing }

  func remember(_ finding: Finding) {}

  func residual(
    of transform: Transform, _ cloud: [SIMD3<Float>], _ hasGravity: Bool
  ) async throws(SessionError) -> Double? { throw Self.missing }
  #endif
}
