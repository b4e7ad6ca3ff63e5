import Basics
package import SharedWorld

/// Answers invitations: by policy, or by asking the user, whose command answers later.
package final class InvitationDesk: Sendable {
  private let policy: InvitationPolicy
  private let report: @Sendable (Report) -> Void
  private let questions = Questions<Invitation, InvitationDecision>()

  /// A desk; `report` receives each invitation, and whether the user is asked.
  package init(policy: InvitationPolicy, report: @escaping @Sendable (Report) -> Void = { _ in }) {
    self.policy = policy
    self.report = report
  }

  /// The peers whose invitations wait for the user, oldest first.
  package var peers: [Peer] { invitations.map(\.peer) }

  /// The invitations that wait for the user, oldest first.
  package var invitations: [Invitation] { questions.waiting }

  /// Reports an invitation and answers it, once there is an answer.
  package func decide(_ invitation: Invitation) async -> InvitationDecision {
    let peer = invitation.peer
    let news = Report.invitation(
      from: Report.Person(id: peer.id.description, name: peer.name),
      context: PlainText.cleaned(String(decoding: invitation.context, as: UTF8.self)),
      recognition: invitation.recognition, isAsked: policy == .ask)
    switch policy {
    case .all:
      report(news)
      return .accept
    case .none:
      report(news)
      return .decline(reason: "this peer accepts no invitations")
    case .ask: return await questions.ask(invitation, otherwise: .decline(reason: "withdrawn")) { report(news) }
    }
  }

  /// Answers every waiting invitation of a peer; returns whether there was one.
  @discardableResult
  package func answer(_ peer: PeerID, _ decision: InvitationDecision) -> Bool {
    questions.answer(decision) { $0.peer.id == peer }
  }
}
