import PeerTransport

/// Keeps something on the disk up to date: one write at a time, each of the latest there is.
///
/// A failure is reported once, until a write succeeds, and retried after a pause. A saver runs on the loop of its session,
/// and only the write itself beside it.
actor Saver<Value: Sendable> {
  private nonisolated let loop: EventLoop
  private let jobs: JobQueue
  private let hub: EventHub
  private let pause: Duration
  private let next: @Sendable (_ isRetry: Bool) -> Value?
  private let write: @Sendable (Value) async throws(SessionError) -> Void
  private var failure = FailureNotice()
  private var isWriting = false
  private var hasStopped = false
  private var retry: LoopTimer?

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// A saver that writes nothing before ``save()``.
  ///
  /// - Parameters:
  ///   - loop: Where the saver runs.
  ///   - jobs: Runs the writes.
  ///   - hub: Receives failures.
  ///   - pause: How long after a failure the write is retried.
  ///   - next: Gives on the loop what is to be written now; nil when all is written. On a retry nothing is known of what
  ///     earlier writes left.
  ///   - write: Writes it.
  init(
    on loop: EventLoop, jobs: JobQueue, hub: EventHub, retryingAfter pause: Duration = .seconds(1),
    next: @escaping @Sendable (_ isRetry: Bool) -> Value?,
    write: @escaping @Sendable (Value) async throws(SessionError) -> Void
  ) {
    (self.loop, self.jobs, self.hub, self.pause) = (loop, jobs, hub, pause)
    (self.next, self.write) = (next, write)
  }

  /// Writes what there is to write, after the write that is under way.
  func save() {
    guard !isWriting, !hasStopped, let value = next(failure.isFailing) else { return }
    isWriting = true
    let isQueued = jobs.add { [weak self, write] in
      do throws(SessionError) {
        try await write(value)
        await self?.finish(nil)
      } catch {
        await self?.finish(error)
      }
    }
    if !isQueued { finish(SessionError(.limitExceeded, "too many jobs wait; the write is retried")) }
  }

  /// Writes no more; returns whether something that was given out may not be on the disk.
  func stop() -> Bool {
    hasStopped = true
    retry = nil
    return isWriting || failure.isFailing
  }

  private func finish(_ error: SessionError?) {
    isWriting = false
    if error == nil, failure.isFailing { hub.log.write(.fileRecovered, "a file of the session can be written again") }
    if let news = failure.note(error) {
      hub.publish([.problem(news)])
    } else if let error {
      hub.log.write(.fileFailed, "a file of the session still cannot be written, which is retried: \(error)")
    }
    guard error != nil else { return save() }
    guard !hasStopped else { return }
    if retry == nil { retry = loop.makeTimer { [weak self] in self?.assumeIsolated { $0.save() } } }
    retry?.deadline = loop.time(after: pause)
  }
}

/// Whether something fails, of which the app is told once until it works again.
struct FailureNotice {
  private(set) var isFailing = false

  /// Records how the latest attempt went; returns the failure if the app is to be told.
  mutating func note(_ error: SessionError?) -> SessionError? {
    defer { isFailing = error != nil }
    return isFailing ? nil : error
  }
}
