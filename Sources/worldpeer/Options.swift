import PeerCLI
import SharedWorld

/// The options of `worldpeer`.
struct Options: Equatable, Sendable {
  var peer = PeerOptions(policy: .ask)
  var journal: String?
  var state: String?
  var script: String?
  /// Whether a terminal gets no line editor and no row of status.
  var isPlain = false
  /// Whether this peer owns the session that it begins.
  var isOwned = false
  /// Whether members share no maps in that session, unless they are publishers.
  var isCurated = false
  /// Where the own frame has its origin in the files' frame (metres), and its turn about y (degrees); nil for the shared frame.
  var frame: [Float]?

  /// The own frame to the files' frame.
  var origin: Transform? {
    frame.map { Transform(position: [$0[0], $0[1], $0[2]], heading: $0[3]) }
  }

  static var parser: ArgumentParser<Options> {
    ArgumentParser(
      ArgumentParser.peerOptions(
        \.peer, accept: .ask, invite: .ask, inviting: InvitationPolicy.allCases, mapHelp: "load this map first") + [
          .optional("--journal", "FILE", \.journal, help: "keep the anchors in this file, and begin with those in it"),
          .optional(
            "--state", "FILE", \.state,
            help: "keep in this file what is needed to come back into the session after a crash"),
          .flag("--owned", \.isOwned, help: "own the session that this peer begins"),
          .flag("--curated", \.isCurated, help: "own it, and let moderators and publishers alone share maps"),
          .numbers(
            "--frame", "X,Y,Z,YAW", \.frame,
            help: "see the world in an own frame, whose origin is there in the files and which is turned so (degrees)"),
          .optional(
            "--script", "FILE", \.script, help: "read the commands from this file, stop at the first failure"),
          .flag("--plain", \.isPlain, help: "no line editor and no row of status on a terminal"),
          .json("print one JSON object a line instead of text"),
        ])
  }

  /// The answer to a command line without a word.
  static let introduction = """
    worldpeer is a peer in the terminal: it shares a world map and anchors with others on this network.
      worldpeer host kitchen    begins a room, and prints its code and how others come in
      worldpeer join kitchen    enters that room from another device, and asks for the code
      worldpeer --name porch    takes part without a code, and asks whom to let in
      worldpeer --help          lists all options, commands and tools
    """ + "\n"

  /// The options of a command line, whose first word may name a part in a room.
  ///
  /// - Throws: ``Finished`` after printing the help or the version, or what is wrong with the command line.
  static func read(_ arguments: [String], on console: Console) throws(Finished) -> Options {
    try parser.read(arguments, over: Options(), inRoom: \.peer, help: help, notes: addCommands, on: console)
  }

  /// The text of `--help`.
  static var help: HelpPage {
    var page = HelpPage(
      "worldpeer",
      "A peer in the terminal. It finds others on the network and shares a world map and anchors with them.",
      usage: "--name NAME [OPTION]…")
    page.add("OPTIONS", "", parser.helpRows)
    page.add(
      "TOOLS", "Each is the first word, and has a --help of its own.",
      RoomChoice.Part.allCases.map(\.helpRow)
        + [(TrustTool.name, TrustTool.summary), (DoctorTool.name, DoctorTool.summary)])
    addCommands(to: &page)
    return page
  }

  private static func addCommands(to page: inout HelpPage) {
    page.add(
      "COMMANDS",
      "One a line, from standard input or a script. Quote names with blanks; # begins a comment. PEER and ANCHOR are a "
        + "name, an id or the beginning of one, as long as only one begins like it. FILE is a map of any format for "
        + "load, and a .worldmap file for save.",
      Command.verbs.map { ($0.usage, $0.help) })
    page.addExitCodes(
      negative: "a wait ran out of time, or a command of a script could not be carried out", hasSession: true)
  }
}
