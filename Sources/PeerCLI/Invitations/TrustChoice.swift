package import SharedWorld

/// The values of `--trust`: which keys a program admits, besides what `--accept` and its user say.
package enum TrustChoice: String, CaseIterable, Sendable {
  /// Any, and none is recorded.
  case any
  /// Any; those that were never admitted before are marked, and recorded when they join.
  case firstUse = "first-use"
  /// Those that are recorded.
  case pinned
  /// Those that are recorded, and those whose code the user has compared.
  case code

  /// The policy of the library for this choice, with the peers that are recorded in `store`.
  ///
  /// - Throws: ``SessionError`` when the store cannot be read.
  package func policy(_ store: @autoclosure () throws(SessionError) -> PinStore) throws(SessionError) -> TrustPolicy {
    switch self {
    case .any: .anyone
    case .firstUse: .firstUse(try store())
    case .pinned: .pinned(Set(try store().pins().map(\.id)))
    case .code: .code(try store())
    }
  }
}

extension Report {
  /// The mark of a key that is not known, with eight digits of it, for the end of a line; nothing for one that is known.
  ///
  /// - Parameter id: The key in hexadecimal; nil where the line has it already.
  package static func mark(_ recognition: Recognition, id: String?) -> Line {
    let digits = id.map { ": \(shortened($0))" } ?? ""
    return switch recognition {
    case .neverSeen: "  \("never seen before\(digits)", .caution)"
    case .newDevice: "  \("a known name with a new key\(digits)", .bad)"
    case .refused: "  \("not admitted by this peer\(digits)", .bad)"
    case .untracked, .known: ""
    }
  }

  /// A peer has the name of a known one and another key; `isTold` says that people have read so.
  package static func newDevice(_ person: Person, known: String, isTold: Bool) -> Report {
    let keys: Line = "has the key \(shortened(person.id)), not the known one \(shortened(known))"
    let line: Line = "\("!", .bad) \(person.name, .name) \(keys): a new device, or somebody who took the name"
    return Report("new-device", person.members + ["known": .string(known)], isTold ? [] : [line])
  }

  /// Two people are to compare a code.
  static func code(_ comparison: CodeComparison) -> Report {
    let person = Person(comparison.peer)
    let question: Line = "if \(person.name, .name) shows the same, confirm \(person.name), else reject \(person.name)"
    return Report(
      "code",
      person.members + [
        "code": .string(comparison.code), "recognition": .string(comparison.recognition.rawValue),
      ],
      [
        "\("?", .caution) the code is \("\(comparison)", .name): \(question)\(mark(comparison.recognition, id: person.id))"
      ])
  }

  /// A comparison has ended.
  package static func codeEnded(_ person: Person, isConfirmed: Bool) -> Report {
    Report(
      "code-ended", person.members + ["confirmed": .bool(isConfirmed)],
      [
        isConfirmed
          ? "\("✓", .good) both have confirmed the code of \(person.name, .name)"
          : "\("✗", .caution) the code of \(person.name, .name) was not confirmed"
      ])
  }
}
