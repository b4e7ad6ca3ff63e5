import Glibc
import SharedWorld

/// The values of `--passcode`: where a passcode comes from that is in no file.
package enum PasscodeSource: String, CaseIterable, Sendable {
  /// The user types it; the terminal does not show it.
  case ask
  /// The program invents it and prints it.
  case generate
}

extension PeerOptions {
  /// The passcode that the options ask for, else that of a link, or nil; a generated one is reported on `console`.
  func readPasscode(_ console: Console) throws -> Passcode? {
    switch (passcodeFile, passcode) {
    case (nil, nil): return try connect.compactMap { $0.link?.passcode }.first.map { try Passcode($0) }
    case (_?, _?): throw ProgramFailure.usage("--passcode and --passcode-file exclude each other; give one of them")
    case (let path?, nil): return try Passcode(contentsOfFile: path)
    case (nil, .ask): return try Self.askForPasscode()
    case (nil, .generate):
      let text = Passcode.generatedText()
      console.say(.passcode(text, bits: Passcode.generatedBits))
      return try Passcode(text)
    }
  }

  private static func askForPasscode() throws -> Passcode {
    guard isatty(STDIN_FILENO) == 1, let typed = getpass("passcode: ") else {
      throw ProgramFailure.usage("there is no terminal to ask for the passcode on; use --passcode-file")
    }
    let count = strlen(typed)
    // Glibc keeps what was typed until the next call.
    defer { explicit_bzero(typed, count) }
    do throws(Passcode.Defect) {
      return try Passcode(utf8: UnsafeRawBufferPointer(start: typed, count: count))
    } catch {
      throw ProgramFailure.usage("\(error)")
    }
  }
}

extension Report {
  /// A passcode was generated.
  static func passcode(_ text: String, bits: Int) -> Report {
    let strength: Line = "\("\(bits) bits; a room accepts 20 wrong ones", .faint)"
    return Report(
      "passcode", ["passcode": .string(text), "bits": .integer(bits)],
      ["\("●", .good) the passcode is \(text, .name)  \(strength)"])
  }

  /// A room has begun, and this is how others come in.
  static func room(_ room: String, code: String, command: String) -> Report {
    Report(
      "room", ["room": .string(room), "passcode": .string(code), "command": .string(command)],
      ["\("●", .good) the code of \(room, .name) is \(code, .name)", "    on another device: \(command)"])
  }
}
