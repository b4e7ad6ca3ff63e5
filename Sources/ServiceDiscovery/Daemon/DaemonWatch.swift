internal import BasicsLinux

/// Takes the pulse of Avahi's daemon, and tells when it no longer answers and when it does again.
///
/// It has a thread of its own: a daemon that hangs holds the thread that talks to it.
final class DaemonWatch: Sendable {
  /// The pause between two pulses; with the time for an answer, a hung daemon is noticed within 3 s.
  static let interval: Duration = .seconds(1)

  private let thread: POSIXThread
  private let end: WakeUp

  /// Begins to watch; `onChange` is called on the thread, with whether the daemon answers.
  init(
    interval: Duration = interval, pulse: @escaping @Sendable () -> DaemonPulse = { .take() },
    _ onChange: @escaping @Sendable (_ answers: Bool) -> Void
  ) throws(SystemCallFailure) {
    let end = try WakeUp()
    self.end = end
    thread = try POSIXThread(named: "sharedworld-dw") {
      var answers = true
      repeat {
        let isHung = pulse() == .hung
        if isHung == answers {
          answers = !isHung
          onChange(answers)
        }
      } while !end.wait(for: interval)
    }
  }

  /// Ends the watch; the last pulse may end later, unobserved.
  func stop() { end.signal() }
}
