import Basics
import BasicsLinux
import Glibc
import Synchronization

/// A progress bar on standard error, for work that lasts more than a moment; nothing unless that is a terminal.
package struct Progress: Sendable {
  /// No bar.
  package static let none = Progress()

  private let line: ProgressLine?

  private init() { line = nil }

  /// A bar for the work of a program, hidden from scripts.
  package init(_ console: Console) {
    guard console.format == .text, console.streams.errorIsTerminal else {
      self = .none
      return
    }
    let line = ProgressLine(write: console.streams.error)
    let start = ContinuousClock.now
    // Most of the work is one long call: another thread draws meanwhile, ten times a second.
    let thread = try? POSIXThread(named: "progress") {
      while line.draw(after: ContinuousClock.now - start) { usleep(100_000) }
    }
    self.line = thread == nil ? nil : line
  }

  /// Says what is being done, and how much of the whole was done before (0…1).
  package func show(_ work: String, _ fraction: Double) { line?.show(work, fraction) }

  /// Takes the bar away.
  package func finish() { line?.finish() }
}

/// The line of a progress bar: one thread says what is being done, another draws it.
final class ProgressLine: Sendable {
  private struct State {
    var work = ""
    var fraction = 0.0
    var isDrawn = false
    var isFinished = false
  }

  /// Work that is shorter shows no bar.
  static let patience = Duration.milliseconds(400)
  private static let erase = "\r\u{1b}[2K"

  private let state = Mutex(State())
  private let write: @Sendable (String) -> Void

  /// A line that is drawn by `write`.
  init(write: @escaping @Sendable (String) -> Void) {
    self.write = write
  }

  /// Says what is being done, and how much of the whole was done before (0…1).
  func show(_ work: String, _ fraction: Double) {
    state.withLock { ($0.work, $0.fraction) = (work, fraction) }
  }

  /// Draws the bar as it is `elapsed` after the start; false when there is nothing more to draw.
  func draw(after elapsed: Duration) -> Bool {
    state.withLock { state in
      guard !state.isFinished else { return false }
      guard elapsed >= Self.patience, !state.work.isEmpty else { return true }
      state.isDrawn = true
      write(Self.erase + Self.text(state.work, state.fraction, elapsed))
      return true
    }
  }

  /// Takes the bar away; nothing is drawn afterwards.
  func finish() {
    state.withLock { state in
      if state.isDrawn { write(Self.erase) }
      state.isFinished = true
    }
  }

  private static func text(_ work: String, _ fraction: Double, _ elapsed: Duration) -> String {
    "\(PlainText.cleaned(work))  \(ProgressBar(fraction).line.text(color: false)), \(elapsed.components.seconds) s"
  }
}
