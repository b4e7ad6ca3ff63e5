import Foundation
import SharedWorld
import WorldPeerKit

/// Starts a peer as the command line says and gives the exit status.
enum WorldPeer {
  /// The exit statuses; `Options.help` explains them.
  enum Status {
    static let done: Int32 = 0
    static let failed: Int32 = 1
    static let usage: Int32 = 2
    static let session: Int32 = 3
    /// What shells add the number of a signal to.
    static let signalled: Int32 = 128
  }

  static func run(arguments: [String]) async -> Int32 {
    do {
      guard let options = try Options(arguments: arguments) else {
        print(Options.help, terminator: "")
        return Status.done
      }
      return await run(options)
    } catch {
      complain("worldpeer: \(error)\nTry: worldpeer --help")
      return Status.usage
    }
  }

  private static func run(_ options: Options) async -> Int32 {
    // A reader of our output that goes away must not kill us: the session is to be left politely.
    signal(SIGPIPE, SIG_IGN)
    let console = Console(json: options.json, isScripted: options.script != nil)
    do {
      let commands = try options.script.map(CommandSource.init(script:)) ?? CommandSource.standardInput
      let map = try options.map.map(WorldMap.init(contentsOfFile:))
      let identity = try PeerIdentity.loadOrCreate(named: options.name, in: options.identity)
      let desk = InvitationDesk(policy: options.accept, console: console)
      return try await Session.withSession(as: identity, configuration: options.configuration(asking: desk)) {
        let program = Program($0, options: options, console: console, desk: desk)
        if let map { await program.show(map) }
        return await program.run(commands)
      }
    } catch {
      console.say(Failure(error), during: nil)
      return Status.session
    }
  }

  /// Writes a line to standard error.
  static func complain(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
  }
}

extension Options {
  /// The session that this command line asks for.
  func configuration(asking desk: InvitationDesk) -> Session.Configuration {
    var configuration = Session.Configuration(service: service)
    configuration.discovery = discovery
    if let listen { configuration.listen = listen }
    configuration.journal = journal
    configuration.state = state
    // A user who types a name on the command line wants to be found by it.
    configuration.advertisesName = true
    configuration.invitationHandler = { await desk.decide($0) }
    return configuration
  }
}

/// Why a command was not carried out: a code for scripts and a sentence for people.
struct Failure: Error {
  let code: String
  let message: String

  init(_ code: String, _ message: String) {
    self.code = code
    self.message = message
  }

  /// What is known of any error.
  init(_ error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let error as SessionError: self.init("\(error.code)", error.message)
    case let error as UsageError: self.init("bad-command", error.description)
    default: self.init("io", "\(error)")
    }
  }
}
