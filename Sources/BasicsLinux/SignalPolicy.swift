import Glibc

/// Which signals the library's threads take: none that is sent to the process.
///
/// An app that embeds the library installs handlers for its own threads, where its locks and thread-local values are. The
/// kernel gives a signal that is sent to the process to any thread that does not block it, so every thread of the library
/// blocks them all. Only the faults stay open that a thread raises by its own instruction: POSIX leaves blocking those
/// undefined, Linux then ends the process without a look at the handler, and a crash handler of the app, or Swift's, must run
/// on the thread that faulted.
package enum SignalPolicy {
  /// The signals of a thread's own faults, which stay open.
  package static let faults = [SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP]

  /// Runs `body` with the mask of a library thread, then restores the caller's.
  ///
  /// Use it around a call into C that starts threads of its own: they inherit the mask.
  static func withSignalsBlocked<R>(_ body: () -> R) -> R {
    var blocked = sigset_t()
    var former = sigset_t()
    sigfillset(&blocked)
    for signal in faults { sigdelset(&blocked, signal) }
    pthread_sigmask(SIG_SETMASK, &blocked, &former)
    defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
    return body()
  }
}
