/// The exit status of a program; a number means the same in every program.
package enum ExitCode: Equatable, Sendable {
  /// Everything was done.
  case done
  /// The program ran, and its answer is no: maps differ, a wait ran out.
  case negative
  /// The command line is wrong.
  case usage
  /// A file that was given cannot be trusted: it is damaged, of an unknown format, or open to others.
  case damaged
  /// The system refused a file or an address.
  case io
  /// The session could not start, or ended by a fault.
  case session
  /// A signal ended the program, which left its session first.
  case signaled(Int32)

  /// The status for `exit`.
  package var number: Int32 {
    switch self {
    case .done: 0
    case .negative: 1
    case .usage: 2
    case .damaged: 3
    case .io: 4
    case .session: 5
    // Shells report this for a program that a signal ended.
    case .signaled(let signal): 128 + signal
    }
  }
}

extension HelpPage {
  /// Adds the section on exit statuses.
  ///
  /// - Parameters:
  ///   - negative: When the program exits with 1; the other numbers mean the same everywhere.
  ///   - hasSession: Whether the program joins a session.
  package mutating func addExitCodes(negative: String?, hasSession: Bool) {
    let one = negative.map { [("1", $0)] } ?? []
    let session = hasSession ? [("5", "the session could not start, or ended by a fault")] : []
    let signals = hasSession ? "; the peer left its session first" : ""
    add(
      "EXIT STATUS", "",
      [("0", "done")] + one + [
        ("2", "the command line is wrong"),
        ("3", "a file is damaged, of an unknown format, or not safe to use"),
        ("4", "a file cannot be read or written, or the system refused an address"),
      ] + session + [("130", "interrupted (SIGINT); 143: terminated (SIGTERM)\(signals)")])
  }
}
