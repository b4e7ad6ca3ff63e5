/// Work that must not run on the event loop: the app's handlers, name lookups, encoding and decoding of maps.
///
/// The jobs run as child tasks of the session, so that none outlives it.
struct JobQueue: Sendable {
  /// Jobs that wait at once; the sources are bounded well below.
  private static let capacity = 1024

  private let stream: AsyncStream<@Sendable () async -> Void>
  private let continuation: AsyncStream<@Sendable () async -> Void>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.capacity))
  }

  /// Adds a job.
  ///
  /// Returns whether there was room.
  func add(_ job: @escaping @Sendable () async -> Void) -> Bool {
    if case .enqueued = continuation.yield(job) { true } else { false }
  }

  /// Runs jobs until ``finish()``, then cancels those that still run.
  func run() async {
    await withDiscardingTaskGroup { group in
      for await job in stream { group.addTask { await job() } }
      group.cancelAll()
    }
  }

  /// Takes no more jobs.
  func finish() {
    continuation.finish()
  }
}
