import PeerCLI

/// One of the things that the tool does; its properties are what its command line says.
protocol MapCommand: Sendable {
  static var name: String { get }
  /// One sentence.
  static var summary: String { get }
  /// More about it, for its help.
  static var discussion: String { get }
  static var parser: ArgumentParser<Self> { get }

  /// A command line that says nothing.
  init()

  /// Does it, and adds to `report` what came out.
  func run(_ progress: Progress, _ report: inout Report) throws(ProgramFailure) -> ExitCode
}

extension MapCommand {
  static var discussion: String { "" }

  /// The parser of this command, with the options of every command.
  static var fullParser: ArgumentParser<Self> {
    ArgumentParser(
      parser.options + [.json("print one JSON object instead of text, and no progress bar")],
      operands: parser.operands)
  }

  /// The help of this command.
  static var help: HelpPage {
    let operands = parser.operands.map(\.placeholder).joined(separator: " ")
    var page = HelpPage("worldmap \(name)", summary, usage: "\(operands) [OPTION]…")
    if !discussion.isEmpty { page.add("NOTES", discussion) }
    page.add("OPTIONS", "", fullParser.helpRows)
    return page
  }
}
