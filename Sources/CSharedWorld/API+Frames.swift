public import CSharedWorldHeaders
import SharedWorld

extension sw_alignment {
  /// An alignment as C sees it.
  init(_ alignment: PeerAlignment) {
    self.init()
    state =
      switch alignment.state {
      case .unaligned: UInt32(SW_ALIGNMENT_UNALIGNED)
      case .aligning: UInt32(SW_ALIGNMENT_ALIGNING)
      case .aligned: UInt32(SW_ALIGNMENT_ALIGNED)
      case .lost: UInt32(SW_ALIGNMENT_LOST)
      }
    if let floats = alignment.transform?.floats {
      withUnsafeMutableBytes(of: &transform) { place in floats.withUnsafeBytes { place.copyBytes(from: $0) } }
    }
    (residual, position, orientation) = (alignment.residual, alignment.position, alignment.orientation)
    time = alignment.sessionTime?.milliseconds ?? 0
    observations = UInt32(clamping: alignment.observations)
    contradictions = UInt32(clamping: alignment.contradictions)
  }
}

/// Runs a body that measures, and hands its alignment out.
private func measure(
  _ session: OpaquePointer?, _ alignment: UnsafeMutablePointer<sw_alignment>?,
  _ body: () throws -> @Sendable (Session) async throws -> PeerAlignment
) -> sw_status {
  attempt {
    let running = try object(session, as: RunningSession.self)
    if let alignment { try checkRoom(alignment, "alignment") }
    let found = try running.wait(for: try body())
    if let alignment { give(sw_alignment(found), to: alignment) }
  }
}

/// Begins an own frame.
@c @implementation
public func sw_session_begin_frame(_ session: OpaquePointer?) -> sw_status {
  attempt { try object(session, as: RunningSession.self).wait { try await $0.frames.begin() } }
}

/// Returns to the shared frame.
@c @implementation
public func sw_session_use_shared_frame(_ session: OpaquePointer?) -> sw_status {
  attempt { try object(session, as: RunningSession.self).wait { try await $0.frames.useShared() } }
}

/// How a frame lies.
@c @implementation
public func sw_session_alignment(
  _ session: OpaquePointer?, _ peer: UnsafePointer<sw_peer_id>?, _ alignment: UnsafeMutablePointer<sw_alignment>?
) -> sw_status {
  guard alignment != nil else { return attempt { throw Failure.argument("alignment is NULL") } }
  return measure(session, alignment) {
    guard peer != nil else { return { await $0.frames.alignmentOfShared } }
    let id = try peerID(peer)
    return { await $0.frames.alignment(of: id) }
  }
}

/// Records a measurement of the app.
@c @implementation
public func sw_session_align(
  _ session: OpaquePointer?, _ peer: UnsafePointer<sw_peer_id>?, _ fit: UnsafePointer<sw_frame_fit>?,
  _ alignment: UnsafeMutablePointer<sw_alignment>?
) -> sw_status {
  measure(session, alignment) {
    let measured = try frameFit(fit)
    guard peer != nil else { return { try await $0.frames.alignToShared(by: measured) } }
    let id = try peerID(peer)
    return { try await $0.frames.align(id, by: measured) }
  }
}

/// A measurement as C gives it.
private func frameFit(_ fit: UnsafePointer<sw_frame_fit>?) throws -> FrameFit {
  let known = try sized(fit, sw_frame_fit(), "fit")
  let place = try withUnsafeBytes(of: known.transform) {
    try transform($0.bindMemory(to: Float.self).baseAddress)
  }
  return FrameFit(
    transform: place, center: SIMD3(known.center.0, known.center.1, known.center.2),
    position: known.position == 0 ? 0.02 : known.position,
    orientation: known.orientation == 0 ? 0.01 : known.orientation, residual: known.residual,
    observations: known.observations == 0 ? 1 : Int(known.observations))
}

/// The points of a scan.
private func scan(
  _ positions: UnsafePointer<Float>?, _ count: Int, _ has_gravity: Int32
) throws -> MapScan {
  guard (0...Limits.points).contains(count) else {
    throw Failure(SW_LIMIT_EXCEEDED, "a cloud has at most \(Limits.points) points")
  }
  let cloud = FeatureCloud(positions: try points(positions, count), identifiers: (0..<count).map(UInt64.init))
  return MapScan(cloud, hasGravity: has_gravity != 0)
}

/// Looks for a cloud in the session's map.
@c @implementation
public func sw_session_relocalize(
  _ session: OpaquePointer?, _ positions: UnsafePointer<Float>?, _ count: Int, _ has_gravity: Int32,
  _ operation: UnsafeMutablePointer<UInt64>?
) -> sw_status {
  begin(session, operation) {
    let scan = try scan(positions, count, has_gravity)
    return { session, done in
      done.alignment = try await session.frames.relocalize(scan.cloud, hasGravity: scan.hasGravity)
    }
  }
}

/// Looks for a cloud in the session's map where that is needed.
@c @implementation
public func sw_session_keep_aligned(
  _ session: OpaquePointer?, _ positions: UnsafePointer<Float>?, _ count: Int, _ has_gravity: Int32,
  _ operation: UnsafeMutablePointer<UInt64>?
) -> sw_status {
  begin(session, operation) {
    let scan = try scan(positions, count, has_gravity)
    return { session, done in done.alignment = try await session.frames.keepAligned(by: scan).alignment }
  }
}

/// Meets another device.
@c @implementation
public func sw_session_meet(
  _ session: OpaquePointer?, _ peer: UnsafePointer<sw_peer_id>?, _ hold: Int32, _ has_gravity: Int32,
  _ alignment: UnsafeMutablePointer<sw_alignment>?
) -> sw_status {
  measure(session, alignment) {
    let id = try peerID(peer)
    let part: FrameFit.Hold
    switch Int(hold) {
    case SW_HOLD_TOGETHER: part = .together
    case SW_HOLD_TOUCHING: part = .touching
    default: throw Failure.argument("hold has no such value")
    }
    return { try await $0.frames.meet(id, hold: part, hasGravity: has_gravity != 0) }
  }
}

/// Records a touched point.
@c @implementation
public func sw_session_touch(
  _ session: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ position: UnsafePointer<Float>?, _ has_gravity: Int32,
  _ aligned: UnsafeMutablePointer<Int>?
) -> sw_status {
  attempt {
    let running = try object(session, as: RunningSession.self)
    let name = try text(name, "name")
    guard let position else { throw Failure.argument("position is NULL") }
    let place = SIMD3(position[0], position[1], position[2])
    let found = try running.wait { try await $0.frames.touch(name, at: place, hasGravity: has_gravity != 0) }
    aligned?.pointee = found.count
  }
}

/// Takes a list of the anchors that have no place here.
@c @implementation
public func sw_session_unaligned_anchors(
  _ session: OpaquePointer?, _ anchors: UnsafeMutablePointer<OpaquePointer?>?
) -> sw_status {
  attempt {
    let anchors = try output(anchors, "anchors")
    let current = try object(session, as: RunningSession.self).wait { await $0.world.unalignedAnchors }
    anchors.pointee = handle(AnchorBox(current))
  }
}
