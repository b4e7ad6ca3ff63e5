import Synchronization

/// Holds questions, each about a peer or a request, until C answers them.
final class PendingAnswers<Subject: Hashable & Sendable, Answer: Sendable>: Sendable {
  private enum Entry {
    /// C knows of it; the session has not asked yet.
    case announced
    /// The session waits for the answer.
    case asked(CheckedContinuation<Answer, Never>)
    /// C was faster than the session.
    case answered(Answer)
  }

  private let entries = Mutex<[Subject: Entry]>([:])
  /// The answer to a question that is over, or that a newer one about the same subject replaces.
  private let withdrawn: Answer

  init(withdrawn: Answer) {
    self.withdrawn = withdrawn
  }

  /// The session asks; an older question about the same subject ends.
  func decide(_ subject: Subject) async -> Answer {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (early, older) = entries.withLock { entries -> (Answer?, Entry?) in
          let older = entries[subject]
          if case .answered(let decision) = older {
            entries[subject] = nil
            return (decision, nil)
          }
          entries[subject] = .asked(continuation)
          return (nil, older)
        }
        if let early { continuation.resume(returning: early) }
        Self.resume(older, withdrawn)
        if Task.isCancelled { withdraw(subject) }
      }
    } onCancel: {
      withdraw(subject)
    }
  }

  /// C is about to learn of a question.
  func announce(_ subject: Subject) {
    entries.withLock { $0[subject] = $0[subject] ?? .announced }
  }

  /// C answers.
  ///
  /// - Returns: whether a question about that subject waited.
  func answer(_ subject: Subject, _ decision: Answer) -> Bool {
    let (waited, entry) = entries.withLock { entries -> (Bool, Entry?) in
      switch entries[subject] {
      case .announced:
        entries[subject] = .answered(decision)
        return (true, nil)
      case .asked: return (true, entries.removeValue(forKey: subject))
      case .answered, nil: return (false, nil)
      }
    }
    Self.resume(entry, decision)
    return waited
  }

  /// A question is over without C's answer.
  func withdraw(_ subject: Subject) {
    Self.resume(entries.withLock { $0.removeValue(forKey: subject) }, withdrawn)
  }

  private static func resume(_ entry: Entry?, _ decision: Answer) {
    if case .asked(let continuation) = entry { continuation.resume(returning: decision) }
  }
}
