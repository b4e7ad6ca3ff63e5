/// Runs whole tasks on a loop's thread, among its events: such a task reaches the loop's actor, and is reached by it,
/// without a change of threads.
///
/// What it does holds up everything else on the loop, so it must be short and never wait for anything but by `await`.
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
