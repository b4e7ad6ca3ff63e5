/// Which invitations a session accepts, or which peers it invites, without being told to each time.
public enum InvitationPolicy: String, Hashable, CaseIterable, Sendable {
  /// All.
  case automatic = "all"
  /// Those that the app chooses: by ``Session/Configuration/invitationHandler`` among the invitations received, by
  /// ``Session/Configuration/inviteHandler`` among the peers that are found.
  case ask
  /// None.
  case none
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
