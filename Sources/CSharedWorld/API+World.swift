public import CSharedWorldHeaders
import SharedWorld

/// Places an anchor.
@c @implementation
public func sw_session_place(
  _ session: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ transform: UnsafePointer<Float>?,
  _ anchor: UnsafeMutablePointer<sw_anchor_id>?
) -> sw_status {
  attempt {
    let running = try object(session, as: RunningSession.self)
    let placed = Anchor(name: try text(name, "name"), transform: try CSharedWorld.transform(transform))
    let id = try running.wait { try await $0.place(placed) }
    anchor?.pointee = sw_anchor_id(copying: id.bytes)
  }
}

/// Moves an anchor.
@c @implementation
public func sw_session_move(
  _ session: OpaquePointer?, _ anchor: UnsafePointer<sw_anchor_id>?, _ transform: UnsafePointer<Float>?
) -> sw_status {
  attempt {
    let running = try object(session, as: RunningSession.self)
    let id = try anchorID(anchor)
    let target = try CSharedWorld.transform(transform)
    try running.wait { try await $0.move(id, to: target) }
  }
}

/// Renames an anchor.
@c @implementation
public func sw_session_rename(
  _ session: OpaquePointer?, _ anchor: UnsafePointer<sw_anchor_id>?, _ name: UnsafePointer<CChar>?
) -> sw_status {
  attempt {
    let running = try object(session, as: RunningSession.self)
    let id = try anchorID(anchor)
    let name = try text(name, "name")
    try running.wait { try await $0.world.rename(id, to: name) }
  }
}

/// Removes an anchor.
@c @implementation
public func sw_session_remove(_ session: OpaquePointer?, _ anchor: UnsafePointer<sw_anchor_id>?) -> sw_status {
  attempt {
    let running = try object(session, as: RunningSession.self)
    let id = try anchorID(anchor)
    try running.wait { try await $0.remove(id) }
  }
}

/// Waits until others hold the edits of this peer.
@c @implementation
public func sw_session_confirm_edits(
  _ session: OpaquePointer?, _ by: UInt32, _ timeout: UInt32, _ operation: UnsafeMutablePointer<UInt64>?
) -> sw_status {
  begin(session, operation) {
    let patience = try duration(timeout, default: 10_000)
    let wanted: Acknowledgement
    switch Int(by) {
    case SW_ACKNOWLEDGEMENT_HOST: wanted = .host
    case SW_ACKNOWLEDGEMENT_EVERY_PRESENT_MEMBER: wanted = .everyPresentMember
    default: throw Failure.argument("by has no such value")
    }
    return { session, _ in try await session.world.confirmEdits(wanted.within(patience)) }
  }
}

/// The hash of the replicated anchors.
@c @implementation
public func sw_session_digest(_ session: OpaquePointer?, _ digest: UnsafeMutablePointer<sw_digest>?) -> sw_status {
  attempt {
    let digest = try output(digest, "digest")
    let current = try object(session, as: RunningSession.self).wait { await $0.world.digest }
    digest.pointee = sw_digest(copying: current.bytes)
  }
}

/// Shares a map with one member or all.
@c @implementation
public func sw_session_share_map(
  _ session: OpaquePointer?, _ map: OpaquePointer?, _ peer: UnsafePointer<sw_peer_id>?,
  _ operation: UnsafeMutablePointer<UInt64>?
) -> sw_status {
  begin(session, operation) {
    let map = try object(map, as: MapBox.self).map
    let receiver = peer == nil ? nil : try peerID(peer)
    return { session, done in done.map = try await session.share(map, with: receiver) }
  }
}

/// Shares the anchors and points of this device.
@c @implementation
public func sw_session_share_capture(
  _ session: OpaquePointer?, _ positions: UnsafePointer<Float>?, _ identifiers: UnsafePointer<UInt64>?, _ count: Int,
  _ views: UInt32, _ operation: UnsafeMutablePointer<UInt64>?
) -> sw_status {
  begin(session, operation) {
    let cloud = try cloud(positions, identifiers, count)
    return { session, done in done.map = try await session.maps.shareCapture(of: cloud, views: views == 0 ? nil : views)
    }
  }
}

/// The session's map.
@c @implementation
public func sw_session_map(_ session: OpaquePointer?, _ map: UnsafeMutablePointer<OpaquePointer?>?) -> sw_status {
  attempt {
    let map = try output(map, "map")
    map.pointee = handle(MapBox(try object(session, as: RunningSession.self).wait { try await currentMap(of: $0) }))
  }
}

/// Decodes the session's map in the background.
@c @implementation
public func sw_session_decode_map(_ session: OpaquePointer?, _ operation: UnsafeMutablePointer<UInt64>?) -> sw_status {
  begin(session, operation) { { session, _ in _ = try await currentMap(of: session) } }
}

/// The session's map, decoded.
private func currentMap(of session: Session) async throws -> WorldMap {
  guard let map = await session.maps.latest() else { throw Failure(SW_NO_MAP, "the session has no complete map yet") }
  return map
}
