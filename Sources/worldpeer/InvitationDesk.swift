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
  private let waiting = Mutex<[Waiting]>([])

  init(policy: Options.Policy) {
    self.policy = policy
  }

  /// The peers whose invitations wait for the user, oldest first.
  var peers: [Peer] { waiting.withLock { $0.map(\.peer) } }

  /// The answer to an invitation, once there is one.
  func decide(_ invitation: Invitation) async -> InvitationDecision {
    switch policy {
    case .all: .accept
    case .none: .decline(reason: "\(Self.refusal)")
    case .ask: await ask(invitation.peer)
    }
  }

  private static let refusal = "this peer accepts no invitations"

  private func ask(_ peer: Peer) async -> InvitationDecision {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiting.withLock { $0.append(Waiting(peer: peer, decide: continuation)) }
        if Task.isCancelled { answer(peer.id, .decline(reason: "withdrawn")) }
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
