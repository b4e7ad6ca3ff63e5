import SharedWorld
import Synchronization

/// Holds invitations until C answers them.
final class PendingInvitations: Sendable {
  private enum Entry {
    /// C knows of it; the session has not asked yet.
    case announced
    /// The session waits for the answer.
    case asked(CheckedContinuation<InvitationDecision, Never>)
    /// C was faster than the session.
    case answered(InvitationDecision)
  }

  private let entries = Mutex<[PeerID: Entry]>([:])

  /// The session asks about the invitation of a peer; an older one of the same peer ends.
  func decide(_ peer: PeerID) async -> InvitationDecision {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (early, older) = entries.withLock { entries -> (InvitationDecision?, Entry?) in
          let older = entries[peer]
          if case .answered(let decision) = older {
            entries[peer] = nil
            return (decision, nil)
          }
          entries[peer] = .asked(continuation)
          return (nil, older)
        }
        if let early { continuation.resume(returning: early) }
        Self.resume(older, .decline(reason: "invited again"))
        if Task.isCancelled { withdraw(peer) }
      }
    } onCancel: {
      withdraw(peer)
    }
  }

  /// C is about to hear of an invitation.
  func announce(_ peer: PeerID) {
    entries.withLock { $0[peer] = $0[peer] ?? .announced }
  }

  /// C answers.
  ///
  /// - Returns: whether an invitation of that peer waited.
  func answer(_ peer: PeerID, _ decision: InvitationDecision) -> Bool {
    let (waited, entry) = entries.withLock { entries -> (Bool, Entry?) in
      switch entries[peer] {
      case .announced:
        entries[peer] = .answered(decision)
        return (true, nil)
      case .asked: return (true, entries.removeValue(forKey: peer))
      case .answered, nil: return (false, nil)
      }
    }
    Self.resume(entry, decision)
    return waited
  }

  /// The invitation is over without C's answer.
  func withdraw(_ peer: PeerID) {
    Self.resume(entries.withLock { $0.removeValue(forKey: peer) }, .decline(reason: "withdrawn"))
  }

  private static func resume(_ entry: Entry?, _ decision: InvitationDecision) {
    if case .asked(let continuation) = entry { continuation.resume(returning: decision) }
  }
}
