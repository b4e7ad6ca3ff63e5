public import CSharedWorldHeaders
import SharedWorld

/// The target of an invitation as C gives it.
private func target(_ invitation: sw_invitation) throws -> InvitationTarget {
  var targets: [InvitationTarget] = []
  if let host = try optionalText(invitation.host, "host") {
    targets.append(.address(PeerAddress(host: host, port: invitation.port)))
  }
  if let candidate = try optionalText(invitation.candidate, "candidate") { targets.append(.candidate(candidate)) }
  if let link = try optionalText(invitation.link, "link") { targets.append(.link(try InvitationLink(link))) }
  if invitation.known != nil { targets.append(.known(try peerID(invitation.known))) }
  guard targets.count == 1 else { throw Failure.argument("set one of host, candidate, link and known") }
  return targets[0]
}

/// Invites a peer.
@c @implementation
public func sw_session_invite(
  _ session: OpaquePointer?, _ invitation: UnsafePointer<sw_invitation>?, _ operation: UnsafeMutablePointer<UInt64>?
) -> sw_status {
  begin(session, operation) {
    let known = try sized(invitation, sw_invitation(), "invitation")
    let target = try target(known)
    let expected = known.expected == nil ? nil : try peerID(known.expected)
    let context = try bytes(known.context, known.context_size, "context")
    let patience = try duration(known.timeout_ms, default: 30_000)
    return { session, done in
      let peer = try await session.peers.invite(target, expecting: expected, context: context, timeout: patience)
      (done.peer, done.name) = (peer.id, peer.name)
    }
  }
}

/// Invites again and again.
@c @implementation
public func sw_session_keep_inviting(
  _ session: OpaquePointer?, _ invitation: UnsafePointer<sw_invitation>?
) -> sw_status {
  attempt {
    let running = try object(session, as: RunningSession.self)
    let target = try target(try sized(invitation, sw_invitation(), "invitation"))
    try running.wait { await $0.peers.keepInviting(target) }
  }
}

/// A link to this peer.
@c @implementation
public func sw_session_invitation_link(
  _ session: OpaquePointer?, _ passcode: UnsafePointer<CChar>?,
  _ link: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> sw_status {
  attempt {
    let place = try output(link, "link")
    let passcode = try optionalText(passcode, "passcode")
    var made = try object(session, as: RunningSession.self).wait { try await $0.peers.invitationLink() }
    if let passcode {
      made = try InvitationLink(to: made.addresses, service: made.service, peer: made.peer, passcode: passcode)
    }
    place.pointee = copyText("\(made)")
  }
}

/// The key that must answer at a link.
@c @implementation
public func sw_link_peer(_ link: UnsafePointer<CChar>?, _ peer: UnsafeMutablePointer<sw_peer_id>?) -> sw_status {
  attempt {
    let place = try output(peer, "peer")
    place.pointee = sw_peer_id(copying: try InvitationLink(try text(link, "link")).peer.bytes)
  }
}
