/// What the tool tells the shell.
enum ExitCode: Int32 {
  /// Done; for `diff` also: the maps are equal.
  case success = 0
  /// `diff`: the maps differ; `salvage`: something could not be recovered.
  case difference = 1
  /// The command line is wrong.
  case usage = 2
  /// The input is damaged or of an unknown format.
  case damaged = 3
  /// A file cannot be read or written.
  case io = 4
}

/// Why a command cannot go on.
struct Failure: Error {
  var code: ExitCode
  var message: String

  init(_ code: ExitCode, _ message: String) {
    self.code = code
    self.message = message
  }
}
