import CLinux
import Glibc
import Synchronization

/// A thread of the library: for an event loop, and for C code that blocks and must not hold a thread of the concurrency pool.
///
/// It keeps the signal policy of ``SignalPolicy``. Dropping the last reference lets the thread end unobserved.
package final class POSIXThread: Sendable {
  private final class Start {
    let name: String
    let body: () -> Void

    init(name: String, body: @escaping () -> Void) {
      self.name = name
      self.body = body
    }
  }

  /// Nil once the thread was joined or detached.
  private let handle: Mutex<pthread_t?>

  /// Starts a thread that runs `body` once; debuggers show the first 15 bytes of `name`.
  package init(named name: String, _ body: @escaping @Sendable () -> Void) throws(SystemCallFailure) {
    var thread = pthread_t()
    let start = Unmanaged.passRetained(Start(name: String(name.utf8.prefix(15)) ?? "", body: body))
    // The new thread inherits the mask before its first instruction, so there is no moment in which it takes a signal.
    let code = SignalPolicy.withSignalsBlocked {
      pthread_create(
        &thread, nil,
        { argument in
          guard let argument else { return nil }
          let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
          linux_name_thread(start.name)
          start.body()
          return nil
        }, start.toOpaque())
    }
    guard code == 0 else {
      start.release()
      throw SystemCallFailure("pthread_create", code: code)
    }
    handle = Mutex(thread)
  }

  deinit {
    if let thread = handle.withLock({ $0.take() }) { pthread_detach(thread) }
  }

  /// Whether this is the thread that asks; false once it was waited for.
  package var isCurrent: Bool { handle.withLock { $0.map { pthread_equal($0, pthread_self()) != 0 } ?? false } }

  /// Processor time that the calling thread has used (ns, CLOCK_THREAD_CPUTIME_ID).
  package static var processorTime: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Waits for the end of the thread; on the thread itself, lets it end unobserved instead.
  ///
  /// Only the first call waits.
  package func finish() {
    guard let thread = handle.withLock({ $0.take() }) else { return }
    if pthread_equal(thread, pthread_self()) != 0 {
      pthread_detach(thread)
    } else {
      pthread_join(thread, nil)
    }
  }
}
