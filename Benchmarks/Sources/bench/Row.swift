import Foundation

/// One line of the report: a figure, and how it compares with a baseline of the same run.
struct Row: Encodable {
  let name: String
  let value: Double
  let unit: String
  /// What the baseline is.
  let baseline: String
  /// What the baseline reached, in the same unit.
  let baselineValue: Double
  /// The value divided by the baseline's.
  let ratio: Double

  static let heading = line("name", "value", "unit", "ratio", "baseline")

  var line: String {
    Self.line(name, Self.figure(value), unit, Self.figure(ratio), "\(baseline) \(Self.figure(baselineValue))")
  }

  private static func line(_ name: String, _ value: String, _ unit: String, _ ratio: String, _ baseline: String)
    -> String
  {
    "\(pad(name, 34)) \(pad(value, 14, left: true))  \(pad(unit, 16)) \(pad(ratio, 10, left: true))  of \(baseline)"
  }

  private static func pad(_ text: String, _ width: Int, left: Bool = false) -> String {
    let blanks = String(repeating: " ", count: max(0, width - text.count))
    return left ? blanks + text : text + blanks
  }

  /// Three significant digits.
  private static func figure(_ value: Double) -> String {
    value.formatted(.number.precision(.significantDigits(1...3)).locale(Locale(identifier: "en_GB")))
  }
}

extension [Row] {
  /// Puts these rows into the page at `path`, with the commit, the day and this machine; the other rows stay.
  func record(in path: String, commit: String) throws {
    var page = ResultsPage((try? String(contentsOfFile: path, encoding: .utf8)) ?? "")
    page.update(map { $0.onPage(commit: commit) }, on: Machine.description)
    try page.text.write(toFile: path, atomically: false, encoding: .utf8)
  }
}

extension Row {
  fileprivate func onPage(commit: String) -> ResultsPage.Row {
    ResultsPage.Row(
      name: name, value: Self.figure(value), unit: unit, ratio: Self.figure(ratio),
      baseline: "\(baseline) \(Self.figure(baselineValue))", commit: commit, date: Machine.day, machine: "")
  }
}

extension JSONEncoder {
  static var rows: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
