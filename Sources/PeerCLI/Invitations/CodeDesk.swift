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

  /// Asks no more about a comparison that is over; others with the same peer stay.
  package func withdraw(_ id: CodeComparison.ID) { questions.answer(false) { $0.id == id } }
}
