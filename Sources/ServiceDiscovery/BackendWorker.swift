import Basics
import BasicsLinux
internal import Glibc
internal import Synchronization

/// The work of a back-end, confined to the back-end's thread.
protocol BackendEngine: AnyObject, Sendable {
  /// Works until ``stop()`` has been called.
  func run()
  /// Makes ``run()`` return.
  func stop()
  /// Begins a look-up.
  func resolve(
    _ id: Int, _ instance: ServiceInstance, deadline: ContinuousClock.Instant,
    _ completion: @escaping Resolver.Completion)
  /// Ends a look-up early.
  func cancel(_ id: Int)
  /// Takes TXT records that were heard beside the back-end.
  func hear(_ texts: [ServiceInstance: [UInt8]])
}

/// The thread of a back-end and the way to reach it from other threads.
final class BackendWorker<Engine: BackendEngine>: Sendable {
  /// How long ``stop()`` waits for a thread; a hung daemon holds one for 25 s.
  private static var patience: Duration { .seconds(1) }

  private struct Running {
    let engine: Engine
    let mailbox: Mailbox
    let thread: POSIXThread
    /// Readable once the engine has ended.
    let end: WakeUp
  }

  private enum State {
    case idle
    case running(Running)
    case stopped
  }

  private let state = Mutex(State.idle)
  private let nextID = Atomic<Int>(0)
  private let heard = HeardTexts()

  /// Makes the engine and sets it to work on a thread of its own.
  func start(_ make: (Mailbox) throws(DiscoveryError) -> Engine) throws(DiscoveryError) {
    let result: Result<Void, DiscoveryError> = state.withLock { state in
      do throws(DiscoveryError) {
        switch state {
        case .running: throw .alreadyStarted
        case .stopped: throw .stopped
        case .idle: break
        }
        state = .running(try Self.run(make))
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  private static func run(_ make: (Mailbox) throws(DiscoveryError) -> Engine) throws(DiscoveryError) -> Running {
    do {
      let mailbox = try Mailbox()
      let engine = try make(mailbox)
      let end = try WakeUp()
      let thread = try POSIXThread(named: "sharedworld-sd") {
        engine.run()
        end.signal()
      }
      return Running(engine: engine, mailbox: mailbox, thread: thread, end: end)
    } catch let error as DiscoveryError {
      throw error
    } catch {
      throw .unavailable(reason: "\(error)")
    }
  }

  /// Does something on the thread; returns false if there is none.
  @discardableResult
  func post(_ body: @escaping @Sendable (Engine) -> Void) -> Bool {
    guard case .running(let running) = state.withLock({ $0 }) else { return false }
    let engine = running.engine
    return running.mailbox.post { body(engine) }
  }

  /// Hands over a TXT record that was heard beside the back-end; those that come while the thread is busy are one letter.
  func hear(_ data: [UInt8], of instance: ServiceInstance) {
    guard heard.add(data, of: instance) else { return }
    let isAccepted = post { [heard] engine in engine.hear(heard.take()) }
    if !isAccepted { _ = heard.take() }
  }

  /// Looks `instance` up, until `timeout` or until the task is cancelled.
  func resolve(_ instance: ServiceInstance, timeout: Duration) async throws(DiscoveryError) -> [SocketAddress] {
    if case .idle = state.withLock({ $0 }) { throw .unavailable(reason: "the back-end does not run") }
    let id = nextID.add(1, ordering: .relaxed).newValue
    let deadline = ContinuousClock.now + timeout
    let answer = LookUpAnswer()
    let cancel: @Sendable () -> Void = {
      // The thread may be held, and nobody waits for it.
      answer.give(.failure(.cancelled))
      self.post { $0.cancel(id) }
    }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        answer.wait(continuation)
        let isAccepted = post { engine in engine.resolve(id, instance, deadline: deadline, answer.give) }
        if !isAccepted { answer.give(.failure(.stopped)) }
        // A cancellation before this point has found nothing to cancel.
        if Task.isCancelled { cancel() }
      }
    } onCancel: {
      cancel()
    }
    return try result.get()
  }

  /// Stops the engine and waits for the end of its thread, which it leaves alone when that takes too long.
  ///
  /// Idempotent.
  func stop() {
    let former = state.withLock { state in
      defer { state = .stopped }
      return state
    }
    guard case .running(let running) = former else { return }
    let engine = running.engine
    running.mailbox.post { engine.stop() }
    if running.thread.isCurrent || running.end.wait(for: Self.patience) { running.thread.finish() }
  }
}

/// The one answer to a look-up: what comes later is dropped.
private final class LookUpAnswer: Sendable {
  typealias Answer = Result<[SocketAddress], DiscoveryError>

  private enum State {
    case new
    case waiting(CheckedContinuation<Answer, Never>)
    case given(Answer)
  }

  private let state = Mutex(State.new)

  /// Wakes a caller when the answer is given.
  func wait(_ continuation: CheckedContinuation<Answer, Never>) {
    let early: Answer? = state.withLock { state in
      if case .given(let answer) = state { return answer }
      state = .waiting(continuation)
      return nil
    }
    if let early { continuation.resume(returning: early) }
  }

  @Sendable func give(_ answer: Answer) {
    let waiting: CheckedContinuation<Answer, Never>? = state.withLock { state in
      switch state {
      case .given: return nil
      case .new:
        state = .given(answer)
        return nil
      case .waiting(let continuation):
        state = .given(answer)
        return continuation
      }
    }
    waiting?.resume(returning: answer)
  }
}
