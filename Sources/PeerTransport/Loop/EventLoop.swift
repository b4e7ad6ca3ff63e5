import BasicsLinux
import Dispatch
import Glibc
import Synchronization

/// One thread that serves sockets, timers and the jobs of an actor, so that none of them ever changes threads.
///
/// A session is an actor, and its sockets are served by epoll. With Swift's own executor these are two worlds: a
/// socket's callback would have to enqueue a job for every message and wait for a thread of the pool, and locks would
/// guard what both touch. So the loop is the executor of the actor. An actor runs on it by returning
/// ``asUnownedSerialExecutor()`` from its `nonisolated var unownedExecutor`. A callback on the loop may then use
/// `assumeIsolated` to enter that actor at once.
///
/// Work comes in rounds (``round()``): sockets, timers, jobs, then the handlers that write. All that a round causes
/// leaves in one write a link, and nobody calls *flush*. The jobs of one round have a bound (``generations``): tasks
/// that await each other would otherwise keep sockets waiting without an end.
///
/// Sleep is where such loops lose wake-ups. `isSleeping` and `pending` change under one lock: work that comes before
/// the sleep is seen by it, work that comes later rings the bell, and a loop that is awake costs its callers no system
/// call.
///
/// The loop lives until ``stop()``; a job that arrives later still runs, alone, on a thread of its own, so that no
/// caller hangs: an app may hold a session that has ended. The order within a round is in Documentation/transport.md.
package final class EventLoop: SerialExecutor, Sendable {
  enum Work {
    case job(UnownedJob)
    case task(UnownedJob, LoopTaskExecutor)
    case action(@Sendable () -> Void)
  }

  private struct Shared {
    var pending: [Work] = []
    var isSleeping = false
    var isStopping = false
    /// Whether some thread is going to look at `pending`.
    var isServed = true
    var thread: POSIXThread?
    var helpers: [EventLoop] = []
  }

  /// How many generations of jobs (jobs queued by jobs) run in one round before sockets have their turn again.
  ///
  /// A task that awaits a session's method needs two of them each time; what it sends in a round leaves in one write.
  private static let generations = 64

  private let shared = Mutex(Shared())
  private let owner = Atomic<UInt>(0)
  package let clock: LoopClock
  private let wakeUp: WakeUp
  // Touched on the owning thread only; every entry is checked by `preconditionIsolated`.
  private nonisolated(unsafe) let poller: Poller
  private nonisolated(unsafe) let schedule = Schedule()
  /// Counts the rounds, each of which begins with a sleep or with work that came in the one before.
  private(set) nonisolated(unsafe) var rounds: UInt64 = 0

  /// Starts the thread, named `name` (at most 15 bytes are kept) for debuggers; its timers run by `clock`.
  package init(name: String = "sharedworld", clock: LoopClock = .machine) throws(TransportFailure) {
    self.clock = clock
    poller = try Poller()
    wakeUp = try TransportFailure.wrapping { () throws(SystemCallFailure) in try WakeUp() }
    try poller.add(wakeUp.descriptor, waitingFor: .readable, handler: Bell(wakeUp))
    let thread: POSIXThread = try TransportFailure.wrapping { () throws(SystemCallFailure) in
      try POSIXThread(named: name) { [self] in run() }
    }
    shared.withLock { $0.thread = thread }
  }

  /// Starts another loop, which ends before this one: what it does for this one is done here, and no thread outlives ``join()``.
  func makeHelper(named name: String) throws(TransportFailure) -> EventLoop {
    let helper = try EventLoop(name: name)
    shared.withLock { $0.helpers.append(helper) }
    return helper
  }
}

// MARK: - Executor

extension EventLoop {
  /// Queues a job of an actor; called by the Swift runtime.
  package func enqueue(_ job: consuming ExecutorJob) {
    submit(.job(UnownedJob(job)))
  }

  /// The value for an actor's `unownedExecutor`.
  package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  /// Whether the caller runs on the loop.
  package func isIsolatingCurrentContext() -> Bool? {
    owner.load(ordering: .relaxed) == UInt(pthread_self())
  }

  /// Stops the program unless the caller runs on the loop.
  package func checkIsolated() {
    precondition(isIsolatingCurrentContext() == true, "this must run on the event loop")
  }

  /// Runs `action` on the loop, after everything queued before it.
  package func execute(_ action: @escaping @Sendable () -> Void) {
    submit(.action(action))
  }

  /// Runs `action` on the loop after everything queued before it, or at once if the caller runs there, and waits for its end.
  package func executeAndWait(_ action: @escaping @Sendable () -> Void) {
    if isIsolatingCurrentContext() == true { return action() }
    let done = DispatchSemaphore(value: 0)
    execute {
      action()
      done.signal()
    }
    done.wait()
  }

  /// Queues work and wakes the loop if it sleeps.
  func submit(_ work: Work) {
    let (ring, revive) = shared.withLock { shared in
      shared.pending.append(work)
      let ring = shared.isSleeping
      shared.isSleeping = false
      let revive = !shared.isServed
      shared.isServed = true
      return (ring, revive)
    }
    // A loop that is awake finds the work anyway: the system call is saved.
    if ring { wakeUp.signal() }
    if revive { serveLate() }
  }

  /// Runs a job that arrives after the end of the loop.
  private func serveLate() {
    let started = try? POSIXThread(named: "sharedworld-end") { [self] in drain() }
    // Without a second thread the caller's own is the only one left to run the job.
    if started == nil { drain() }
  }

  private func perform(_ work: Work) {
    assert(isIsolatingCurrentContext() == true, "work runs on another thread than the loop's")
    switch work {
    case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
    case .task(let job, let executor): job.runSynchronously(on: executor.asUnownedTaskExecutor())
    case .action(let action): action()
    }
  }
}

// MARK: - Life

extension EventLoop {
  /// Asks the loop to end after the work that is queued; returns at once and may be called from anywhere.
  package func stop() {
    shared.withLock { $0.isStopping = true }
    wakeUp.signal()
  }

  /// Waits until the loop's thread has ended; the first call after ``stop()``, never from the loop itself.
  package func join() {
    precondition(isIsolatingCurrentContext() == false, "the event loop cannot wait for itself")
    shared.withLock { $0.thread }?.finish()
  }

  private func run() {
    owner.store(UInt(pthread_self()), ordering: .relaxed)
    clock.begin()
    while !shared.withLock({ $0.isStopping }) { round() }
    clock.end()
    poller.removeAll()
    schedule.clear()
    for helper in shared.withLock({ $0.helpers }) {
      helper.stop()
      helper.join()
    }
    drain()
  }

  /// Runs queued jobs until there are none, then ends the loop.
  private func drain() {
    owner.store(UInt(pthread_self()), ordering: .relaxed)
    while true {
      let batch = shared.withLock { shared in
        // Under the lock, so that a later submit sees that no thread serves the queue and starts one.
        if shared.pending.isEmpty {
          shared.isServed = false
          owner.store(0, ordering: .relaxed)
        }
        return exchange(&shared.pending, with: [])
      }
      if batch.isEmpty { return }
      for work in batch { perform(work) }
    }
  }

  private func round() {
    rounds += 1
    let timeout = schedule.timeout(at: clock.now, millisecond: clock.millisecond)
    let mustHurry = shared.withLock { shared in
      shared.isSleeping = shared.pending.isEmpty && !shared.isStopping
      return !shared.isSleeping
    }
    if !mustHurry { clock.end() }
    poller.poll(timeout: mustHurry ? 0 : timeout) {
      if !mustHurry { clock.begin() }
      shared.withLock { shared in
        shared.isSleeping = false
        swap(&schedule.batch, &shared.pending)
      }
    }
    schedule.fire(at: clock.now)
    for generation in 0...Self.generations {
      for work in schedule.batch { perform(work) }
      schedule.batch.removeAll(keepingCapacity: true)
      // Jobs left after the last generation stay in `pending`, so that the next round does not sleep.
      guard generation < Self.generations else { break }
      shared.withLock { swap(&schedule.batch, &$0.pending) }
      if schedule.batch.isEmpty { break }
    }
    schedule.endRound()
  }
}

// MARK: - On the loop

extension EventLoop {
  /// The time of the loop's clock (nanoseconds), by which deadlines are set.
  package var now: UInt64 { clock.now }

  /// The time on the loop's clock after a while; a negative one has passed, and none lasts longer than 30 years.
  package func time(after duration: Duration) -> UInt64 {
    now + UInt64(min(max(duration / .nanoseconds(1), 0), 1e18))
  }

  /// How long it is until a time on the loop's clock; zero when it has passed.
  package func rest(until deadline: UInt64) -> Duration {
    let now = self.now
    return .nanoseconds(Int64(max(deadline, now) - now))
  }

  /// Watches `file` for `interest` and retains `handler` until ``unwatch(_:)``; on the loop only.
  package func watch(
    _ file: Int32, for interest: Readiness, handler: any EventHandler
  ) throws(TransportFailure) {
    checkIsolated()
    try poller.add(file, waitingFor: interest, handler: handler)
  }

  /// Changes the interest in `file`; on the loop only.
  func rewatch(_ file: Int32, for interest: Readiness) throws(TransportFailure) {
    checkIsolated()
    try poller.change(file, waitingFor: interest)
  }

  /// Forgets `file`, before it is closed; on the loop only.
  package func unwatch(_ file: Int32) {
    checkIsolated()
    poller.remove(file)
  }

  /// A timer that calls `action` on the loop, for as long as the caller retains it; on the loop only.
  package func makeTimer(_ action: @escaping () -> Void) -> LoopTimer {
    checkIsolated()
    let timer = LoopTimer(on: schedule, action)
    schedule.timers.append(WeakTimer(timer))
    return timer
  }

  /// Calls `handler` at the end of this round, when every event and job of it has been served; on the loop only.
  package func atEndOfRound(_ handler: any RoundHandler) {
    checkIsolated()
    schedule.ending.append(handler)
  }

  /// Calls `handler` after those of ``atEndOfRound(_:)``, when all that the round has caused has left; on the loop only.
  func afterRound(_ handler: any RoundHandler) {
    checkIsolated()
    schedule.late.append(handler)
  }

  /// Calls `handler` before the next round begins, when also those of ``afterRound(_:)`` are done; on the loop only.
  func beforeNextRound(_ handler: any RoundHandler) {
    checkIsolated()
    schedule.last.append(handler)
  }
}
