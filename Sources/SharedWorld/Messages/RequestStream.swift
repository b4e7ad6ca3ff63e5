/// The requests of one type at some endpoints.
///
/// It begins when it is made. Requests wait in it as messages do in a ``MessageStream``; when it is released, those that it
/// holds fail at their senders as `unhandled`.
public struct RequestStream<Question: Codable & Sendable>: Sendable {
  /// Requests that are answered side by side; later ones wait.
  package static var answersAtOnce: Int { 16 }

  let letters: ArrivedMessages

  /// Answers requests until the session has ended or the task is cancelled.
  ///
  /// `handler` runs for up to 16 requests side by side. Its task is cancelled when the other side does not
  /// wait any more. An error that it throws goes to the other side, if it is a ``RemoteError``; of any other one only that
  /// there was one.
  public func answer<Answer: Codable & Sendable>(
    _ handler: @escaping @Sendable (ReceivedMessage<Question>) async throws -> Answer
  ) async {
    await answer { question in Message(try await handler(question)) }
  }

  /// Answers requests with objects that have a placement or header fields.
  public func answer<Answer>(
    _ handler: @escaping @Sendable (ReceivedMessage<Question>) async throws -> Message<Answer>
  ) async {
    await letters.serve(atOnce: Self.answersAtOnce) { await letters.session.serve($0, handler) }
  }
}

extension ArrivedMessages {
  /// Calls `body` for each message, for some of them side by side.
  func serve(atOnce most: Int, _ body: @escaping @Sendable (ArrivedMessage) async -> Void) async {
    await withTaskGroup(of: Void.self) { group in
      var running = 0
      for await letter in self {
        if running == most {
          await group.next()
          running -= 1
        }
        running += 1
        group.addTask { await body(letter) }
      }
      group.cancelAll()
    }
  }
}

extension MessageStream {
  /// Calls `handler` for each message, one after the other, until the session has ended or the task is cancelled.
  ///
  /// A message at which it throws goes back to its sender as ``MessageReturn/Reason/refused``, with the text of a
  /// ``RemoteError``.
  public func handle(_ handler: (ReceivedMessage<Object>) async throws -> Void) async {
    for await letter in letters {
      guard let message: ReceivedMessage<Object> = letters.session.open(letter) else { continue }
      do {
        try await handler(message)
      } catch {
        letters.session.giveBack(letter, .refused, RemoteError(telling: error))
      }
    }
  }
}
