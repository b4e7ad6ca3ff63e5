package import SharedWorld
package import WorldPeerKit

/// What the command line of `worldview` says.
package struct ViewOptions: Equatable, Sendable {
  /// Whether invitations are accepted, or peers that are found invited.
  package enum Policy: String, CaseIterable, ArgumentValue, Sendable {
    case all, none
  }

  package var name = ""
  package var service = "sharedworld"
  package var map: String?
  package var accept = Policy.all
  package var invite = Policy.all
  package var discovery = DiscoveryMode.automatic
  package var listen: Endpoint?
  package var connect: [Endpoint] = []
  package var http: Endpoint?
  package var identity: String?

  package init() {}

  /// Reads a command line without the program's name; nil when help was asked for.
  package init?(arguments: [String]) throws(UsageError) {
    guard let options = try Self.parser.parse(arguments, over: ViewOptions()) else { return nil }
    self = options
  }

  private static var parser: ArgumentParser<ViewOptions> {
    ArgumentParser([
      .required("--name", "NAME", \.name, help: "your name, 1 to 63 bytes; it is shown to everyone on the network"),
      .value("--service", "TYPE", \.service, help: "which peers belong together: a DNS-SD service type (sharedworld)"),
      .optional("--map", "FILE", \.map, help: "share this .worldmap file"),
      .value("--accept", "all|none", \.accept, help: "how invitations are answered (all)"),
      .value("--invite", "all|none", \.invite, help: "whether peers that are found are invited (all)"),
      .value("--discovery", "auto|avahi|embedded|none", \.discovery, help: "how peers are found (auto)"),
      .optional("--listen", "ADDR:PORT", \.listen, help: "where to listen for peers (every address, a free port)"),
      .list("--connect", "HOST:PORT", \.connect, help: "invite the peer at this address; can be repeated"),
      .optional("--http", "ADDR:PORT", \.http, help: "where the page is served (127.0.0.1, a free port)"),
      .optional("--identity", "DIR", \.identity, help: "where the key is kept ($XDG_STATE_HOME/sharedworld)"),
    ])
  }

  /// The text of `--help`.
  package static var help: String {
    return """
      worldview: a peer with a page for the browser. It shows the shared map in 3D; a tap on it places an anchor.

      usage: worldview --name NAME [OPTION]…

      \(parser.help)

      Whoever can open the page can change anchors: serve it on this machine alone unless you trust the network.
      It prints the page's address and runs until SIGINT or SIGTERM.

      """
  }

  /// The session that this command line asks for.
  package var configuration: Session.Configuration {
    var configuration = Session.Configuration(service: service)
    configuration.discovery = discovery
    if let listen { configuration.listen = listen }
    // A user who types a name on the command line wants to be found by it.
    configuration.advertisesName = true
    let accepts = accept == .all
    configuration.invitationHandler = { _ in accepts ? .accept : .decline(reason: "this peer accepts no invitations") }
    return configuration
  }
}
