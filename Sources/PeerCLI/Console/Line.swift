import Basics

/// A line of text for a person, in runs that may have a colour.
package struct Line: Equatable, Sendable, ExpressibleByStringInterpolation {
  /// The role of a run of text, which decides its colour.
  package enum Ink: String, Sendable {
    case plain = ""
    case faint = "2"
    case name = "1"
    case good = "32"
    case caution = "33"
    case bad = "31"
    case place = "36"
  }

  private var runs: [(ink: Ink, text: String)] = []

  /// The line as text, with the escape codes of a terminal (ECMA-48 §8.3.117) when it is to have colour.
  package func text(color: Bool) -> String {
    runs.map { run in
      color && run.ink != .plain ? "\u{1b}[\(run.ink.rawValue)m\(run.text)\u{1b}[0m" : run.text
    }.joined()
  }

  /// The part of the line that fits into so many columns of a terminal.
  package func beginning(columns: Int) -> Line {
    var (line, left): (Line, Int) = ("", max(0, columns))
    for run in runs {
      let text = TextWidth.beginning(of: run.text, columns: left)
      left -= TextWidth.of(text)
      line.runs.append((run.ink, text))
      // A wide character that did not fit ends the line.
      if text.unicodeScalars.count < run.text.unicodeScalars.count { break }
    }
    return line
  }

  package static func == (left: Self, right: Self) -> Bool { left.text(color: true) == right.text(color: true) }

  package init(stringLiteral text: String) {
    runs = [(.plain, text)]
  }

  package init(stringInterpolation interpolation: StringInterpolation) {
    runs = interpolation.runs
  }

  /// Collects the runs of a line; what is put in is made safe to print.
  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var runs: [(ink: Ink, text: String)] = []

    package init(literalCapacity: Int, interpolationCount: Int) {}

    package mutating func appendLiteral(_ text: String) {
      runs.append((.plain, text))
    }

    package mutating func appendInterpolation(_ value: some CustomStringConvertible, _ ink: Ink = .plain) {
      runs.append((ink, PlainText.cleaned(value.description)))
    }

    package mutating func appendInterpolation(_ line: Line) {
      runs += line.runs
    }
  }
}
