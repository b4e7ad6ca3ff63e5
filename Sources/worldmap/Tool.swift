import PeerCLI

/// The command line as a whole.
enum Tool {
  static let program = "worldmap"

  static var commands: [any MapCommand.Type] {
    [
      Info.self, Convert.self, Verify.self, Salvage.self, Diff.self, Crop.self, Align.self, Thumbnail.self,
      Generate.self,
    ]
  }

  /// Runs a command line without the program's name; gives the exit status.
  static func run(_ words: [String], streams: Streams = .standard) -> ExitCode {
    let format: Console.Format = words.contains(Console.Format.option) ? .answer : .text
    let console = Console(program, format, streams: streams)
    // `worldmap help info` is `worldmap info --help`.
    let asksForHelp = words.first == "help"
    var words = asksForHelp ? words.dropFirst() : words[...]
    let name = words.popFirst() ?? (asksForHelp ? "--help" : nil)
    guard let name else {
      streams.error(help.text)
      return .usage
    }
    if ["--help", "-h"].contains(name) {
      console.write(help.text)
      return console.checked(.done)
    }
    if name == versionOption { return console.endWithVersion() }
    guard let command = commands.first(where: { $0.name == name }) else { return console.end(unknown(name)) }
    return run(command, asksForHelp ? ["--help"] : Array(words), format, streams)
  }

  private static func unknown(_ name: String) -> UsageError {
    guard !name.hasPrefix("-") else { return UsageError("option '\(name)' stands before the command; put it after") }
    return UsageError("unknown command '\(name)'\(suggestion(for: name, among: commands.map { $0.name }))")
  }

  private static func run<C: MapCommand>(
    _ command: C.Type, _ words: [String], _ format: Console.Format, _ streams: Streams
  ) -> ExitCode {
    let console = Console(program, command: C.name, format, streams: streams)
    let progress = Progress(console)
    defer { progress.finish() }
    do {
      let command = try C.fullParser.read(words, over: C(), help: C.help, on: console)
      var report = Report(C.name)
      let status = try command.run(progress, &report)
      progress.finish()
      console.say(report)
      return console.checked(status)
    } catch let finished as Finished {
      return finished.status
    } catch {
      progress.finish()
      return console.end(error)
    }
  }

  static var help: HelpPage {
    var page = HelpPage(
      program, "Looks at world maps and point clouds, converts, repairs and draws them.", usage: "COMMAND [OPTION]…")
    page.add("COMMANDS", "", commands.map { ($0.name, $0.summary) } + [("help COMMAND", "Explain a command.")])
    page.add("OPTIONS", "", ArgumentParser<Void>([]).helpRows)
    page.add(
      "FILES",
      "Inputs are .worldmap files, archives in which iPhones and iPads save an ARWorldMap (.arexperience), and point "
        + "clouds (PLY, PCD, COLMAP points3D, XYZ), recognised by their content. The "
        + "extension of an output chooses its format. Files are written in one step: an interrupted run leaves the old "
        + "file.")
    page.addExitCodes(negative: "diff: the maps differ; salvage: something is lost; align: not sure", hasSession: false)
    return page
  }
}
