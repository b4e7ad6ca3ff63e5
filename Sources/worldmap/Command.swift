import WorldPeerKit

/// One of the things that the tool does.
protocol Command {
  static var name: String { get }
  /// One sentence without its full stop.
  static var summary: String { get }
  /// The operands, such as `INPUT OUTPUT`.
  static var operands: [String] { get }
  static var options: [Option] { get }
  /// More about it, for its help.
  static var discussion: String { get }

  /// Does it, and says what came out.
  static func run(_ arguments: Arguments, _ progress: Progress, _ report: inout Report) throws(Failure)
    -> ExitCode
}

extension Command {
  static var options: [Option] { [] }
  static var discussion: String { "" }

  /// The help of this command.
  static var help: String {
    """
    usage: worldmap \(name) \(operands.joined(separator: " ")) [options]

    \(summary).
    \(discussion.isEmpty ? "" : "\n" + discussion + "\n")
    options:
    \(helpTable((options + Tool.commonOptions).map { (form: $0.usage, help: $0.help) }))

    """
  }
}
