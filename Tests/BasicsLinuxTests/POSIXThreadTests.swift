import BasicsLinux
import Foundation
import Glibc
import Synchronization
import Testing

@Suite struct POSIXThreadTests {
  /// What a thread tells of itself.
  private struct Report: Equatable {
    var blocked: [Int32] = []
    var name = ""
  }

  @Test func `a thread blocks every signal but its own faults, and its maker's mask stays`() throws {
    let before = Self.blocked()
    let report = Mutex(Report())
    let thread = try POSIXThread(named: "a name that is too long") { report.withLock { $0 = Self.report() } }
    thread.finish()
    // The C library keeps 32 and 33 for itself, and nobody can block SIGKILL and SIGSTOP.
    let open: Set = Set(SignalPolicy.faults + [32, 33, SIGKILL, SIGSTOP])
    #expect(report.withLock { $0 } == Report(blocked: (1...64).filter { !open.contains($0) }, name: "a name that is "))
    #expect(Self.blocked() == before)
    #expect(Set(SignalPolicy.faults) == [SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP])
  }

  @Test func `a thread can finish itself, and finishing twice waits once`() throws {
    let own = Mutex<POSIXThread?>(nil)
    let (start, end) = (try WakeUp(), try WakeUp())
    let thread = try POSIXThread(named: "own") {
      Self.wait(for: start)
      own.withLock { $0 }?.finish()
      end.signal()
    }
    own.withLock { $0 = thread }
    start.signal()
    Self.wait(for: end)
    thread.finish()
  }

  private static func wait(for wakeUp: WakeUp) {
    var descriptor = pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&descriptor, 1, -1) != 1 {}
  }

  private static func report() -> Report {
    let name = (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? ""
    return Report(blocked: blocked(), name: String(name.dropLast()))
  }

  /// The signals that the calling thread blocks.
  private static func blocked() -> [Int32] {
    var mask = sigset_t()
    pthread_sigmask(SIG_SETMASK, nil, &mask)
    return (1...64).filter { sigismember(&mask, $0) == 1 }
  }
}
