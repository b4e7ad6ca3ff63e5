import Foundation
import Synchronization
import WorldPeerKit

/// Writes reports to standard output: JSON for scripts, or text, in colour when a terminal shows it.
final class Console: Sendable {
  private struct State {
    var throttle: Throttle
    /// Whether the last line is a progress bar, which the next line replaces.
    var showsBar = false
  }

  private let json: Bool
  private let isTerminal: Bool
  private let hasColour: Bool
  /// Whether the user types the commands, and so sees them already.
  private let isTyped: Bool
  private let start = MachineClock.seconds
  private let state: Mutex<State>

  init(json: Bool, isScripted: Bool) {
    let environment = ProcessInfo.processInfo.environment
    self.json = json
    isTyped = !isScripted && isatty(STDIN_FILENO) == 1
    isTerminal = !json && isatty(STDOUT_FILENO) == 1 && environment["TERM"] != "dumb"
    hasColour = (isTerminal && environment["NO_COLOR"] == nil) || (!json && environment["CLICOLOR_FORCE"] == "1")
    state = Mutex(State(throttle: Throttle(interval: isTerminal ? 0.05 : json ? 0.1 : 1)))
  }

  /// Writes a report; of a map's progress only some, and the last.
  func say(_ report: Report) {
    // Where commands are shown, the next one tells that this one is done.
    if !json, !isTyped, case .answer(_, .done) = report { return }
    state.withLock { state in
      // Read under the lock, so that the times of the lines rise.
      let clock = MachineClock.seconds
      let now = clock - start
      var isBar = false
      if case .mapProgress(_, let transfer) = report {
        guard state.throttle.admits(at: now, always: transfer.verified == transfer.total) else { return }
        isBar = isTerminal && transfer.verified < transfer.total
      }
      if json {
        Self.write(report.json(at: now, clock: clock).text + "\n")
      } else {
        write(report.lines, isBar: isBar, &state)
      }
    }
  }

  /// Reports a failure of a command, or of something that happens by itself.
  func say(_ failure: Failure, during command: String?) {
    say(.error(code: failure.code, message: failure.message, command: command))
  }

  /// Shows a command that nobody has typed here, so that a reader of the text sees what its answer is about.
  func echo(_ command: String) {
    guard !json, !isTyped else { return }
    state.withLock { write(["\("› \(command)", .faint)"], isBar: false, &$0) }
  }

  private func write(_ lines: [Line], isBar: Bool, _ state: inout State) {
    // Carriage return and "erase to the end of the line" (ECMA-48 §8.3.41) take the bar away.
    let clear = state.showsBar ? "\r\u{1b}[K" : ""
    Self.write(clear + lines.map { $0.text(colour: hasColour) }.joined(separator: "\n") + (isBar ? "" : "\n"))
    state.showsBar = isBar
  }

  private static func write(_ text: String) {
    // A reader that is gone is no reason to leave the session impolitely.
    try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
  }
}
