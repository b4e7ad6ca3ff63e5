public import CSharedWorldHeaders
import SharedWorld

/// The peer that began a creator's session.
@c @implementation
public func sw_session_creator(_ session: OpaquePointer?, _ creator: UnsafeMutablePointer<sw_peer_id>?) -> sw_status {
  attempt {
    let creator = try output(creator, "creator")
    let found = try object(session, as: RunningSession.self).wait { await $0.peers.creator }
    creator.pointee = sw_peer_id(copying: found?.id.bytes ?? [])
  }
}

/// The part of a peer.
@c @implementation
public func sw_session_role(
  _ session: OpaquePointer?, _ peer: UnsafePointer<sw_peer_id>?, _ role: UnsafeMutablePointer<UInt32>?,
  _ left: UnsafeMutablePointer<UInt64>?
) -> sw_status {
  attempt {
    let role = try output(role, "role")
    let running = try object(session, as: RunningSession.self)
    let id = try peerID(peer)
    let (found, time) = try running.wait { (await $0.peers.role(of: id), await $0.peers.roleTime(of: id)) }
    // A part that is about to end is not one without an end.
    left?.pointee = time.map { max(1, UInt64(max(0, $0 / .milliseconds(1)))) } ?? 0
    role.pointee =
      switch found {
      case nil: UInt32(SW_PEER_ROLE_NONE)
      case .member: UInt32(SW_PEER_ROLE_MEMBER)
      case .moderator: UInt32(SW_PEER_ROLE_MODERATOR)
      case .creator: UInt32(SW_PEER_ROLE_CREATOR)
      case .guest: UInt32(SW_PEER_ROLE_GUEST)
      case .publisher: UInt32(SW_PEER_ROLE_PUBLISHER)
      }
  }
}

/// Gives a peer a part.
@c @implementation
public func sw_session_set_role(
  _ session: OpaquePointer?, _ peer: UnsafePointer<sw_peer_id>?, _ role: UInt32, _ time: UInt64
) -> sw_status {
  attempt {
    let running = try object(session, as: RunningSession.self)
    let id = try peerID(peer)
    let part: PeerRole
    switch Int(role) {
    case SW_PEER_ROLE_MEMBER: part = .member
    case SW_PEER_ROLE_MODERATOR: part = .moderator
    case SW_PEER_ROLE_CREATOR: part = .creator
    case SW_PEER_ROLE_GUEST: part = .guest
    case SW_PEER_ROLE_PUBLISHER: part = .publisher
    default: throw Failure.argument("role is not one that a peer can be given")
    }
    let end: Duration? = time == 0 ? nil : .milliseconds(Int64(clamping: time))
    try running.wait { try await $0.peers.setRole(part, of: id, for: end) }
  }
}
