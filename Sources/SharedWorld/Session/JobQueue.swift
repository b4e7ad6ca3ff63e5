/// Work that must not run on the event loop: the app's handlers, name lookups, encoding and decoding of maps.
///
/// The jobs run as child tasks of the session, so that none outlives it.
struct JobQueue: Sendable {
  /// Jobs that wait at once; the sources are bounded well below.
  private static let capacity = 1024

  private typealias Job = (priority: TaskPriority?, run: @Sendable () async -> Void)

  private let stream: AsyncStream<Job>
  private let continuation: AsyncStream<Job>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.capacity))
  }

  /// Adds a job, of the session's own priority unless another is given.
  ///
  /// Returns whether there was room.
  func add(priority: TaskPriority? = nil, _ job: @escaping @Sendable () async -> Void) -> Bool {
    if case .enqueued = continuation.yield((priority, job)) { true } else { false }
  }

  /// Runs jobs until ``finish()``, then cancels those that still run.
  func run() async {
    await withDiscardingTaskGroup { group in
      for await job in stream { group.addTask(priority: job.priority) { await job.run() } }
      group.cancelAll()
    }
  }

  /// Takes no more jobs.
  func finish() {
    continuation.finish()
  }
}
