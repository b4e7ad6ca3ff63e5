import Basics
package import SharedWorld
import Synchronization

/// Answers invitations: by policy, or by asking the user, whose command answers later.
package final class InvitationDesk: Sendable {
  private struct Waiting {
    let invitation: Invitation
    let decide: CheckedContinuation<InvitationDecision, Never>
  }

  private let policy: InvitationPolicy
  private let report: @Sendable (Report) -> Void
  private let waiting = Mutex<[Waiting]>([])

  /// A desk; `report` receives each invitation, and whether the user is asked.
  package init(policy: InvitationPolicy, report: @escaping @Sendable (Report) -> Void = { _ in }) {
    self.policy = policy
    self.report = report
  }

  /// The peers whose invitations wait for the user, oldest first.
  package var peers: [Peer] { invitations.map(\.peer) }

  /// The invitations that wait for the user, oldest first.
  package var invitations: [Invitation] { waiting.withLock { $0.map(\.invitation) } }

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
    case .ask: return await ask(invitation, news)
    }
  }

  /// Answers every waiting invitation of a peer; returns whether there was one.
  @discardableResult
  package func answer(_ peer: PeerID, _ decision: InvitationDecision) -> Bool {
    let answered = waiting.withLock { waiting in
      defer { waiting.removeAll { $0.invitation.peer.id == peer } }
      return waiting.filter { $0.invitation.peer.id == peer }
    }
    for waiting in answered { waiting.decide.resume(returning: decision) }
    return !answered.isEmpty
  }

  private func ask(_ invitation: Invitation, _ news: Report) async -> InvitationDecision {
    let peer = invitation.peer
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiting.withLock { $0.append(Waiting(invitation: invitation, decide: continuation)) }
        if Task.isCancelled { answer(peer.id, .decline(reason: "withdrawn")) }
        // Only now: a reader of the report may answer at once.
        report(news)
      }
    } onCancel: {
      answer(peer.id, .decline(reason: "withdrawn"))
    }
  }
}
