import SharedWorld
import Synchronization

/// Holds questions about peers until C answers them.
final class PendingAnswers<Answer: Sendable>: Sendable {
  private enum Entry {
    /// C knows of it; the session has not asked yet.
    case announced
    /// The session waits for the answer.
    case asked(CheckedContinuation<Answer, Never>)
    /// C was faster than the session.
    case answered(Answer)
  }

  private let entries = Mutex<[PeerID: Entry]>([:])
  /// The answer to a question that is over, or that a newer one of the same peer replaces.
  private let withdrawn: Answer

  init(withdrawn: Answer) {
    self.withdrawn = withdrawn
  }

  /// The session asks about a peer; an older question about the same peer ends.
  func decide(_ peer: PeerID) async -> Answer {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (early, older) = entries.withLock { entries -> (Answer?, Entry?) in
          let older = entries[peer]
          if case .answered(let decision) = older {
            entries[peer] = nil
            return (decision, nil)
          }
          entries[peer] = .asked(continuation)
          return (nil, older)
        }
        if let early { continuation.resume(returning: early) }
        Self.resume(older, withdrawn)
        if Task.isCancelled { withdraw(peer) }
      }
    } onCancel: {
      withdraw(peer)
    }
  }

  /// C is about to learn of a question.
  func announce(_ peer: PeerID) {
    entries.withLock { $0[peer] = $0[peer] ?? .announced }
  }

  /// C answers.
  ///
  /// - Returns: whether a question about that peer waited.
  func answer(_ peer: PeerID, _ decision: Answer) -> Bool {
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

  /// A question is over without C's answer.
  func withdraw(_ peer: PeerID) {
    Self.resume(entries.withLock { $0.removeValue(forKey: peer) }, withdrawn)
  }

  private static func resume(_ entry: Entry?, _ decision: Answer) {
    if case .asked(let continuation) = entry { continuation.resume(returning: decision) }
  }
}
