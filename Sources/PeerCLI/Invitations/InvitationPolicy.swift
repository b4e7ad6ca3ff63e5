/// The words of a command line for the invitations that a session accepts, and for the peers that it invites.
package enum InvitationPolicy: String, Hashable, CaseIterable, Sendable {
  /// All.
  case automatic = "all"
  /// Those that the user chooses.
  case ask
  /// None.
  case none
}
