import Glibc
import SharedWorld

/// The room that a command line names by its first word: `host ROOM` or `join ROOM`.
package struct RoomChoice: Equatable, Sendable {
  /// The part of a program in a room, which is the first word of its command line.
  package enum Part: String, CaseIterable, Sendable {
    case host, join

    /// The part, in a sentence.
    package var summary: String {
      switch self {
      case .host: "Begins a room and prints its code, with which others come in."
      case .join: "Enters a room; where no --code is given, the program asks for it."
      }
    }

    /// The row of a help page that lists the first words.
    package var helpRow: HelpPage.Row { (rawValue, summary) }

    /// The operand and the options, for a help page.
    package var usage: String {
      switch self {
      case .host: "ROOM [OPTION]…"
      case .join: "ROOM|LINK [OPTION]…"
      }
    }
  }

  /// Nil for a session that is no room.
  package var part: Part?
  /// The name, or a link of somebody in the room.
  package var name = ""
  package var code: String?
}

extension PeerOptions {
  /// Takes part in a room: who proves its code is invited and accepted.
  ///
  /// The name is this machine's until another one is given.
  package mutating func take(_ part: RoomChoice.Part) {
    room.part = part
    (accept, invite, name) = (.automatic, .automatic, Self.machineName)
  }

  private static var machineName: String {
    var bytes = [UInt8](repeating: 0, count: 64)
    gethostname(&bytes, bytes.count - 1)
    return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }

  /// These options with the code of their room: a new one, which is printed, or one that the user types.
  package func withCode(_ console: Console) throws -> PeerOptions {
    var options = self
    switch room.part {
    case nil: break
    case .host:
      let code = Passcode.generatedCode()
      options.room.code = code
      // Refused before a code is told that leads nowhere.
      let name = try Session.Configuration(room: room.name, code: code).service
      console.say(.room(name, code: code, command: "\(console.program) join \(name) --code \(code)"))
    case .join where room.code == nil && (try? InvitationTarget(place: room.name))?.link?.passcode == nil:
      options.room.code = try Self.askForCode(of: room.name)
    case .join: break
    }
    return options
  }

  private static func askForCode(of room: String) throws -> String {
    guard isatty(STDIN_FILENO) == 1 else {
      throw ProgramFailure.usage("there is no terminal to ask for the code on; use --code")
    }
    Streams.write("the code of \(room): ")
    guard let code = readLine() else { throw ProgramFailure.usage("no code was typed") }
    return code
  }
}
