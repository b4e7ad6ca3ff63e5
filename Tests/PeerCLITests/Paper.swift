import PeerCLI
import Synchronization

/// Streams whose text a test reads.
final class Paper: Sendable {
  private let written = Mutex((output: "", error: ""))

  /// Streams that write here; `isFull` refuses standard output.
  func streams(isFull: Bool = false) -> Streams {
    Streams(
      output: { text in
        if !isFull { self.written.withLock { $0.output += text } }
        return !isFull
      }, error: { text in self.written.withLock { $0.error += text } })
  }

  /// What was written since the last call.
  func take() -> (output: String, error: String) {
    written.withLock { written in
      defer { written = ("", "") }
      return written
    }
  }
}
