import Synchronization

/// Questions that wait for the user, oldest first.
final class Questions<Question: Sendable, Answer: Sendable>: Sendable {
  private struct Waiting {
    let number: UInt64
    let question: Question
    let decide: CheckedContinuation<Answer, Never>
  }

  private let state = Mutex((waiting: [Waiting](), asked: 0 as UInt64))

  /// The questions that wait, oldest first.
  var waiting: [Question] { state.withLock { $0.waiting.map(\.question) } }

  /// Waits until the user answers; a task that is cancelled gets `otherwise`.
  ///
  /// - Parameter announce: Shows the question, once it can be answered.
  func ask(_ question: Question, otherwise: Answer, announce: () -> Void) async -> Answer {
    let number = state.withLock { state in
      state.asked += 1
      return state.asked
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        state.withLock { $0.waiting.append(Waiting(number: number, question: question, decide: continuation)) }
        if Task.isCancelled { settle(otherwise) { $0.number == number } }
        announce()
      }
    } onCancel: {
      settle(otherwise) { $0.number == number }
    }
  }

  /// Answers the questions that fit; returns whether there was one.
  @discardableResult
  func answer(_ answer: Answer, where fits: (Question) -> Bool) -> Bool {
    settle(answer) { fits($0.question) }
  }

  @discardableResult
  private func settle(_ answer: Answer, where fits: (Waiting) -> Bool) -> Bool {
    let answered = state.withLock { state in
      let answered = state.waiting.filter(fits)
      state.waiting.removeAll(where: fits)
      return answered
    }
    for waiting in answered { waiting.decide.resume(returning: answer) }
    return !answered.isEmpty
  }
}
