package import SharedWorld

/// Answers invitations by asking the user, whose command answers later.
package final class InvitationDesk: Sendable {
  private static let withdrawn = InvitationDecision.decline(reason: "withdrawn")
  private let report: @Sendable (Report) -> Void
  private let questions = Questions<Invitation, InvitationDecision>()

  /// A desk; `report` receives each invitation that the user is asked about.
  package init(report: @escaping @Sendable (Report) -> Void = { _ in }) {
    self.report = report
  }

  /// The peers whose invitations wait for the user, oldest first.
  package var peers: [Peer] { invitations.map(\.peer) }

  /// The invitations that wait for the user, oldest first.
  package var invitations: [Invitation] { questions.waiting }

  /// Reports an invitation and waits for the user's answer.
  package func decide(_ invitation: Invitation) async -> InvitationDecision {
    await questions.ask(invitation, otherwise: Self.withdrawn) {
      report(.invitation(invitation, isAsked: true))
    }
  }

  /// Answers every waiting invitation of a peer; returns whether there was one.
  @discardableResult
  package func answer(_ peer: PeerID, _ decision: InvitationDecision) -> Bool {
    questions.answer(decision) { $0.peer.id == peer }
  }

  /// Asks no more about an invitation that is over; others of the same peer stay.
  package func withdraw(_ id: Invitation.ID) {
    questions.answer(Self.withdrawn) { $0.id == id }
  }
}
