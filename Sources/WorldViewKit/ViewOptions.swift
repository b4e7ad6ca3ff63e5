package import PeerCLI
package import SharedWorld

/// The options of `worldview`.
package struct ViewOptions: Equatable, Sendable {
  package var peer = PeerOptions(policy: .ask)
  /// Whether this peer owns the session that it begins, and whether it and those that it names alone share maps there.
  package var isOwned = false
  package var isCurated = false
  /// Where the page is served as it is, and where over TLS, if it is.
  package var http = PeerAddress(host: "127.0.0.1", port: 0)
  package var https: PeerAddress?

  /// The axis of a map that points up; nil guesses it, or takes what was chosen for the map before.
  package var up: UpAxis?

  package init() {}

  package static var parser: ArgumentParser<ViewOptions> {
    ArgumentParser(
      // The page asks about both: nobody comes in, or is invited, unless its user says so.
      ArgumentParser.peerOptions(
        \.peer, accept: .ask, invite: .ask, inviting: InvitationPolicy.allCases, mapHelp: "share this map") + [
          .flag("--owned", \.isOwned, help: "own the session that this peer begins"),
          .flag("--curated", \.isCurated, help: "own it, and let moderators and publishers alone share maps"),
          .value(
            "--http", "ADDR:PORT", \.http,
            help: "where the page is served as it is: on this machine, or to a proxy (127.0.0.1, a free port)"),
          .optional(
            "--https", "ADDR:PORT", \.https,
            help: "where it is served over TLS as well, for phones and headsets: 0.0.0.0:8443"),
          .optional("--up", "AXIS", \.up, help: "what is up in a map: y, z, x, -y, -z or -x (guessed)"),
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
      "The address holds a token that opens the page once; another is printed for the next browser. --http encrypts "
        + "nothing: keep it on this machine unless you trust the network. No authority knows this machine, so browsers "
        + "warn of --https: compare the fingerprint that is printed with the one that they show.")
    page.addExitCodes(negative: nil, hasSession: true)
  }
}
