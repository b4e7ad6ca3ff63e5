import WorldPeerKit

/// The command line as a whole.
enum Tool {
  static var commands: [any Command.Type] {
    [Info.self, Convert.self, Verify.self, Salvage.self, Diff.self, Crop.self, Thumbnail.self, Generate.self]
  }

  /// What every command knows.
  static let commonOptions = [
    Option("--json", nil, "print one JSON object instead of text; no progress bar"),
    Option("--help", nil, "print this help"),
  ]

  /// Runs a command line without the program's name; gives what goes to standard output and error, and the exit code.
  static func run(_ words: [String]) -> (output: String, error: String, code: ExitCode) {
    guard let name = words.first else { return ("", help, .usage) }
    if ["help", "--help", "-h"].contains(name) { return helped(by: words.dropFirst().first) }
    guard let command = commands.first(where: { $0.name == name }) else {
      let hint = Arguments.hint(name, commands.map { $0.name })
      return ("", "worldmap: there is no command \(name)\(hint)\nTry: worldmap --help\n", .usage)
    }
    if words.contains("--help") || words.contains("-h") { return (command.help, "", .success) }
    let json = words.contains("--json")
    var report = Report()
    let progress = Progress(isQuiet: json)
    do throws(Failure) {
      let arguments = try Arguments(Array(words.dropFirst()), options: command.options + commonOptions)
      guard arguments.operands.count == command.operands.count else {
        throw Failure(.usage, "\(name) needs \(command.operands.joined(separator: " and "))")
      }
      let code = try command.run(arguments, progress, &report)
      progress.finish()
      return (report.text(json: json), "", code)
    } catch {
      progress.finish()
      let message = "worldmap: \(error.message)\n" + (error.code == .usage ? "Try: worldmap \(name) --help\n" : "")
      let object: JSON = ["error": .string(error.message), "exitCode": .integer(Int(error.code.rawValue))]
      return (json ? object.text + "\n" : "", message, error.code)
    }
  }

  private static func helped(by name: String?) -> (output: String, error: String, code: ExitCode) {
    guard let name else { return (help, "", .success) }
    guard let command = commands.first(where: { $0.name == name }) else {
      return ("", "worldmap: there is no command \(name)\n", .usage)
    }
    return (command.help, "", .success)
  }

  private static var help: String {
    """
    usage: worldmap COMMAND …

    Looks at world maps and point clouds, converts, repairs and draws them.

    commands:
    \(helpTable(commands.map { (form: $0.name, help: $0.summary) }))

    Inputs are .worldmap files and point clouds (PLY, PCD, COLMAP points3D, XYZ), told by their content. Outputs
    are told by their extension. Files are written in one step: an interrupted run leaves the old file.
    worldmap COMMAND --help says more.

    exit codes:
      0  done; for diff: the maps are equal
      1  diff: the maps differ; salvage: something is lost
      2  the command line is wrong
      3  the input is damaged or of an unknown format
      4  a file cannot be read or written

    """
  }
}
