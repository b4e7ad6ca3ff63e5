public import CSharedWorldHeaders
import SharedWorld

/// The receivers of a resource.
private func receivers(_ peers: UnsafePointer<sw_peer_id>?, _ count: Int) throws -> [PeerID] {
  guard let peers = try peerIDs(peers, count) else { throw Failure.argument("peers is NULL") }
  return peers
}

/// Offers a file.
@c @implementation
public func sw_session_offer_file(
  _ session: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ name: UnsafePointer<CChar>?,
  _ peers: UnsafePointer<sw_peer_id>?, _ peer_count: Int, _ operation: UnsafeMutablePointer<UInt64>?
) -> sw_status {
  begin(session, operation) {
    let (path, name) = (try text(path, "path"), try optionalText(name, "name"))
    let receivers = try receivers(peers, peer_count)
    return { session, done in
      done.resource = try await session.files.send(at: path, named: name, to: receivers).id
    }
  }
}

/// Offers bytes.
@c @implementation
public func sw_session_offer_bytes(
  _ session: OpaquePointer?, _ data: UnsafePointer<UInt8>?, _ size: Int, _ name: UnsafePointer<CChar>?,
  _ peers: UnsafePointer<sw_peer_id>?, _ peer_count: Int, _ operation: UnsafeMutablePointer<UInt64>?
) -> sw_status {
  begin(session, operation) {
    let (content, name) = (try bytes(data, size, "bytes"), try text(name, "name"))
    let receivers = try receivers(peers, peer_count)
    return { session, done in done.resource = try await session.files.send(content, named: name, to: receivers).id }
  }
}

/// Accepts an offer.
@c @implementation
public func sw_session_accept_resource(
  _ session: OpaquePointer?, _ resource: UnsafePointer<sw_digest>?, _ operation: UnsafeMutablePointer<UInt64>?
) -> sw_status {
  begin(session, operation) {
    let id = try resourceID(resource)
    let offer = try object(session, as: RunningSession.self).desk.offers.offer(id)
    return { session, done in
      done.resource = id
      try await session.files.accept(offer)
    }
  }
}

/// Declines an offer.
@c @implementation
public func sw_session_decline_resource(
  _ session: OpaquePointer?, _ resource: UnsafePointer<sw_digest>?
) -> sw_status {
  attempt {
    let running = try object(session, as: RunningSession.self)
    let offer = try running.desk.offers.offer(try resourceID(resource))
    try running.wait { await $0.files.decline(offer) }
    running.desk.offers.remove(offer.id)
  }
}

/// Takes a resource back, or gives it up.
@c @implementation
public func sw_session_cancel_resource(
  _ session: OpaquePointer?, _ resource: UnsafePointer<sw_digest>?
) -> sw_status {
  attempt {
    let running = try object(session, as: RunningSession.self)
    let id = try resourceID(resource)
    try running.wait { await $0.files.cancel(id) }
  }
}
