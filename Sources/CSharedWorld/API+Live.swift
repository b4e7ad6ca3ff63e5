public import CSharedWorldHeaders
import SharedWorld

/// A drag behind a C handle, and the session it is asked of.
final class DragBox: HandleObject {
  static let word = "a drag"

  let drag: Drag
  let running: RunningSession

  init(_ drag: Drag, of running: RunningSession) {
    self.drag = drag
    self.running = running
  }
}

/// Locks the session for newcomers.
@c @implementation
public func sw_session_lock(_ session: OpaquePointer?) -> sw_status {
  attempt { try object(session, as: RunningSession.self).wait { try await $0.peers.lock() } }
}

/// Opens the session for newcomers.
@c @implementation
public func sw_session_unlock(_ session: OpaquePointer?) -> sw_status {
  attempt { try object(session, as: RunningSession.self).wait { try await $0.peers.unlock() } }
}

/// Tells where this peer's device is.
@c @implementation
public func sw_session_update_pose(_ session: OpaquePointer?, _ transform: UnsafePointer<Float>?) -> sw_status {
  attempt {
    let running = try object(session, as: RunningSession.self)
    let place = transform == nil ? nil : try CSharedWorld.transform(transform)
    try running.wait { try await $0.world.updatePose(place) }
  }
}

/// Begins a drag.
@c @implementation
public func sw_session_begin_drag(
  _ session: OpaquePointer?, _ anchor: UnsafePointer<sw_anchor_id>?, _ drag: UnsafeMutablePointer<OpaquePointer?>?
) -> sw_status {
  attempt {
    let drag = try output(drag, "drag")
    let running = try object(session, as: RunningSession.self)
    let id = try anchorID(anchor)
    drag.pointee = handle(DragBox(try running.wait { try await $0.world.beginDrag(id) }, of: running))
  }
}

/// Shows a dragged anchor at another place.
@c @implementation
public func sw_drag_update(_ drag: OpaquePointer?, _ transform: UnsafePointer<Float>?) -> sw_status {
  attempt {
    let box = try object(drag, as: DragBox.self)
    let place = try CSharedWorld.transform(transform)
    try box.running.wait { [drag = box.drag] _ in try await drag.update(to: place) }
  }
}

/// Lets a dragged anchor go.
@c @implementation
public func sw_drag_end(_ drag: OpaquePointer?) -> sw_status {
  attempt {
    let box = try object(drag, as: DragBox.self)
    try box.running.wait { [drag = box.drag] _ in try await drag.end() }
  }
}

/// Gives a drag back.
@c @implementation
public func sw_drag_destroy(_ drag: OpaquePointer?) { drop(drag, as: DragBox.self) }

/// Asks to own an anchor.
@c @implementation
public func sw_session_request_ownership(
  _ session: OpaquePointer?, _ anchor: UnsafePointer<sw_anchor_id>?, _ lease: UInt32, _ timeout: UInt32,
  _ operation: UnsafeMutablePointer<UInt64>?
) -> sw_status {
  begin(session, operation) {
    let (id, patience) = (try anchorID(anchor), try duration(timeout, default: 10_000))
    return { session, done in
      done.anchor = id
      _ = try await session.world.requestOwnership(
        of: id, lease: lease == 0 ? nil : .milliseconds(lease), timeout: patience)
    }
  }
}

/// Gives an anchor back.
@c @implementation
public func sw_session_release_ownership(
  _ session: OpaquePointer?, _ anchor: UnsafePointer<sw_anchor_id>?, _ timeout: UInt32,
  _ operation: UnsafeMutablePointer<UInt64>?
) -> sw_status {
  begin(session, operation) {
    let (id, patience) = (try anchorID(anchor), try duration(timeout, default: 10_000))
    return { session, done in
      done.anchor = id
      try await session.world.releaseOwnership(of: id, timeout: patience)
    }
  }
}

/// Gives an anchor to another peer.
@c @implementation
public func sw_session_give_ownership(
  _ session: OpaquePointer?, _ anchor: UnsafePointer<sw_anchor_id>?, _ peer: UnsafePointer<sw_peer_id>?,
  _ timeout: UInt32, _ operation: UnsafeMutablePointer<UInt64>?
) -> sw_status {
  begin(session, operation) {
    let (id, receiver) = (try anchorID(anchor), try peerID(peer))
    let patience = try duration(timeout, default: 10_000)
    return { session, done in
      done.anchor = id
      try await session.world.giveOwnership(of: id, to: receiver, timeout: patience)
    }
  }
}

/// The owner of an anchor.
@c @implementation
public func sw_session_ownership(
  _ session: OpaquePointer?, _ anchor: UnsafePointer<sw_anchor_id>?, _ ownership: UnsafeMutablePointer<sw_ownership>?
) -> sw_status {
  attempt {
    let place = try output(ownership, "ownership")
    try checkRoom(place, "ownership")
    let running = try object(session, as: RunningSession.self)
    let id = try anchorID(anchor)
    var record = sw_ownership()
    if let found = try running.wait(for: { await $0.world.ownership(of: id) }) {
      record.owner = sw_peer_id(copying: found.owner.id.bytes)
      (record.until, record.epoch, record.number) = (found.until?.milliseconds ?? 0, found.epoch, found.number)
    }
    give(record, to: place)
  }
}

/// Stops fetching a map.
@c @implementation
public func sw_session_cancel_map(_ session: OpaquePointer?, _ map: UnsafePointer<sw_map_id>?) -> sw_status {
  attempt {
    let running = try object(session, as: RunningSession.self)
    guard let id = SHA256Digest(bytes: try required(map, "map").array).map(MapID.init) else {
      throw Failure.argument("map is no id")
    }
    try running.wait { await $0.maps.cancel(id) }
  }
}

/// Tells whether this program has found its place in the map.
@c @implementation
public func sw_session_set_relocalized(_ session: OpaquePointer?, _ relocalized: Int32) -> sw_status {
  attempt {
    try object(session, as: RunningSession.self).wait { await $0.frames.setRelocalized(relocalized != 0) }
  }
}
