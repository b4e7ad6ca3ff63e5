import Synchronization

/// Questions of a session that C answers by their numbers: who may host, and who gets an anchor.
final class QuestionDesk: Sendable {
  /// The most that wait for answers.
  static let limit = 64

  private struct State {
    var last: UInt64 = 0
    var waiting = 0
    /// Nil before the session starts.
    var events: EventQueue?
  }

  private let state = Mutex(State())
  private let answers = PendingAnswers<Bool>(withdrawn: false)

  /// Lets C learn of questions by these events.
  func begin(with events: EventQueue) { state.withLock { $0.events = events } }

  /// Asks C, and waits for its answer; false when too many questions wait.
  ///
  /// - Parameter make: Makes the event of a question with this number.
  func ask(_ make: (UInt64) -> OwnEvent) async -> Bool {
    let question = state.withLock { state -> (number: UInt64, events: EventQueue)? in
      guard let events = state.events, state.waiting < Self.limit else { return nil }
      state.last += 1
      state.waiting += 1
      return (state.last, events)
    }
    guard let (number, events) = question else { return false }
    defer { state.withLock { $0.waiting -= 1 } }
    answers.announce(number)
    guard await events.put(make(number)) else {
      answers.withdraw(number)
      return false
    }
    return await answers.decide(number)
  }

  /// C answers; false when no such question waits.
  func answer(_ number: UInt64, accepts: Bool) -> Bool { answers.answer(number, accepts) }
}
