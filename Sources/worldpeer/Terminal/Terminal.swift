import BasicsLinux
import Dispatch
import FoundationEssentials
import Glibc
import PeerCLI
import Synchronization

/// The terminal of a user: the line that is typed, a row of status below it, and above them everything that is printed.
///
/// One thread reads keys and edits the line; any may print.
final class Terminal: Sendable {
  private struct State {
    var footer: Footer
    var status: StatusLine
    /// Commands that were typed and are not taken yet.
    var lines: [String] = []
    var reader: CheckedContinuation<String?, Never>?
    /// The command that runs, if it can be given up.
    var runner: CheckedContinuation<Bool?, Never>?
    /// Ctrl-C since the last key.
    var interrupts = 0
    var hasEnded = false
    var isClosed = false
  }

  /// Typed commands that wait; beyond them keys are left in the terminal.
  private static let lineLimit = 1_000
  /// The most words that Tab lists.
  private static let offerLimit = 100

  private let terminal: TerminalGuard
  private let history: HistoryFile?
  private let state: Mutex<State>
  private let hasColor: Bool
  private let closed = DispatchSemaphore(value: 0)
  /// Yields after something that the status may show has changed.
  let news: AsyncStream<Void>
  private let newsSource: AsyncStream<Void>.Continuation

  /// The terminal of standard input and output, before it is used; nil where there is none that shows what we draw.
  init?(name: String, history: HistoryFile? = .standard) {
    let standard = Streams.standard
    guard standard.inputIsTerminal, standard.outputIsTerminal, ProcessInfo.processInfo.environment["TERM"] != nil,
      let terminal = TerminalGuard()
    else { return nil }
    (self.terminal, self.history, hasColor) = (terminal, history, standard.hasColor)
    (news, newsSource) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    let size = terminal.size
    let footer = Footer(
      prompt: "\(name)› ", columns: size.columns, rows: size.rows, hasColor: standard.hasColor)
    state = Mutex(State(footer: footer, status: StatusLine(name: name)))
  }

  /// The streams for a console: what it writes comes above the typed line.
  var streams: Streams {
    var streams = Streams.standard
    streams.output = { self.print($0) }
    streams.error = { _ = self.print($0) }
    streams.progress = { line in self.update { $0.transfer = line } }
    return streams
  }

  /// The size in characters.
  var size: (columns: Int, rows: Int) { terminal.size }

  /// Begins to read keys; `complete` completes what stands before the cursor, on a thread that may wait.
  func begin(complete: @escaping @Sendable (String) -> Completer.Completion?) {
    do throws(SystemCallFailure) {
      _ = try POSIXThread(named: "terminal") { [self] in
        readKeys(complete)
        closed.signal()
      }
    } catch {
      // Without a thread for the keys it is as after the last of them.
      finish()
      closed.signal()
    }
  }

  /// Hands the terminal back; what is printed later is printed as it is.
  func close() {
    state.withLock { $0.isClosed = true }
    terminal.wake()
    closed.wait()
  }

  /// Says that what the status shows may have changed.
  func noteNews() { newsSource.yield() }

  /// Changes the row of status.
  func update(_ change: (inout StatusLine) -> Void) {
    state.withLock { state in
      change(&state.status)
      state.status.waiting = state.lines.count
      Streams.write(fit(&state.footer) + state.footer.changed(status: state.status.line))
    }
  }

  private func print(_ text: String) -> Bool {
    state.withLock { Streams.write(fit(&$0.footer) + $0.footer.printed(text)) }
  }

  /// The text for a terminal that has another size by now; its signal may come later than what is printed.
  private func fit(_ footer: inout Footer) -> String {
    let size = terminal.size
    return size == footer.size ? "" : footer.resized(columns: size.columns, rows: size.rows)
  }

  // MARK: - The thread of the keys

  private func readKeys(_ complete: @escaping @Sendable (String) -> Completer.Completion?) {
    var past = history?.load() ?? CommandHistory()
    var isEditing: LineEditor?
    let owner = LineEditor.Owner(
      wait: { line, position in
        self.draw(line, position)
        return self.wait { isEditing?.prepareTerminal() }
      }, complete: complete, offer: offer)
    let editor = LineEditor(program: "worldpeer", history: past.lines, owner: owner)
    isEditing = editor
    terminal.begin()
    reading: while let editor {
      switch editor.readLine() {
      case .line(let line):
        if past.add(line) {
          editor.remember(line)
          history?.append(line)
        }
        add(line)
      case .interrupted: if interrupt() { break reading }
      case .ended: break reading
      }
    }
    // They hold each other.
    isEditing = nil
    Streams.write(state.withLock { $0.footer.erased() })
    terminal.end()
    finish()
  }

  private func draw(_ line: [Unicode.Scalar], _ position: Int) {
    state.withLock { state in
      let text = fit(&state.footer) + state.footer.edited(line, position: position)
      Streams.write(text.isEmpty ? state.footer.drawn() : text)
    }
  }

  /// Waits for keys, and does meanwhile what signals ask for.
  private func wait(prepare: () -> Void) -> LineEditor.Wake {
    while true {
      let (isClosed, isFull) = state.withLock { ($0.isClosed, $0.lines.count >= Self.lineLimit) }
      if isClosed { return .ended }
      var ends = [
        pollfd(fd: terminal.calls, events: Int16(POLLIN), revents: 0),
        pollfd(fd: isFull ? -1 : STDIN_FILENO, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&ends, 2, -1) > 0 else { continue }
      if ends[0].revents != 0, answerCalls(prepare) { return .interrupt }
      guard ends[1].revents != 0 else { continue }
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = read(STDIN_FILENO, &bytes, bytes.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { return .ended }
      state.withLock { $0.interrupts = 0 }
      return .bytes(Array(bytes[..<count]))
    }
  }

  /// Does what signals ask for; whether the user wants to interrupt.
  private func answerCalls(_ prepare: () -> Void) -> Bool {
    var isInterrupted = false
    for call in terminal.takeCalls() {
      switch call {
      case .news: break
      case .interrupt:
        state.withLock { $0.interrupts += 1 }
        isInterrupted = true
      case .stop:
        Streams.write(state.withLock { $0.footer.erased() })
        terminal.stop()
        resume(prepare)
      case .resume: resume(prepare)
      case .resize:
        _ = state.withLock { Streams.write(fit(&$0.footer)) }
      }
    }
    return isInterrupted
  }

  private func resume(_ prepare: () -> Void) {
    prepare()
    terminal.greet()
    _ = state.withLock { Streams.write(fit(&$0.footer) + $0.footer.drawn()) }
  }

  private func offer(_ words: [String]) {
    guard !words.isEmpty else {
      Streams.write("\u{07}")
      return
    }
    var lines = words.prefix(Self.offerLimit).map { "  \($0)" as Line }
    if words.count > Self.offerLimit { lines.append("  and \(words.count - Self.offerLimit) more") }
    _ = print(lines.map { $0.text(color: hasColor) + "\n" }.joined())
  }

  /// Gives up what runs and what waits; whether the user wants to leave.
  private func interrupt() -> Bool {
    let (isLast, runner, dropped) = state.withLock { state in
      defer { (state.runner, state.lines) = (nil, []) }
      return (state.interrupts > 1, state.runner, state.lines.count)
    }
    runner?.resume(returning: nil)
    guard !isLast else { return true }
    let given = dropped > 0 ? "; \(Text.plural(dropped, "command")) given up" : ""
    let hint: Line = "\("Ctrl-C again to leave\(given)", .faint)"
    _ = print(hint.text(color: hasColor) + "\n")
    return false
  }
}

// MARK: - Commands

extension Terminal {
  /// Whether the user left by Ctrl-C.
  var isInterrupted: Bool { state.withLock { $0.interrupts > 1 } }

  /// The next command; nil when the user leaves, or the task is cancelled.
  func nextLine() async -> String? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { reader in
        let next: String?? = state.withLock { state in
          if Task.isCancelled { return .some(nil) }
          if let line = state.lines.first {
            state.lines.removeFirst()
            return line
          }
          if state.hasEnded { return .some(nil) }
          state.reader = reader
          return nil
        }
        guard let next else { return }
        // There is room for a line again.
        terminal.wake()
        reader.resume(returning: next)
      }
    } onCancel: {
      state.withLock { state in
        defer { state.reader = nil }
        return state.reader
      }?.resume(returning: nil)
    }
  }

  /// Runs a command until it is done or the user interrupts it: then its task is cancelled, and the result is nil.
  func run(_ command: @Sendable @escaping () async -> Bool?) async -> Bool? {
    await withTaskGroup(of: Bool?.self) { group in
      group.addTask { await command() }
      group.addTask { await self.interruption() }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }

  private func interruption() async -> Bool? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { runner in
        let isLate = state.withLock { state in
          guard !Task.isCancelled else { return true }
          state.runner = runner
          return false
        }
        if isLate { runner.resume(returning: nil) }
      }
    } onCancel: {
      state.withLock { state in
        defer { state.runner = nil }
        return state.runner
      }?.resume(returning: nil)
    }
  }

  private func add(_ line: String) {
    guard line.contains(where: { !$0.isWhitespace }) else { return }
    state.withLock { state in
      defer { state.reader = nil }
      if state.reader == nil { state.lines.append(line) }
      return state.reader
    }?.resume(returning: line)
  }

  private func finish() {
    state.withLock { state in
      state.hasEnded = true
      defer { state.reader = nil }
      return state.reader
    }?.resume(returning: nil)
  }
}
