package import SharedWorld

/// Asks the user whether another screen shows the same code, and brings the command that answers.
package final class CodeDesk: Sendable {
  private let report: @Sendable (Report) -> Void
  private let questions = Questions<CodeComparison, Bool>()

  /// A desk; `report` receives each code.
  package init(report: @escaping @Sendable (Report) -> Void = { _ in }) {
    self.report = report
  }

  /// The comparisons that wait for the user, oldest first.
  package var comparisons: [CodeComparison] { questions.waiting }

  /// Reports a code and waits for the user's answer; a comparison that ends is not confirmed.
  package func compare(_ comparison: CodeComparison) async -> Bool {
    await questions.ask(comparison, otherwise: false) { report(.code(comparison)) }
  }

  /// Answers the comparisons with a peer; returns whether one waited.
  @discardableResult
  package func answer(_ peer: PeerID, isSame: Bool) -> Bool { questions.answer(isSame) { $0.peer.id == peer } }
}

extension Report {
  /// Two people are to compare a code.
  static func code(_ comparison: CodeComparison) -> Report {
    let person = Person(id: comparison.peer.id.description, name: comparison.peer.name)
    let question: Line = "if \(person.name, .name) shows the same, confirm \(person.name), else reject \(person.name)"
    return Report(
      "code",
      person.members + [
        "code": .string(comparison.code), "recognition": .string(comparison.recognition.rawValue),
      ],
      ["\("?", .caution) the code is \("\(comparison)", .name): \(question)\(mark(comparison.recognition, id: person.id))"])
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
