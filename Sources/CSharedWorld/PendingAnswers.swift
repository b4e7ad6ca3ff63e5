import Synchronization

/// Holds questions, each with a number of its own, until C answers them.
///
/// They are never named by their peers: a late answer would be one to the next question of the same peer.
final class PendingAnswers<Answer: Sendable>: Sendable {
  private enum Entry {
    /// C knows of it; the session has not asked yet.
    case announced
    /// The session waits for the answer.
    case asked(CheckedContinuation<Answer, Never>)
    /// C was faster than the session.
    case answered(Answer)
  }

  private let entries = Mutex<[UInt64: Entry]>([:])
  /// The answer to a question that is over.
  private let withdrawn: Answer

  init(withdrawn: Answer) {
    self.withdrawn = withdrawn
  }

  /// The session asks, in a task that is cancelled when the question is over.
  func decide(_ number: UInt64) async -> Answer {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let early = entries.withLock { entries -> Answer? in
          if case .answered(let decision) = entries[number] {
            entries[number] = nil
            return decision
          }
          entries[number] = .asked(continuation)
          return nil
        }
        if let early { continuation.resume(returning: early) }
        if Task.isCancelled { withdraw(number) }
      }
    } onCancel: {
      withdraw(number)
    }
  }

  /// C is about to learn of a question.
  func announce(_ number: UInt64) {
    entries.withLock { $0[number] = $0[number] ?? .announced }
  }

  /// C answers.
  ///
  /// - Returns: whether that question waited.
  func answer(_ number: UInt64, _ decision: Answer) -> Bool {
    let (waited, entry) = entries.withLock { entries -> (Bool, Entry?) in
      switch entries[number] {
      case .announced:
        entries[number] = .answered(decision)
        return (true, nil)
      case .asked: return (true, entries.removeValue(forKey: number))
      case .answered, nil: return (false, nil)
      }
    }
    Self.resume(entry, decision)
    return waited
  }

  /// A question is over without C's answer.
  func withdraw(_ number: UInt64) {
    Self.resume(entries.withLock { $0.removeValue(forKey: number) }, withdrawn)
  }

  private static func resume(_ entry: Entry?, _ decision: Answer) {
    if case .asked(let continuation) = entry { continuation.resume(returning: decision) }
  }
}
