/// Which of the peers that are found a session invites by itself.
@nonexhaustive
public enum OutgoingInvitations: Sendable {
  /// None.
  case none
  /// All.
  case all
  /// Those for which this returns true: it is called once for each service in sight, as a child task of the session.
  case ask(@Sendable (Candidate) async -> Bool)
}

/// Which invitations of others a session accepts.
@nonexhaustive
public enum IncomingInvitations: Sendable {
  /// None: they are declined.
  case none
  /// All.
  case all
  /// Those that this accepts.
  ///
  /// It runs as a child task of the session, which is cancelled when the invitation ends without its answer, and may take as
  /// long as the inviter waits.
  case ask(@Sendable (Invitation) async -> InvitationDecision)
}

/// The part that a session takes in discovery.
public enum DiscoveryRole: String, Hashable, CaseIterable, Sendable {
  /// It looks for others and shows itself to them.
  case both
  /// It looks for others; nobody sees it before it invites.
  case browser
  /// It shows itself, and sees nobody.
  case advertiser
}
