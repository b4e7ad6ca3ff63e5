package import SharedWorld

/// From which level on the library's log is shown.
package enum LogLevel: String, CaseIterable, Sendable {
  case debug
  case info
  case warning

  private var least: LogMessage.Level {
    switch self {
    case .debug: .debug
    case .info: .info
    case .warning: .warning
    }
  }

  /// The report of a message; nil where it matters less than this level.
  package func report(_ message: LogMessage) -> Report? {
    guard message.level >= least else { return nil }
    return Report(
      "log",
      [
        "level": .string("\(message.level)"), "subsystem": .string(message.subsystem.rawValue),
        "text": .string(message.text), "suppressed": .integer(message.suppressed),
      ], ["\("log: \(message)", .faint)"])
  }
}
