import Basics
package import SharedWorld

/// Answers invitations by asking the user, whose command answers later.
package final class InvitationDesk: Sendable {
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
    await questions.ask(invitation, otherwise: .decline(reason: "withdrawn")) {
      report(.invitation(invitation, isAsked: true))
    }
  }

  /// Answers every waiting invitation of a peer; returns whether there was one.
  @discardableResult
  package func answer(_ peer: PeerID, _ decision: InvitationDecision) -> Bool {
    questions.answer(decision) { $0.peer.id == peer }
  }
}

extension Report {
  /// An invitation was received; whether the user is asked about it.
  package static func invitation(_ invitation: Invitation, isAsked: Bool) -> Report {
    .invitation(
      from: Person(id: invitation.peer.id.description, name: invitation.peer.name),
      context: PlainText.cleaned(String(decoding: invitation.context, as: UTF8.self)),
      recognition: invitation.recognition, isAsked: isAsked)
  }

  /// An invitation to the peer of this name failed.
  package static func invitationFailed(inviting target: String, _ error: SessionError, isRetried: Bool) -> Report {
    guard isRetried else { return .error(code: "\(error.code)", message: "\(target): \(error.message)", command: nil) }
    // The advice is to try again, which the session does by itself.
    let message = "\(target): \(error.message.prefix { $0 != ";" }); still trying"
    return Report(
      "retrying", ["target": .string(target), "code": .string("\(error.code)"), "message": .string(message)],
      ["\("~", .caution) \(message)"])
  }
}
