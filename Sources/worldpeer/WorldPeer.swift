import PeerCLI
import SharedWorld

/// Starts a peer as the command line says and gives the exit status.
enum WorldPeer {
  static func run(arguments: [String]) async -> ExitCode {
    if arguments.first == TrustTool.name { return TrustTool.run(Array(arguments.dropFirst())) }
    if arguments.first == DoctorTool.name { return await DoctorTool.run(Array(arguments.dropFirst())) }
    let format: Console.Format = arguments.contains(Console.Format.option) ? .events : .text
    var options: Options
    let commands: CommandSource
    let room = arguments.first.flatMap(RoomChoice.Part.init(rawValue:))
    let console = Console("worldpeer", command: room?.rawValue, format)
    if arguments.isEmpty {
      console.write(Options.introduction)
      return console.checked(.done)
    }
    do throws(Finished) {
      options = try Options.read(arguments, on: console)
    } catch {
      return error.status
    }
    do {
      if let script = options.script { commands = try CommandSource(script: script) } else { commands = .standardInput }
      options.peer = try options.peer.withCode(console)
    } catch {
      return console.end(error)
    }
    guard case .standardInput = commands, format == .text, !options.isPlain,
      let terminal = Terminal(name: options.peer.name)
    else { return await run(options, commands, Console("worldpeer", format, isScripted: commands.isScript)) }
    return await run(options, .terminal(terminal), Console("worldpeer", format, streams: terminal.streams))
  }

  private static func run(_ options: Options, _ commands: CommandSource, _ console: Console) async -> ExitCode {
    let desk = InvitationDesk { console.say($0) }
    let codes = CodeDesk { console.say($0) }
    return await options.peer.run(on: console, asking: desk, comparing: codes) {
      $0.storage.journal = options.journal
      $0.storage.state = options.state
      $0.hosting.authority = options.isCurated ? .curated : options.isOwned ? .creator : .host
    } _: { session, map in
      let program = Program(session, options: options, console: console, desk: desk, codes: codes)
      if let map { await program.show(map.map) }
      return await program.run(commands)
    }
  }
}
