/// Which invitations are accepted, or which peers are invited, without asking the user.
package enum InvitationPolicy: String, CaseIterable, Sendable {
  /// All.
  case all
  /// Those that the user names.
  case ask
  /// None.
  case none
}
