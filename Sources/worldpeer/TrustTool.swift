import PeerCLI
import SharedWorld

/// `worldpeer trust list|add|remove`: the peers that this device has admitted.
struct TrustTool: Equatable, Sendable {
  static let name = "trust"
  static let summary = "Lists and changes the peers that this device has admitted before."

  private var identity: String?
  private var storage: String?
  private var peer = ""
  private var peerName = ""

  /// Runs a command line without the program's name and the word `trust`; gives the exit status.
  static func run(_ words: [String], streams: Streams = .standard) -> ExitCode {
    let format: Console.Format = words.contains(Console.Format.option) ? .answer : .text
    let console = Console("worldpeer", command: name, format, streams: streams)
    guard let verb = Verb(rawValue: words.first ?? "") else {
      if words.contains("--help") || words.contains("-h") {
        console.write(help.text)
        return console.checked(.done)
      }
      if words.contains(versionOption) { return console.endWithVersion() }
      let hint = suggestion(for: words.first ?? "", among: Verb.allCases.map(\.rawValue))
      return console.end(UsageError("trust needs one of list, add and remove\(hint)"))
    }
    do {
      let tool = try parser(verb).read(Array(words.dropFirst()), over: TrustTool(), help: help, on: console)
      console.say(try tool.run(verb, PinStore(beside: tool.identity ?? tool.storage)))
      return console.checked(.done)
    } catch let finished as Finished {
      return finished.status
    } catch {
      return console.end(error)
    }
  }

  private enum Verb: String, CaseIterable {
    case list, add, remove
  }

  private func run(_ verb: Verb, _ store: PinStore) throws -> Report {
    switch verb {
    case .list: break
    case .add:
      guard let id = PeerID(peer) else { throw ProgramFailure.usage("'\(peer)' is not an id of 64 hexadecimal digits") }
      try store.add(id, name: peerName)
    case .remove:
      let pins = try store.pins()
      switch Lookup.find(peer, in: pins, by: { [$0.id.description, $0.name] }) {
      case .found(let pin): try store.remove(pin.id)
      case .several(let count):
        throw ProgramFailure("ambiguous", "'\(peer)' can mean \(count) peers; give more of its id")
      case .nothing: throw ProgramFailure("unknown-peer", "no peer '\(peer)' is recorded in \(store.path)")
      }
    }
    return .pins(try store.pins())
  }

  private static func parser(_ verb: Verb) -> ArgumentParser<TrustTool> {
    let operands: [ArgumentParser<TrustTool>.Operand] =
      switch verb {
      case .list: []
      case .add: [.word("ID", \.peer), .word("NAME", \.peerName)]
      case .remove: [.word("PEER", \.peer)]
      }
    return ArgumentParser(
      [
        .optional("--identity", "DIR", \.identity, help: "the folder of the key ($XDG_STATE_HOME/sharedworld)"),
        .optional("--storage", "DIR", \.storage, help: "the folder of the program's --storage"),
        .json("print one JSON object instead of text"),
      ], operands: operands)
  }

  private static var help: HelpPage {
    var page = HelpPage(
      "worldpeer trust", summary,
      usage: "list|add ID NAME|remove PEER [OPTION]…")
    page.add("OPTIONS", "", parser(.list).helpRows)
    page.addExitCodes(negative: "remove: no such peer is recorded", hasSession: false)
    return page
  }
}

extension Report {
  /// The recorded peers.
  fileprivate static func pins(_ pins: [PinStore.Pin]) -> Report {
    Report(
      "trust",
      [
        "peers": .array(
          pins.map {
            ["peerID": .string($0.id.description), "name": .string($0.name), "day": .string($0.day.description)]
          })
      ],
      pins.isEmpty
        ? ["no peer is recorded"]
        : pins.map { "  \($0.name, .name)  \("since \($0.day)")  \(shortened($0.id.description), .faint)" })
  }
}
