internal import Glibc

/// A plain thread for code that blocks in C and must not hold a thread of the concurrency pool.
///
/// It takes no signals: those are for the threads of the app.
final class WorkerThread: Sendable {
  private let handle: pthread_t

  /// Starts a thread that runs `body` once.
  init(_ body: @escaping @Sendable () -> Void) throws(DiscoveryError) {
    var handle = pthread_t()
    let start = Unmanaged.passRetained(Start(body: body))
    let error = pthread_create(&handle, nil, runWorker, start.toOpaque())
    guard error == 0 else {
      start.release()
      throw .unavailable(reason: "a thread cannot be started: \(String(cString: strerror(error)))")
    }
    self.handle = handle
  }

  /// Waits for the end of the thread, or lets it end unobserved if the caller runs on it.
  ///
  /// Call it once.
  func finish() {
    if pthread_equal(handle, pthread_self()) != 0 {
      pthread_detach(handle)
    } else {
      pthread_join(handle, nil)
    }
  }

  /// Lets the thread end unobserved, instead of ``finish()``.
  func detach() { pthread_detach(handle) }
}

private final class Start: Sendable {
  let body: @Sendable () -> Void
  init(body: @escaping @Sendable () -> Void) { self.body = body }
}

private func runWorker(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let argument else { return nil }
  var signals = sigset_t()
  sigfillset(&signals)
  pthread_sigmask(SIG_SETMASK, &signals, nil)
  Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body()
  return nil
}
