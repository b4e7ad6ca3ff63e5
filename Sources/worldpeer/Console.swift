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
  private let start = ContinuousClock.now
  private let state: Mutex<State>

  init(json: Bool) {
    let environment = ProcessInfo.processInfo.environment
    self.json = json
    isTerminal = !json && isatty(STDOUT_FILENO) == 1 && environment["TERM"] != "dumb"
    hasColour = (isTerminal && environment["NO_COLOR"] == nil) || (!json && environment["CLICOLOR_FORCE"] == "1")
    state = Mutex(State(throttle: Throttle(interval: isTerminal ? 0.05 : json ? 0.1 : 1)))
  }

  /// Seconds since the start, by a clock that only goes forward.
  var seconds: Double { (ContinuousClock.now - start) / .seconds(1) }

  /// Writes a report; of a map's progress only some, and the last.
  func say(_ report: Report) {
    let now = seconds
    state.withLock { state in
      var isBar = false
      if case .mapProgress(_, let verified, let total) = report {
        guard state.throttle.admits(at: now, always: verified == total) else { return }
        isBar = isTerminal && verified < total
      }
      if json {
        Self.write(report.json(at: now).text + "\n")
        return
      }
      let text = report.lines.map { $0.text(colour: hasColour) }.joined(separator: "\n")
      // Carriage return and "erase to the end of the line" (ECMA-48 §8.3.41) take the bar away.
      Self.write((state.showsBar ? "\r\u{1b}[K" : "") + text + (isBar ? "" : "\n"))
      state.showsBar = isBar
    }
  }

  /// Reports a failure of a command, or of something that happens by itself.
  func say(_ failure: Failure, during command: String?) {
    say(.error(code: failure.code, message: failure.message, command: command))
  }

  private static func write(_ text: String) {
    // A reader that is gone is no reason to leave the session impolitely.
    try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
  }
}
