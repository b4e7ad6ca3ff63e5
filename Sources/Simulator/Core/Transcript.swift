package import Basics

/// The readable record of a simulation: one line an event, byte for byte the same for the same seed.
package struct Transcript: Sendable {
  /// Whether lines are kept; a long soak only needs them on failure and runs that seed again.
  package let isOn: Bool
  /// The lines so far.
  package private(set) var lines: [String] = []

  package init(isOn: Bool) {
    self.isOn = isOn
  }

  /// Adds a line; the text is made only if it is kept.
  package mutating func add(at now: Instant, _ text: @autoclosure () -> String) {
    if isOn { lines.append("\(now) \(text())") }
  }

  /// All lines, each with its end.
  package var text: String { lines.map { $0 + "\n" }.joined() }
}
