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
  package var http = Endpoint(host: "127.0.0.1", port: 0)

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

  /// The text of `--help`.
  package static var help: HelpPage {
    var page = HelpPage(
      "worldview",
      "A peer with a page for the browser. It shows the shared map in 3D; a tap on it places an anchor.",
      usage: "--name NAME [OPTION]…")
    page.add("OPTIONS", "", parser.helpRows)
    page.add(
      "SECURITY",
      "The address holds a token that opens the page once; another is printed for the next browser. The page is not "
        + "encrypted: serve it on this machine alone unless you trust the network.")
    page.addExitCodes(negative: nil, hasSession: true)
    return page
  }
}
