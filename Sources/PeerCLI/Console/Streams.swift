import FoundationEssentials
import Glibc

/// Where a program's text goes, and what is known of its readers.
package struct Streams: Sendable {
  /// Writes to standard output; false when that refuses, for instance because the disk is full.
  package var output: @Sendable (String) -> Bool
  /// Writes to standard error.
  package var error: @Sendable (String) -> Void
  package var inputIsTerminal = false
  package var outputIsTerminal = false
  var errorIsTerminal = false
  /// Whether a terminal on standard output may show colours.
  package var hasColor = false

  /// Shows a report of progress where output does not scroll by, or with nil takes it away; nil where there is no such place.
  package var progress: (@Sendable (Line?) -> Void)?

  /// Streams that only these functions read.
  package init(output: @escaping @Sendable (String) -> Bool, error: @escaping @Sendable (String) -> Void) {
    self.output = output
    self.error = error
  }

  /// Writes all of a text to a descriptor, however long that takes; false when that refuses it.
  @discardableResult
  package static func write(_ text: String, to descriptor: Int32 = STDOUT_FILENO) -> Bool {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EAGAIN {
        // Another process made the terminal that it shares with this one non-blocking.
        var end = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&end, 1, -1)
      } else if count < 0 {
        guard errno == EINTR else { return false }
      } else {
        bytes = bytes.dropFirst(count)
      }
    }
    return true
  }

  /// The standard streams of the process.
  package static var standard: Streams {
    var streams = Streams(
      output: { write($0) },
      // There is nowhere left to report a failure.
      error: { write($0, to: STDERR_FILENO) })
    let environment = ProcessInfo.processInfo.environment
    streams.inputIsTerminal = isatty(STDIN_FILENO) == 1
    streams.outputIsTerminal = isatty(STDOUT_FILENO) == 1 && environment["TERM"] != "dumb"
    streams.errorIsTerminal = isatty(STDERR_FILENO) == 1 && environment["TERM"] != "dumb"
    // The conventions of no-color.org and of CLICOLOR_FORCE, which shows colour through a pipe.
    streams.hasColor =
      (streams.outputIsTerminal && environment["NO_COLOR"] == nil) || environment["CLICOLOR_FORCE"] == "1"
    return streams
  }
}
