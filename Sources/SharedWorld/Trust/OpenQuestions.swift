import PeerProtocol

/// Questions that the app is asked, by the ids that it sees, and that may end before it answers.
struct OpenQuestions {
  private var ends: Table<UInt64, AsyncStream<Never>.Continuation> = [:]

  /// The app is asked; the stream ends when its answer has no effect any more.
  mutating func begin(_ id: UInt64) -> AsyncStream<Never> {
    let (stream, end) = AsyncStream.makeStream(of: Never.self)
    ends[id] = end
    return stream
  }

  /// A question is over, answered or not.
  mutating func end(_ id: UInt64) { ends.removeValue(forKey: id)?.finish() }

  /// The answer of the app, whose task is cancelled when the question ends before; nil then.
  static func answer<Answer: Sendable>(
    until end: AsyncStream<Never>, _ ask: @escaping @Sendable () async -> Answer
  ) async -> Answer? {
    await withTaskGroup(of: Answer?.self) { group in
      group.addTask { await ask() }
      group.addTask {
        for await _ in end {}
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }
}
