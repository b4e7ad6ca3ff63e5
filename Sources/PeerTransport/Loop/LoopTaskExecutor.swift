/// Runs whole tasks on a loop's thread, among its events: such a task reaches the loop's actor, and is reached by it,
/// without a change of threads.
///
/// Its jobs hold up everything else on the loop, so they must be short and never wait except by `await`.
package final class LoopTaskExecutor: TaskExecutor {
  private let loop: EventLoop

  /// Runs tasks on `loop`.
  package init(_ loop: EventLoop) {
    self.loop = loop
  }

  /// Queues a piece of a task; called by the Swift runtime.
  package func enqueue(_ job: consuming ExecutorJob) {
    loop.submit(.task(UnownedJob(job), self))
  }
}
