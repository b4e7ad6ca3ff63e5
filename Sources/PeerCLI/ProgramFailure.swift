import SharedWorld

/// A failure: a code for scripts, a sentence for people, and the exit status if it ends the program.
package struct ProgramFailure: Error {
  /// A kebab-case word, the same in every version.
  package let code: String
  /// The fault, its place, and what to do.
  package let message: String
  package let status: ExitCode

  package init(_ code: String, _ message: String, _ status: ExitCode = .negative) {
    self.code = code
    self.message = message
    self.status = status
  }

  /// A failure to read or write a file.
  package static func io(_ message: String) -> ProgramFailure { ProgramFailure("io", message, .io) }

  /// A file that is not what it should be.
  package static func damaged(_ message: String) -> ProgramFailure { ProgramFailure("corrupt-data", message, .damaged) }

  /// A command line that cannot be carried out.
  package static func usage(_ message: String) -> ProgramFailure { ProgramFailure("bad-command", message, .usage) }

  /// A failure made of any error.
  package init(_ error: any Error) {
    switch error {
    case let failure as ProgramFailure: self = failure
    case let error as SessionError: self.init("\(error.code)", error.message, ExitCode(error.code))
    case let error as UsageError: self = .usage(error.description)
    default: self = .io("\(error)")
    }
  }
}

extension ExitCode {
  /// The exit status for an error of the library that ends a program.
  fileprivate init(_ code: SessionError.Code) {
    switch code {
    case .io, .diskFull, .addressInUse: self = .io
    case .corruptData, .corruptIdentity, .insecureIdentity, .insecureFile: self = .damaged
    default: self = .session
    }
  }
}
