public import CSharedWorldHeaders
import SharedWorld

/// The owner of a session.
@c @implementation
public func sw_session_owner(_ session: OpaquePointer?, _ owner: UnsafeMutablePointer<sw_peer_id>?) -> sw_status {
  attempt {
    let owner = try output(owner, "owner")
    let found = try object(session, as: RunningSession.self).wait { try await $0.owner() }
    owner.pointee = sw_peer_id(copying: found?.bytes ?? [])
  }
}

/// The part of a peer.
@c @implementation
public func sw_session_role(
  _ session: OpaquePointer?, _ peer: UnsafePointer<sw_peer_id>?, _ role: UnsafeMutablePointer<UInt32>?
) -> sw_status {
  attempt {
    let role = try output(role, "role")
    let running = try object(session, as: RunningSession.self)
    let id = try peerID(peer)
    let found = try running.wait { try await $0.role(of: id) }
    role.pointee =
      switch found {
      case nil: UInt32(SW_PEER_ROLE_NONE)
      case .member: UInt32(SW_PEER_ROLE_MEMBER)
      case .moderator: UInt32(SW_PEER_ROLE_MODERATOR)
      case .creator: UInt32(SW_PEER_ROLE_CREATOR)
      }
  }
}

/// Gives a peer a part.
@c @implementation
public func sw_session_set_role(
  _ session: OpaquePointer?, _ peer: UnsafePointer<sw_peer_id>?, _ role: UInt32
) -> sw_status {
  attempt {
    let running = try object(session, as: RunningSession.self)
    let id = try peerID(peer)
    let part: PeerRole
    switch Int(role) {
    case SW_PEER_ROLE_MEMBER: part = .member
    case SW_PEER_ROLE_MODERATOR: part = .moderator
    case SW_PEER_ROLE_CREATOR: part = .creator
    default: throw Failure.argument("role is not one that a peer can be given")
    }
    try running.wait { try await $0.setRole(part, of: id) }
  }
}
