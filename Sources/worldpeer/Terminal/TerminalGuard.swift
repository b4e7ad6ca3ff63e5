import Glibc
import PeerCLI

// A signal handler may use this: memory that stays where it is, and calls of signal-safety(7) alone.
nonisolated(unsafe) private var wakeUp: Int32 = -1
nonisolated(unsafe) private var ownMode: UnsafeMutablePointer<termios>?
nonisolated(unsafe) private var farewell: UnsafeMutableBufferPointer<UInt8>?
nonisolated(unsafe) private var deathActions: UnsafeMutablePointer<sigaction>?

/// The signals that end a program by a fault or at once.
private let deaths = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGQUIT]

/// Hands the terminal back as it was, however the program ends, and turns signals into bytes of a pipe.
///
/// There is one in a process.
struct TerminalGuard: Sendable {
  /// A reason to look up.
  enum Call: UInt8 {
    /// Somebody asks for attention.
    case news = 1
    /// The user pressed Ctrl-C.
    case interrupt
    /// The user pressed Ctrl-Z, or another process asked the same.
    case stop
    /// The process runs again.
    case resume
    /// The terminal has another size.
    case resize
  }

  /// The end of the pipe to wait at; it never blocks.
  let calls: Int32

  /// Asks the terminal to mark what is pasted, and not to any more.
  private static let greeting = "\u{1b}[?2004h"
  /// Also takes away the row that was edited, wherever drawing it was interrupted.
  private static let goodbye = "\u{1b}[?2004l\u{1b}[?7h\r\u{1b}[J"

  /// Remembers the mode of the terminal; nil where standard input is none.
  init?() {
    var mode = termios()
    var ends: [Int32] = [-1, -1]
    guard tcgetattr(STDIN_FILENO, &mode) == 0, pipe(&ends) == 0 else { return nil }
    for end in ends where fcntl(end, F_SETFL, O_NONBLOCK) < 0 || fcntl(end, F_SETFD, FD_CLOEXEC) < 0 { return nil }
    calls = ends[0]
    wakeUp = ends[1]
    ownMode = .allocate(capacity: 1)
    ownMode?.initialize(to: mode)
    let bytes = Array(Self.goodbye.utf8)
    farewell = .allocate(capacity: bytes.count)
    _ = farewell?.initialize(from: bytes)
    deathActions = .allocate(capacity: deaths.count)
    deathActions?.initialize(repeating: sigaction(), count: deaths.count)
  }

  /// Watches signals from now on, and greets the terminal.
  func begin() {
    for number in [SIGINT, SIGTSTP, SIGCONT, SIGWINCH] { Self.watch(number) }
    for (index, number) in deaths.enumerated() {
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { number in
        TerminalGuard.restore()
        // The handler before this one, such as Swift's own, finishes it.
        for (index, death) in deaths.enumerated() where death == number {
          sigaction(number, deathActions?.advanced(by: index), nil)
        }
        raise(number)
      }
      sigaction(number, &action, deathActions?.advanced(by: index))
    }
    greet()
  }

  /// Hands the terminal back; the signals of keys do what they do to other programs.
  func end() {
    Self.restore()
    // An impatient user ends the program before it has left its session.
    for number in [SIGINT, SIGTSTP, SIGCONT, SIGWINCH] { signal(number, SIG_DFL) }
    for (index, number) in deaths.enumerated() { sigaction(number, deathActions?.advanced(by: index), nil) }
  }

  /// Stops this process as the key asks, and returns when it runs again.
  func stop() {
    Self.restore()
    signal(SIGTSTP, SIG_DFL)
    var (stops, mask) = (sigset_t(), sigset_t())
    sigemptyset(&stops)
    sigaddset(&stops, SIGTSTP)
    // Threads of the library block signals.
    pthread_sigmask(SIG_UNBLOCK, &stops, &mask)
    // In a process group without a shell the kernel discards it, and we go on.
    raise(SIGTSTP)
    pthread_sigmask(SIG_SETMASK, &mask, nil)
    Self.watch(SIGTSTP)
  }

  /// Asks the terminal for what an editor needs.
  func greet() { Streams.write(Self.greeting) }

  /// Wakes the reader of `calls`.
  func wake() { Self.call(.news) }

  /// The calls since the last time.
  func takeCalls() -> [Call] {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(calls, &bytes, bytes.count)
    return count > 0 ? bytes[..<count].compactMap(Call.init) : []
  }

  /// The size of the terminal in characters; 80 by 24 where it does not say.
  var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  private static func watch(_ number: Int32) {
    var action = sigaction()
    action.sa_flags = SA_RESTART | SA_SIGINFO
    action.__sigaction_handler.sa_sigaction = { number, info, _ in
      switch number {
      // From the key, or from a process, which means it at once.
      case SIGINT: (info?.pointee.si_code ?? 0) > 0 ? TerminalGuard.call(.interrupt) : TerminalGuard.interruptTwice()
      case SIGTSTP: TerminalGuard.call(.stop)
      case SIGCONT: TerminalGuard.call(.resume)
      default: TerminalGuard.call(.resize)
      }
    }
    sigaction(number, &action, nil)
  }

  private static func interruptTwice() {
    call(.interrupt)
    call(.interrupt)
  }

  private static func call(_ call: Call) {
    var byte = call.rawValue
    let error = errno
    // A full pipe wakes its reader as well.
    _ = Glibc.write(wakeUp, &byte, 1)
    errno = error
  }

  /// Restores the mode of the terminal; a signal handler may call it.
  private static func restore() {
    if let farewell { _ = Glibc.write(STDOUT_FILENO, farewell.baseAddress, farewell.count) }
    if let ownMode { tcsetattr(STDIN_FILENO, TCSANOW, ownMode) }
  }
}
