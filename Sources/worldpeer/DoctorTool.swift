import PeerCLI
import SharedWorld

/// `worldpeer doctor`: what may keep this device from finding others.
struct DoctorTool: Equatable, Sendable {
  static let name = "doctor"
  static let summary = "Says what may keep this device from finding others, and what to do."

  private var service = "sharedworld"

  /// Runs a command line without the program's name and the word `doctor`; gives the exit status.
  static func run(_ words: [String], streams: Streams = .standard) async -> ExitCode {
    let format: Console.Format = words.contains(Console.Format.option) ? .answer : .text
    let console = Console("worldpeer", command: name, format, streams: streams)
    do {
      let tool = try parser.read(words, over: DoctorTool(), help: help, on: console)
      let diagnosis = try await NetworkDiagnosis.run(service: tool.service)
      console.say(.diagnosis(diagnosis))
      return console.checked(diagnosis.canFindPeers ? .done : .negative)
    } catch let finished as Finished {
      return finished.status
    } catch {
      return console.end(error)
    }
  }

  private static var parser: ArgumentParser<DoctorTool> {
    ArgumentParser(
      [
        .value("--service", "NAME", \.service, help: "the service type of the peers that are looked for (sharedworld)"),
        .json("print one JSON object instead of text"),
      ], operands: [])
  }

  private static var help: HelpPage {
    var page = HelpPage(
      "worldpeer doctor", summary, usage: "[OPTION]…")
    page.add("OPTIONS", "", parser.helpRows)
    page.addExitCodes(negative: "nobody on another machine can be found", hasSession: false)
    return page
  }
}

extension Report {
  /// Everything that was looked at.
  fileprivate static func diagnosis(_ diagnosis: NetworkDiagnosis) -> Report {
    let verdict: Line =
      diagnosis.canFindPeers
      ? "\("✓", .good) peers can be found, as far as this machine can tell"
      : "\("✗", .bad) peers on other machines cannot be found"
    return Report("doctor", diagnosis.members, diagnosis.findings.flatMap(\.lines) + [verdict])
  }
}

extension NetworkDiagnosis {
  /// The members of the JSON object of a diagnosis.
  var members: JSON.Members {
    let list: [JSON] = findings.map { finding in
      [
        "subject": .string(finding.subject), "weight": .string(finding.weight.rawValue), "text": .string(finding.text),
        "advice": .optional(finding.advice),
      ]
    }
    return ["canFindPeers": .bool(canFindPeers), "findings": .array(list)]
  }
}

extension NetworkDiagnosis.Finding {
  /// The line of what was seen, and below it one of what to do.
  var lines: [Line] {
    let mark: Line =
      switch weight {
      case .good: "\("✓", .good) \(text)"
      case .doubtful: "\("!", .caution) \(text)"
      case .bad: "\("✗", .bad) \(text)"
      }
    return [mark] + (advice.map { ["    \($0, .faint)"] } ?? [])
  }
}
