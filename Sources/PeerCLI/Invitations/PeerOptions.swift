import Glibc
package import SharedWorld

/// The options of a program that joins a session.
package struct PeerOptions: Equatable, Sendable {
  package var name = ""
  package var service = "sharedworld"
  package var map: String?
  package var accept: InvitationPolicy
  package var invite: InvitationPolicy
  package var discovery = DiscoveryMode.automatic
  package var role = DiscoveryRole.both
  package var announces = false
  package var probes: [Session.Configuration.Probe] = []
  package var listen: PeerAddress?
  package var connect: [InvitationTarget] = []
  package var identity: String?
  package var storage: String?
  package var trust = TrustChoice.firstUse
  package var passcodeFile: String?
  package var passcode: PasscodeSource?
  package var room = RoomChoice()
  package var log: LogLevel?

  /// Options with the same default for invitations received and made.
  package init(policy: InvitationPolicy) {
    accept = policy
    invite = policy
  }
}

extension PeerOptions {
  /// Runs a program in the session that these options ask for, and reports a failure that ends it.
  ///
  /// - Parameters:
  ///   - console: Receives the failure.
  ///   - desk: Answers invitations.
  ///   - codes: Compares codes.
  ///   - configure: Further settings of the program's session.
  ///   - body: The program, given the map of `--map`; its result is the exit status.
  package func run(
    on console: Console, asking desk: InvitationDesk, comparing codes: CodeDesk,
    configure: (inout Session.Configuration) -> Void = { _ in },
    _ body: @Sendable (Session, MapInput?) async throws -> ExitCode
  ) async -> ExitCode {
    // A reader of our output that goes away must not kill us: the session is to be left politely.
    signal(SIGPIPE, SIG_IGN)
    do {
      var configuration = try configuration(asking: desk, comparing: codes)
      if let log {
        configuration.log = { message in
          if let report = log.report(message) { console.log(report) }
        }
      }
      configure(&configuration)
      // A program that has asked for it itself sets it.
      if configuration.authentication.passcode == nil {
        configuration.authentication.passcode = try readPasscode(console)
      }
      let map = try readMap(on: console)
      let identity = try PeerIdentity.loadOrCreate(named: name, in: identity ?? storage)
      return try await Session.withSession(as: identity, configuration: configuration) { try await body($0, map) }
    } catch {
      return console.end(error)
    }
  }

  /// The peers that were admitted before; in the folder of the key.
  package var pinStore: PinStore {
    get throws(SessionError) { try PinStore(beside: identity ?? storage) }
  }

  /// The session that these options ask for.
  ///
  /// - Throws: ``SessionError`` when the recorded peers cannot be read, or the room cannot be.
  package func configuration(
    asking desk: InvitationDesk, comparing codes: CodeDesk
  ) throws(SessionError) -> Session.Configuration {
    var configuration =
      try room.part == nil
      ? Session.Configuration(service: service) : Session.Configuration(room: room.name, code: room.code)
    configuration.authentication.trust = try trust.policy(try pinStore)
    configuration.discovery.mode = discovery
    configuration.storage.folder = storage
    if let listen { configuration.listen = listen }
    // A user that types a name on the command line wants to be found by it.
    configuration.discovery.advertising.showsName = true
    configuration.invitations.incoming =
      switch accept {
      case .automatic: .all
      case .ask: .ask { await desk.decide($0) }
      case .none: .none
      }
    // Where the user is asked, it is the command `invite` that answers.
    configuration.invitations.outgoing = invite == .automatic ? .all : .none
    configuration.discovery.role = role
    if announces || !probes.isEmpty {
      configuration.discovery.announcements = Session.Configuration.Announcements()
      configuration.discovery.announcements?.probes = probes
    }
    configuration.authentication.codeHandler = { await codes.compare($0) }
    // The programs take signals themselves: their status tells of them.
    configuration.endsOnSignals = false
    return configuration
  }

  private func readMap(on console: Console) throws(ProgramFailure) -> MapInput? {
    guard let map else { return nil }
    let progress = Progress(console)
    defer { progress.finish() }
    let input = try MapInput(map, progress)
    if let warning = input.warning(about: map) { console.complain(warning) }
    return input
  }
}

extension ArgumentParser {
  /// The options of a program that joins a session.
  ///
  /// - Parameters:
  ///   - path: Where their values go.
  ///   - accept: Which invitations are accepted by default.
  ///   - invite: Which peers are invited by default.
  ///   - inviting: The choices for that.
  ///   - mapHelp: The help for `--map`: the program's use of the map.
  package static func peerOptions(
    _ path: WritableKeyPath<Options, PeerOptions>, accept: InvitationPolicy, invite: InvitationPolicy,
    inviting: [InvitationPolicy], mapHelp: String
  ) -> [Option] {
    [
      .required("--name", "NAME", path.appending(path: \.name), help: "your name, 1 to 63 bytes; everyone sees it"),
      .value(
        "--service", "TYPE", path.appending(path: \.service),
        help: "which peers belong together: a DNS-SD service type (sharedworld)"),
      .optional(
        "--map", "FILE", path.appending(path: \.map), help: "\(mapHelp): a .worldmap, PLY, PCD, COLMAP or XYZ file"),
      .choice(
        "--accept", path.appending(path: \.accept), among: InvitationPolicy.allCases,
        help: "which invitations are accepted (\(accept.rawValue))"),
      .choice(
        "--invite", path.appending(path: \.invite), among: inviting,
        help: "which peers that are found are invited (\(invite.rawValue))"),
      .choice(
        "--discovery", path.appending(path: \.discovery), among: DiscoveryMode.allCases,
        help: "how peers are found (auto)"),
      .flag(
        "--announce", path.appending(path: \.announces),
        help: "find and be found by signed announcements on UDP port "
          + "\(Session.Configuration.Announcements().port) too; they show your id"),
      .list(
        "--probe", "ADDRESS|NETWORK", path.appending(path: \.probes),
        help: "the same, and ask this machine, or each one of 192.0.2.0/24; can be repeated"),
      .choice(
        "--role", path.appending(path: \.role), among: DiscoveryRole.allCases,
        help: "whether this peer looks for others, shows itself, or both (both)"),
      .optional(
        "--listen", "ADDR:PORT", path.appending(path: \.listen),
        help: "where to listen for peers (every address, a free port)"),
      .list(
        "--connect", "HOST:PORT|LINK", path.appending(path: \.connect),
        help: "invite the peer at this address or behind this link, until it joins; can be repeated"),
      .optional(
        "--identity", "DIR", path.appending(path: \.identity),
        help: "where the key is kept ($XDG_STATE_HOME/sharedworld)"),
      .choice(
        "--trust", path.appending(path: \.trust), among: TrustChoice.allCases,
        help: "which keys are admitted: any, with new ones marked and recorded, only those recorded, or those whose "
          + "code you have compared (first-use)"),
      .optional(
        "--passcode-file", "FILE", path.appending(path: \.passcodeFile),
        help: "connect only to peers that know the passcode in this file"),
      .choice(
        "--passcode", path.appending(path: \.passcode), among: PasscodeSource.allCases,
        help: "the same with a passcode that you type, or that is generated and printed"),
      .optional(
        "--storage", "DIR", path.appending(path: \.storage),
        help: "keep the key, the anchors, the state and parts of maps in this folder"),
      .choice(
        "--log", path.appending(path: \.log), among: LogLevel.allCases,
        help: "show the library's log from this level on, on standard error (off)"),
    ]
  }

  /// The options that a room decides, or has in another form.
  private static var decided: Set<String> {
    ["--name", "--service", "--accept", "--invite", "--passcode-file", "--passcode"]
  }

  /// Reads the command line of a program whose first word may name its part in a room.
  ///
  /// - Parameter notes: Adds what stands under the options on every help page.
  /// - Throws: ``Finished`` after printing the help or the version, or what is wrong with the command line.
  package func read(
    _ arguments: [String], over options: Options, inRoom path: WritableKeyPath<Options, PeerOptions>,
    help: @autoclosure () -> HelpPage, notes: (inout HelpPage) -> Void, on console: Console
  ) throws(Finished) -> Options {
    guard let part = arguments.first.flatMap(RoomChoice.Part.init(rawValue:)) else {
      return try read(arguments, over: options, help: help(), on: console)
    }
    var options = options
    options[keyPath: path].take(part)
    let own = inRoom(part, path)
    var page = HelpPage("\(console.program) \(part)", part.summary, usage: part.usage)
    page.add("OPTIONS", "", own.helpRows)
    notes(&page)
    return try own.read(Array(arguments.dropFirst()), over: options, help: page, on: console)
  }

  /// The same options for a program in a room, and the room.
  private func inRoom(_ part: RoomChoice.Part, _ path: WritableKeyPath<Options, PeerOptions>) -> Self {
    let name = Option.value(
      "--name", "NAME", path.appending(path: \.name),
      help: "your name, 1 to 63 bytes; everyone in the room sees it (the name of this machine)")
    let code = Option.optional(
      "--code", "CODE", path.appending(path: \.room.code), help: "the code of the room, typed in whatever way")
    return Self(
      [name] + (part == .join ? [code] : []) + options.filter { !Self.decided.contains($0.name) },
      operands: [.word("ROOM", path.appending(path: \.room.name))])
  }
}
