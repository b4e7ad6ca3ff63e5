import Foundation

/// The plot of a subject: each figure beside its baseline, as a picture (SVG) that is made of the rows alone.
///
/// A figure and its baseline have many units, so that their ratio is drawn: a point to the right of the line is better
/// than the baseline by so many times, one to the left is worse. Figures without a baseline are bars beside those of
/// their group. Where a group has many rows, those that differ in the last parts of their names alone are one line, from
/// the worst to the best.
struct ResultsPlot {
  typealias Row = ResultsPage.Row

  /// A line of the plot.
  struct Line: Equatable {
    let label: String
    /// What stands beside it: the figure and its baseline, or the range of several.
    let text: String
    /// How many times as good as the baseline, in ascending order; none without a baseline.
    let advantages: [Double]
    /// The figures, in ascending order.
    let values: [Double]

    /// Whether its middle is worse than the baseline.
    var isBehind: Bool { advantages.isEmpty ? false : advantages[advantages.count / 2] < 1 }
  }

  let subject: ResultsSubject
  /// Those of its groups, in the order of these.
  let groups: [(name: String, unit: String, lines: [Line])]
  /// The machines and days of the rows.
  let foot: [String]

  /// Rows of a group beyond which several are one line.
  private static let most = 13

  init(_ subject: ResultsSubject, of page: ResultsPage) {
    self.subject = subject
    let rows = subject.groups.map { group in page.rows.filter { $0.group == group } }.filter { !$0.isEmpty }
    groups = rows.map { ($0[0].group, $0[0].unit, Self.lines(of: $0)) }
    let all = rows.flatMap(\.self)
    foot = Set(all.map(\.machine)).sorted().map { letter in
      let days = Set(all.filter { $0.machine == letter }.map(\.date)).sorted()
      let words = page.machine(letter).map { ": \($0)" } ?? ""
      return "machine \(letter)\(words); \(days.first ?? "")\(days.count > 1 ? " to \(days.last ?? "")" : "")"
    }
  }

  // MARK: Figures

  /// Whether more of a unit is better: of what is done in a second, but not of what is used in one.
  static func isMoreBetter(_ unit: String) -> Bool { unit.contains("/s") && unit != "bytes/s" }

  private static func number(_ text: String) -> Double? { Double(text.filter { $0 != "," }) }

  private static func advantage(_ row: Row) -> Double? {
    guard let ratio = number(row.ratio), ratio > 0 else { return nil }
    return isMoreBetter(row.unit) ? ratio : 1 / ratio
  }

  static func lines(of rows: [Row]) -> [Line] {
    var (keys, members): ([String], [String: [Row]]) = ([], [:])
    for row in rows {
      let parts = row.name.split(separator: "/")
      let key = rows.count > most ? parts.prefix(2).joined(separator: "/") : row.name
      if members[key] == nil { keys.append(key) }
      members[key, default: []].append(row)
    }
    return keys.map { key in
      let rows = members[key] ?? []
      let label = key.contains("/") ? String(key.drop { $0 != "/" }.dropFirst()) : key
      return Line(
        label: label, text: text(of: rows), advantages: rows.compactMap(advantage).sorted(),
        values: rows.compactMap { number($0.value) }.sorted())
    }
  }

  private static func text(of rows: [Row]) -> String {
    let shown = rows.compactMap(advantage).sorted()
    if rows.count == 1, !rows[0].value.isEmpty {
      return shown.isEmpty ? rows[0].value : "\(rows[0].value); \(rows[0].baseline)"
    }
    if let worst = shown.first, let best = shown.last {
      let range = worst == best ? times(best) : "\(times(worst)) to \(times(best))"
      return "\(range) as good as \(name(ofBaseline: rows[0].baseline))"
    }
    let values = rows.sorted { (number($0.value) ?? 0) < (number($1.value) ?? 0) }
    return "\(values[0].value) to \(values[values.count - 1].value)"
  }

  /// A baseline without its figure, which is the last word.
  private static func name(ofBaseline text: String) -> String {
    let words = text.split(separator: " ")
    guard let last = words.last, let figure = number(String(last)), figure >= 0 else { return text }
    return words.dropLast().joined(separator: " ")
  }

  private static func times(_ value: Double) -> String {
    "\(value.formatted(.number.precision(.significantDigits(1...2)).locale(Locale(identifier: "en_GB"))))×"
  }

  /// How many lines have a baseline, and how many of them are behind it.
  var counts: (compared: Int, behind: Int) {
    let compared = groups.flatMap(\.lines).filter { !$0.advantages.isEmpty }
    return (compared.count, compared.count { $0.isBehind })
  }

  // MARK: Drawing

  static let (left, right, width, step) = (250.0, 620.0, 1100.0, 18.0)
  private static let (ahead, behind, plain) = ("#1a7f37", "#bc4c00", "#57606a")

  /// The bounds of the ratios: powers of ten, the line of the baseline between them.
  private var bounds: (low: Double, high: Double) {
    let shown = groups.flatMap(\.lines).flatMap(\.advantages)
    return (min(-1, log10(shown.min() ?? 1).rounded(.down)), max(1, log10(shown.max() ?? 1).rounded(.up)))
  }

  /// Where a ratio is drawn.
  func place(of advantage: Double) -> Double {
    let (low, high) = bounds
    return Self.left + (log10(advantage) - low) / (high - low) * (Self.right - Self.left)
  }

  /// The picture.
  var svg: String {
    var drawn: [String] = []
    var y = 56.0
    let top = y
    for group in groups {
      y += 24
      drawn.append(Self.text(16, y, "\(group.name) (\(group.unit))", style: "font-weight:600"))
      let largest = group.lines.flatMap(\.values).max() ?? 1
      for line in group.lines {
        y += Self.step
        drawn += draw(line, at: y, largest: largest)
      }
    }
    let end = y + 8
    let height = end + 24 + Double(foot.count) * 16
    let notes = foot.enumerated().map {
      Self.text(16, end + 20 + Double($0.offset) * 16, $0.element, style: "font-size:11px;fill:\(Self.plain)")
    }
    let (across, down) = (Self.short(Self.width), Self.short(height))
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(across)" height="\(down)" viewBox="0 0 \(across) \(down)" \
      role="img" font-family="system-ui, sans-serif" font-size="12" fill="#1f2328">
      <title>\(Self.escaped(subject.title))</title>
      <rect width="100%" height="100%" fill="#ffffff"/>
      \(Self.text(16, 24, subject.title, style: "font-size:16px;font-weight:600"))
      \(([scale(from: top, to: end)] + drawn + notes).joined(separator: "\n"))
      </svg>

      """
  }

  private func draw(_ line: Line, at y: Double, largest: Double) -> [String] {
    let words = [Self.text(24, y, line.label), Self.text(Self.right + 16, y, line.text)]
    if let worst = line.advantages.first, let best = line.advantages.last {
      let color = line.isBehind ? Self.behind : Self.ahead
      let middle = line.advantages[line.advantages.count / 2]
      let (from, to) = (Self.short(place(of: worst)), Self.short(place(of: best)))
      return words + [
        "<path d=\"M\(from) \(Self.short(y - 4))H\(to)\" stroke=\"\(color)\" stroke-width=\"3\"/>",
        "<circle cx=\"\(Self.short(place(of: middle)))\" cy=\"\(Self.short(y - 4))\" r=\"5\" fill=\"\(color)\"/>",
      ]
    }
    guard let value = line.values.last, largest > 0 else { return words }
    let length = Self.short(value / largest * (Self.right - Self.left))
    let place = "x=\"\(Self.short(Self.left))\" y=\"\(Self.short(y - 10))\""
    return words + [
      "<rect \(place) width=\"\(length)\" height=\"11\" fill=\"\(Self.plain)\"/>"
    ]
  }

  /// The powers of ten, and the line of the baseline; nothing where there is no baseline.
  private func scale(from top: Double, to bottom: Double) -> String {
    guard counts.compared > 0 else { return "" }
    let (low, high) = bounds
    let lines = stride(from: low, through: high, by: 1).map { power in
      let x = Self.short(place(of: pow(10, power)))
      let stroke = power == 0 ? "stroke=\"#1f2328\"" : "stroke=\"#d0d7de\""
      let name =
        power == 0
        ? "baseline" : "\(Int(pow(10, abs(power))))× \(power < 0 ? "worse" : "better")"
      return "<path d=\"M\(x) \(Self.short(top))V\(Self.short(bottom))\" \(stroke)/>"
        + "<text x=\"\(x)\" y=\"\(Self.short(top - 6))\" text-anchor=\"middle\" font-size=\"11\">\(name)</text>"
    }
    return lines.joined(separator: "\n")
  }

  private static func text(_ x: Double, _ y: Double, _ words: String, style: String = "") -> String {
    let style = style.isEmpty ? "" : " style=\"\(style)\""
    return "<text x=\"\(short(x))\" y=\"\(short(y))\"\(style)>\(escaped(words))</text>"
  }

  /// Text of XML.
  static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }

  /// To a tenth, so that a picture changes with its figures alone.
  private static func short(_ value: Double) -> String {
    let tenths = (value * 10).rounded() / 10
    return tenths == tenths.rounded() ? "\(Int(tenths))" : "\(tenths)"
  }
}
