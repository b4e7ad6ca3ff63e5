import Basics
import Synchronization

/// Writes a program's reports to standard output, as text for people or JSON for scripts, and its errors to standard error.
package final class Console: Sendable {
  /// How reports are written.
  package enum Format: Sendable {
    /// Lines for people, in colour where a terminal shows it.
    case text
    /// One JSON object a line, each with its event and the time.
    case events
    /// One JSON object in all: the program has a single answer.
    case answer

    /// The option that asks for JSON.
    package static let option = "--json"
  }

  private struct State {
    var throttle: Throttle
    var movements = Movements()
    /// Whether the last line is a progress bar, which the next line replaces.
    var showsBar = false
    /// Whether standard output took everything so far.
    var isSound = true
  }

  /// The name of the program, which stands before its errors.
  let program: String
  /// The command to type for help after a mistake.
  private let help: String
  package let format: Format
  package let streams: Streams
  /// Whether the user types the commands, and so sees them already.
  private let isTyped: Bool
  private let start = MachineClock.seconds
  private let state: Mutex<State>

  /// A console.
  ///
  /// - Parameters:
  ///   - program: The name that stands before errors.
  ///   - command: The command of the program that runs, if it has commands with a help of their own.
  ///   - format: How reports are written.
  ///   - isScripted: Whether the commands come from a script, so that a reader does not see them.
  ///   - streams: Where text goes.
  package init(
    _ program: String, command: String? = nil, _ format: Format, isScripted: Bool = false,
    streams: Streams = .standard
  ) {
    self.program = program
    help = "\(program) \(command.map { $0 + " " } ?? "")--help"
    self.format = format
    self.streams = streams
    isTyped = !isScripted && streams.inputIsTerminal
    // A script gets ten reports of progress a second, a terminal twenty, a log one.
    let interval = format != .text ? 0.1 : streams.outputIsTerminal ? 0.05 : 1
    state = Mutex(State(throttle: Throttle(interval: interval)))
  }

  /// Writes a report; of progress only some, and the last.
  package func say(_ report: Report) {
    if format == .text, !isTyped, report.display == .confirmation { return }
    state.withLock { state in
      // Read under the lock, so that the times of the lines rise.
      let clock = MachineClock.seconds
      if format == .text, case .movement(let thing) = report.display, !state.movements.admits(thing, at: clock) {
        return
      }
      var isBar = false
      if case .progress(let isLast) = report.display {
        guard state.throttle.admits(at: clock - start, always: isLast) else { return }
        isBar = streams.outputIsTerminal && !isLast
      }
      switch format {
      case .text: write(report.lines, isBar: isBar, &state)
      case .events: write(report.json(at: clock - start, clock: clock).text + "\n", &state)
      case .answer: write(JSON.object(report.members).text + "\n", &state)
      }
    }
  }

  /// Reports a failure of a command, or of something that happens by itself.
  package func say(_ failure: ProgramFailure, during command: String?) {
    say(.error(code: failure.code, message: failure.message, command: command))
  }

  /// Reports a failure that ends the program, on standard error and, for scripts, as an object; returns the exit status.
  package func end(_ error: any Error) -> ExitCode {
    let failure = ProgramFailure(error)
    switch format {
    case .text: break
    case .events: say(failure, during: nil)
    case .answer:
      say(
        Report(
          "error",
          [
            "error": .string(failure.message), "code": .string(failure.code),
            "exitCode": .integer(Int(failure.status.number)),
          ]))
    }
    complain(failure.message)
    if failure.status == .usage { streams.error("Try: \(help)\n") }
    return failure.status
  }

  /// Writes a report of something wrong: to standard error, or to scripts as an event like any other.
  package func complain(_ report: Report) {
    guard format == .text else { return say(report) }
    for line in report.lines { streams.error(line.text(color: false) + "\n") }
  }

  /// Writes a report that comes at any time: like ``complain(_:)``, but above what a user at a terminal types.
  package func log(_ report: Report) {
    if isTyped { say(report) } else { complain(report) }
  }

  /// Writes a sentence to standard error, behind the program's name.
  private func complain(_ message: String) {
    streams.error("\(program): \(PlainText.cleaned(message))\n")
  }

  /// Writes text, such as a page of help, as it is.
  package func write(_ text: String) {
    state.withLock { write(text, &$0) }
  }

  /// `status`, unless standard output refused something: that is reported, and the status of an I/O error returned.
  package func checked(_ status: ExitCode) -> ExitCode {
    guard !state.withLock({ $0.isSound }) else { return status }
    complain("cannot write to standard output")
    return .io
  }

  /// Shows a command that is not in the output yet, so that a reader of the text sees what its answer is about.
  package func echo(_ command: String) {
    // A line editor takes what was typed away.
    guard format == .text, !isTyped || streams.progress != nil else { return }
    state.withLock { write(["\("› \(command)", .faint)"], isBar: false, &$0) }
  }

  private func write(_ lines: [Line], isBar: Bool, _ state: inout State) {
    guard !lines.isEmpty else { return }
    if let progress = streams.progress {
      progress(isBar ? lines.first : nil)
      if isBar { return }
    }
    // Carriage return and "erase to the end of the line" (ECMA-48 §8.3.41) take the bar away.
    let clear = state.showsBar ? "\r\u{1b}[K" : ""
    let text = lines.map { $0.text(color: streams.hasColor) }.joined(separator: "\n")
    write(clear + text + (isBar ? "" : "\n"), &state)
    state.showsBar = isBar
  }

  private func write(_ text: String, _ state: inout State) {
    // A reader that is gone is no reason to leave a session impolitely: the failure only counts at the end.
    if !streams.output(text) { state.isSound = false }
  }
}

extension Report {
  /// The JSON object of this report, `seconds` after the start, when the machine's clock said `clock`.
  package func json(at seconds: Double, clock: Double) -> JSON {
    .object(["event": .string(event), "t": .seconds(seconds), "clock": .seconds(clock)] + members)
  }
}
