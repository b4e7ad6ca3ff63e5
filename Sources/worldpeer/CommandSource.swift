import Dispatch
import FoundationEssentials
import PeerCLI
import Synchronization

/// Where the lines of commands come from.
enum CommandSource: Sendable {
  case script([String])
  case standardInput
  case terminal(Terminal)

  /// Reads a script as a whole, so that a missing file is noticed before anything starts.
  init(script path: String) throws(ProgramFailure) {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw .io("cannot read the script \(path); check that it exists")
    }
    self = .script(String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init))
  }

  var terminal: Terminal? {
    if case .terminal(let terminal) = self { terminal } else { nil }
  }

  var isScript: Bool {
    if case .script = self { true } else { false }
  }
}

/// Reads lines from standard input on a thread of its own, so that waiting for one holds up nothing else.
///
/// It reads one line for each call and no further.
final class LineReader: Sendable {
  private let queue = DispatchQueue(label: "standard input")
  private let waiter = Mutex<CheckedContinuation<String?, Never>?>(nil)

  /// The next line without its end; nil at the end of the input or when the task is cancelled.
  func next() async -> String? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiter.withLock { $0 = continuation }
        if Task.isCancelled {
          finish(nil)
        } else {
          queue.async { self.finish(readLine()) }
        }
      }
    } onCancel: {
      finish(nil)
    }
  }

  private func finish(_ line: String?) {
    let continuation = waiter.withLock { waiter in
      defer { waiter = nil }
      return waiter
    }
    continuation?.resume(returning: line)
  }
}
