import Basics
package import SharedWorld
import Synchronization

/// Answers invitations: by policy, or by asking the user, whose command answers later.
package final class InvitationDesk: Sendable {
  private struct Waiting {
    let peer: Peer
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
  package var peers: [Peer] { waiting.withLock { $0.map(\.peer) } }

  /// Reports an invitation and answers it, once there is an answer.
  package func decide(_ invitation: Invitation) async -> InvitationDecision {
    let peer = invitation.peer
    let news = Report.invitation(
      from: Report.Person(id: peer.id.description, name: peer.name),
      context: PlainText.cleaned(String(decoding: invitation.context, as: UTF8.self)), isAsked: policy == .ask)
    switch policy {
    case .all:
      report(news)
      return .accept
    case .none:
      report(news)
      return .decline(reason: "this peer accepts no invitations")
    case .ask: return await ask(peer, news)
    }
  }

  /// Answers every waiting invitation of a peer; without one nothing happens.
  package func answer(_ peer: PeerID, _ decision: InvitationDecision) {
    let answered = waiting.withLock { waiting in
      defer { waiting.removeAll { $0.peer.id == peer } }
      return waiting.filter { $0.peer.id == peer }
    }
    for invitation in answered { invitation.decide.resume(returning: decision) }
  }

  private func ask(_ peer: Peer, _ news: Report) async -> InvitationDecision {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiting.withLock { $0.append(Waiting(peer: peer, decide: continuation)) }
        if Task.isCancelled { answer(peer.id, .decline(reason: "withdrawn")) }
        // Only now: a reader of the report may answer at once.
        report(news)
      }
    } onCancel: {
      answer(peer.id, .decline(reason: "withdrawn"))
    }
  }
}
