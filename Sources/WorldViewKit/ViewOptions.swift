package import PeerCLI
package import SharedWorld

/// The options of `worldview`.
package struct ViewOptions: Equatable, Sendable {
  package var peer: PeerOptions = {
    var options = PeerOptions(policy: .automatic)
    options.accept = .ask
    return options
  }()
  /// Where the page is served.
  package var http = PeerAddress(host: "127.0.0.1", port: 0)

  package init() {}

  package static var parser: ArgumentParser<ViewOptions> {
    ArgumentParser(
      // The page asks about invitations; there is no way to name a peer to invite.
      ArgumentParser.peerOptions(
        \.peer, accept: .ask, invite: .automatic, inviting: [.automatic, .none], mapHelp: "share this map") + [
          .value("--http", "ADDR:PORT", \.http, help: "where the page is served (127.0.0.1, a free port)"),
          .json("print one JSON object a line instead of text"),
        ])
  }

  /// The options of a command line, whose first word may name a part in a room.
  ///
  /// - Throws: ``Finished`` after printing the help or the version, or what is wrong with the command line.
  package static func read(_ arguments: [String], on console: Console) throws(Finished) -> ViewOptions {
    try parser.read(arguments, over: ViewOptions(), inRoom: \.peer, help: help, notes: addNotes, on: console)
  }

  /// The text of `--help`.
  package static var help: HelpPage {
    var page = HelpPage(
      "worldview",
      "A peer with a page for the browser. It shows the shared map in 3D; a tap on it places an anchor.",
      usage: "--name NAME [OPTION]…")
    page.add("OPTIONS", "", parser.helpRows)
    page.add(
      "TOOLS", "Each is the first word, and has a --help of its own.", RoomChoice.Part.allCases.map(\.helpRow))
    addNotes(to: &page)
    return page
  }

  private static func addNotes(to page: inout HelpPage) {
    page.add(
      "SECURITY",
      "The address holds a token that opens the page once; another is printed for the next browser. The page is not "
        + "encrypted: serve it on this machine alone unless you trust the network.")
    page.addExitCodes(negative: nil, hasSession: true)
  }
}
