package import SharedWorld

/// What the command line of `worldpeer` says.
package struct Options: Equatable, Sendable {
  /// Who answers an invitation, or who is invited: everyone, whom the user names, nobody.
  package enum Policy: String, CaseIterable, ArgumentValue, Sendable {
    case all, ask, none
  }

  package var name = ""
  package var service = "sharedworld"
  package var map: String?
  package var accept = Policy.ask
  package var invite = Policy.ask
  package var discovery = DiscoveryMode.automatic
  package var listen: Endpoint?
  package var connect: [Endpoint] = []
  package var identity: String?
  package var journal: String?
  package var state: String?
  package var json = false
  package var script: String?

  package init() {}

  /// Reads a command line without the program's name; nil when help was asked for.
  package init?(arguments: [String]) throws(UsageError) {
    guard let options = try Self.parser.parse(arguments, over: Options()) else { return nil }
    self = options
  }

  static var parser: ArgumentParser<Options> {
    ArgumentParser([
      .required("--name", "NAME", \.name, help: "your name, 1 to 63 bytes; it is shown to everyone on the network"),
      .value("--service", "TYPE", \.service, help: "which peers belong together: a DNS-SD service type (sharedworld)"),
      .optional("--map", "FILE", \.map, help: "load this .worldmap file first"),
      .value("--accept", "all|ask|none", \.accept, help: "how invitations are answered (ask)"),
      .value("--invite", "all|ask|none", \.invite, help: "whether peers that are found are invited (ask)"),
      .value("--discovery", "auto|avahi|embedded|none", \.discovery, help: "how peers are found (auto)"),
      .optional("--listen", "ADDR:PORT", \.listen, help: "where to listen (every address, a free port)"),
      .list("--connect", "HOST:PORT", \.connect, help: "invite the peer at this address; can be repeated"),
      .optional("--identity", "DIR", \.identity, help: "where the key is kept ($XDG_STATE_HOME/sharedworld)"),
      .optional("--journal", "FILE", \.journal, help: "keep the anchors in this file, and begin with those in it"),
      .optional(
        "--state", "FILE", \.state, help: "keep in this file what is needed to come back into the session after a crash"
      ),
      .flag("--json", \.json, help: "one JSON object a line on standard output"),
      .optional("--script", "FILE", \.script, help: "read the commands from this file, stop at the first failure"),
    ])
  }

  /// The text of `--help`.
  package static var help: String {
    let verbs = Command.verbs.map { (form: $0.usage, help: $0.help) }
    return """
      worldpeer: a peer in the terminal. It finds others on the network and shares a world map and anchors with them.

      usage: worldpeer --name NAME [OPTION]…

      OPTIONS
      \(parser.help)

      COMMANDS, one a line, from standard input or a script; quote names with spaces; # begins a comment
      \(helpTable(verbs))

      PEER and ANCHOR are a name, an id or the beginning of one, as long as it means only one.

      EXIT STATUS
        0    quit or the end of the commands, and nothing failed
        1    a wait ran out of time, or a command of a script could not be carried out
        2    the command line is wrong
        3    the session could not start or came to an end by a fault
        130  interrupted (SIGINT); 143 terminated (SIGTERM); the peer left its session first

      """
  }
}

extension DiscoveryMode: ArgumentValue {}

extension Endpoint: ArgumentValue {
  package init(argument: String) throws(UsageError) {
    guard let endpoint = Endpoint(argument) else {
      throw UsageError("'\(argument)' is not of the form HOST:PORT, or [ADDRESS]:PORT for IPv6")
    }
    self = endpoint
  }
}
