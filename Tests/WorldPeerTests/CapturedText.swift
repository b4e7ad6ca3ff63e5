import PeerCLI
import Synchronization

/// The text that a tool prints.
final class CapturedText: Sendable {
  private let texts = Mutex((output: "", error: ""))

  /// The streams to give to the tool.
  var streams: Streams {
    Streams(
      output: { text in
        self.texts.withLock { $0.output += text }
        return true
      }, error: { text in self.texts.withLock { $0.error += text } })
  }

  var output: String { texts.withLock { $0.output } }
  var error: String { texts.withLock { $0.error } }
}
