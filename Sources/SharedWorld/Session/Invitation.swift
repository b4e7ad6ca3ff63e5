/// An invitation received from another peer.
public struct Invitation: Sendable {
  /// Who invites: proven by TLS, the name chosen by that peer.
  public let peer: Peer
  /// Data of the inviting app, at most 4 KiB; untrusted.
  public let context: [UInt8]
}

/// The one answer to an invitation.
public enum InvitationDecision: Hashable, Sendable {
  /// Join the inviter's session.
  case accept
  /// Stay out; the inviter is told the reason (at most 255 bytes of UTF-8).
  case decline(reason: String)
}

/// Whom to invite.
public enum InvitationTarget: Hashable, Sendable {
  /// A service that was discovered.
  case candidate(Candidate.ID)
  /// A host and port known by other means.
  case endpoint(Endpoint)
}
