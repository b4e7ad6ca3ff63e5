import Foundation

/// One line of the report: a figure, and how it compares with a baseline of the same run.
struct Row: Codable {
  let name: String
  let value: Double
  let unit: String
  /// What the baseline is.
  let baseline: String
  /// What the baseline reached, in the same unit.
  let baselineValue: Double
  /// The value divided by the baseline's.
  let ratio: Double

  init(name: String, value: Double, unit: String, baseline: String, baselineValue: Double, ratio: Double) {
    (self.name, self.value, self.unit) = (name, value, unit)
    (self.baseline, self.baselineValue, self.ratio) = (baseline, baselineValue, ratio)
  }

  /// A figure whose baseline cannot be run here.
  init(name: String, value: Double, unit: String, missing library: String) {
    self.init(
      name: name, value: value, unit: unit, baseline: "\(library), \(PeerLibrary.advice)", baselineValue: .nan,
      ratio: .nan)
  }

  static let heading = line("name", "value", "unit", "ratio", "baseline")

  var line: String {
    Self.line(name, Self.figure(value), unit, Self.figure(ratio), comparison)
  }

  /// What it is compared with, and its value where it has one.
  fileprivate var comparison: String {
    baselineValue.isNaN ? baseline : "\(baseline) \(Self.figure(baselineValue))"
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
    if value.isNaN { return "" }
    return value.formatted(.number.precision(.significantDigits(1...3)).locale(Locale(identifier: "en_GB")))
  }
}

extension [Row] {
  /// Puts these rows into the page at `path`, with the commit, the day and this machine, and draws the plots anew; the other
  /// rows stay.
  func record(in path: String, commit: String) throws {
    var page = ResultsPage((try? String(contentsOfFile: path, encoding: .utf8)) ?? "")
    page.update(map { $0.onPage(commit: commit) }, on: Machine.description)
    try page.text.write(toFile: path, atomically: false, encoding: .utf8)
    let folder = URL(filePath: path).deletingLastPathComponent()
    try FileManager.default.createDirectory(
      at: folder.appending(path: ResultsPage.folder), withIntermediateDirectories: true)
    for plot in page.plots {
      try plot.svg.write(to: folder.appending(path: plot.file), atomically: false, encoding: .utf8)
    }
  }
}

extension Row {
  fileprivate func onPage(commit: String) -> ResultsPage.Row {
    ResultsPage.Row(
      name: name, value: Self.figure(value), unit: unit, ratio: Self.figure(ratio),
      baseline: comparison, commit: commit, date: Machine.day, machine: "")
  }
}

extension JSONEncoder {
  static var rows: JSONEncoder {
    let encoder = JSONEncoder()
    // A ratio to what is not installed is none.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "", negativeInfinity: "", nan: "")
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
