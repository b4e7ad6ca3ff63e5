import Basics
import WorldModel

/// The points and pictures of tracking data in the world frame.
struct TrackingSurvey {
  var cloud: FeatureCloud
  /// The descriptors of all sightings of its points.
  var sightings: FeatureCloud.Sightings
  var keyframes: [Keyframe]
  /// How many points were left out because of their residuals.
  var dropped: Int
}

extension TrackingData {
  /// Points and keyframes in the world frame, from the place of the tracking axes in it.
  func survey(from origin: Transform) throws(UnreadablePoints) -> TrackingSurvey {
    guard frames.count <= Limits.keyframes else { throw UnreadablePoints("more than \(Limits.keyframes) frames") }
    var keyframes: [Keyframe] = []
    keyframes.reserveCapacity(frames.count)
    for frame in frames { keyframes.append(try keyframe(frame, origin)) }
    let kept = points.filter { $0.worstResidual <= Double(ARKitArchive.worstResidual) }
    let axes = TrackingAxes(origin)
    var appearance = FeatureCloud.Descriptors(kind: ARKitArchive.descriptorKind, size: Self.descriptorSize, bytes: [])
    appearance.bytes.reserveCapacity(kept.count * Self.descriptorSize)
    for point in kept {
      appearance.bytes += descriptor(point.observations[0])
    }
    let cloud = FeatureCloud(
      positions: kept.map { axes.place($0.position) }, identifiers: kept.map { Self.identifier($0.evidence) },
      channels: FeatureCloud.Channels(descriptors: appearance, evidence: kept.map(\.evidence)))
    do throws(ModelError) {
      try cloud.validate()
      return TrackingSurvey(
        cloud: try cloud.sorted(), sightings: sightings(of: kept, in: cloud), keyframes: keyframes,
        dropped: points.count - kept.count)
    } catch {
      throw UnreadablePoints("\(error)")
    }
  }

  private func descriptor(_ observation: Int) -> ArraySlice<UInt8> {
    descriptors[(observation * Self.descriptorSize)..<((observation + 1) * Self.descriptorSize)]
  }

  /// The descriptors of all sightings of points, in the order in which their cloud is sorted.
  private func sightings(of points: [Point], in cloud: FeatureCloud) -> FeatureCloud.Sightings {
    var sightings = FeatureCloud.Sightings(
      descriptors: FeatureCloud.Descriptors(kind: ARKitArchive.descriptorKind, size: Self.descriptorSize, bytes: []),
      counts: [])
    for index in points.indices.sorted(by: { cloud.identifiers[$0] < cloud.identifiers[$1] }) {
      for observation in points[index].observations { sightings.descriptors.bytes += descriptor(observation) }
      sightings.counts.append(UInt32(points[index].observations.count))
    }
    return sightings
  }

  /// The identifier of a point: the same in every map of one device that has the point.
  ///
  /// Numbers of different sessions are moved apart by 64 bits that each session's name gives.
  private static func identifier(_ evidence: FeatureEvidence) -> UInt64 {
    guard evidence.session != 0 else { return evidence.number }
    var generator = SplitMix64(seed: evidence.session)
    return evidence.number &+ generator.next()
  }

  private func keyframe(_ frame: Frame, _ origin: Transform) throws(UnreadablePoints) -> Keyframe {
    let moment = moments[frame.moment]
    let axes = TrackingAxes(origin)
    // The camera's axes in those of tracking: x right, y down, z ahead.
    let rows = cameras[frame.camera].rotation.rows
    let right = axes.turn(moment.rotation.actInversely(on: rows.0))
    let up = -axes.turn(moment.rotation.actInversely(on: rows.1))
    let back = -axes.turn(moment.rotation.actInversely(on: rows.2))
    let pose = Transform(x: right, y: up, z: back, translation: axes.place(center(of: frame))).orthonormalized()
    guard let pose else { throw UnreadablePoints("the pose of a frame is not rigid") }
    return Keyframe(
      session: moment.session, number: moment.number, camera: frame.cameraNumber, time: moment.time, pose: pose,
      lens: frame.lens)
  }
}

/// The way from tracking axes, z up, to those of the world.
private struct TrackingAxes {
  private let axes: (x: SIMD3<Double>, y: SIMD3<Double>, z: SIMD3<Double>)
  private let origin: SIMD3<Double>

  /// The way over the frame whose place in the world is `origin`, y up.
  init(_ origin: Transform) {
    axes = (SIMD3(origin.axes.x), SIMD3(origin.axes.y), SIMD3(origin.axes.z))
    self.origin = SIMD3(origin.translation)
  }

  /// A direction in the world.
  func turn(_ direction: SIMD3<Double>) -> SIMD3<Float> { SIMD3(turned(direction)) }

  /// A point in the world (metres).
  func place(_ point: SIMD3<Double>) -> SIMD3<Float> { SIMD3(turned(point) + origin) }

  private func turned(_ v: SIMD3<Double>) -> SIMD3<Double> { axes.x * -v.y + axes.y * v.z + axes.z * -v.x }
}
