import SharedWorld
import Synchronization
import WorldPeerKit

/// Decides on invitations: by policy, or by asking the user, who answers later with a command.
final class InvitationDesk: Sendable {
  private struct Waiting {
    let peer: Peer
    let decide: CheckedContinuation<InvitationDecision, Never>
  }

  private let policy: Options.Policy
  private let console: Console
  private let waiting = Mutex<[Waiting]>([])

  init(policy: Options.Policy, console: Console) {
    self.policy = policy
    self.console = console
  }

  /// The peers whose invitations wait for the user, oldest first.
  var peers: [Peer] { waiting.withLock { $0.map(\.peer) } }

  /// Reports an invitation and answers it, once there is an answer.
  func decide(_ invitation: Invitation) async -> InvitationDecision {
    let peer = invitation.peer
    let report = Report.invitation(
      from: Report.Person(id: peer.id.description, name: peer.name),
      context: String(decoding: invitation.context, as: UTF8.self), isAsked: policy == .ask)
    guard policy == .ask else {
      console.say(report)
      return policy == .all ? .accept : .decline(reason: "this peer accepts no invitations")
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiting.withLock { $0.append(Waiting(peer: peer, decide: continuation)) }
        if Task.isCancelled { answer(peer.id, .decline(reason: "withdrawn")) }
        // Not before it waits: a reader of this may answer at once.
        console.say(report)
      }
    } onCancel: {
      answer(peer.id, .decline(reason: "withdrawn"))
    }
  }

  /// Answers every waiting invitation of a peer; without one nothing happens.
  func answer(_ peer: PeerID, _ decision: InvitationDecision) {
    let answered = waiting.withLock { waiting in
      defer { waiting.removeAll { $0.peer.id == peer } }
      return waiting.filter { $0.peer.id == peer }
    }
    for invitation in answered { invitation.decide.resume(returning: decision) }
  }
}
