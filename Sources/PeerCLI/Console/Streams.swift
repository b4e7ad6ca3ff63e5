import Foundation

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
  package var hasColour = false

  /// Shows a report of progress where output does not scroll by, or with nil takes it away; nil where there is no such place.
  package var progress: (@Sendable (Line?) -> Void)?

  /// Streams that only these functions read.
  package init(output: @escaping @Sendable (String) -> Bool, error: @escaping @Sendable (String) -> Void) {
    self.output = output
    self.error = error
  }

  /// The standard streams of the process.
  package static var standard: Streams {
    var streams = Streams(
      output: { (try? FileHandle.standardOutput.write(contentsOf: Data($0.utf8))) != nil },
      // There is nowhere left to report a failure.
      error: { try? FileHandle.standardError.write(contentsOf: Data($0.utf8)) })
    let environment = ProcessInfo.processInfo.environment
    streams.inputIsTerminal = isatty(STDIN_FILENO) == 1
    streams.outputIsTerminal = isatty(STDOUT_FILENO) == 1 && environment["TERM"] != "dumb"
    streams.errorIsTerminal = isatty(STDERR_FILENO) == 1 && environment["TERM"] != "dumb"
    // The conventions of no-color.org and of CLICOLOR_FORCE, which shows colour through a pipe.
    streams.hasColour =
      (streams.outputIsTerminal && environment["NO_COLOR"] == nil) || environment["CLICOLOR_FORCE"] == "1"
    return streams
  }
}
