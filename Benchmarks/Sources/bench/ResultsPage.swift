/// The page of measured figures, `Benchmarks/RESULTS.md`: one plot for each subject, with the tables of its rows folded
/// below, and what each row was measured on.
///
/// The page is its own store: a run replaces the rows that it measured and leaves the text of all others as it is. This file
/// imports nothing, so that TidyTests compile it too and check the page of the repository.
struct ResultsPage: Equatable {
  /// One figure, as the cells of its line.
  struct Row: Equatable {
    /// The row's name; the part before the first slash is its group.
    var name: String
    var value: String
    var unit: String
    /// The value divided by the baseline's, or nothing.
    var ratio: String
    /// What the baseline is, and its value in the same unit.
    var baseline: String
    /// The commit that was measured, with a plus sign where the working tree had other changes.
    var commit: String
    /// The day of the run (UTC), such as `2026-11-21`.
    var date: String
    /// The letter of the machine.
    var machine: String

    var group: String { String(name.prefix { $0 != "/" }) }
    var cells: [String] { [name, value, unit, ratio, baseline, commit, date, machine] }
  }

  /// The machines, in the order of their letters.
  private(set) var machines: [String] = []
  /// In the order of their names.
  private(set) var rows: [Row] = []
  /// Everything from ``earlierHeading`` on, which no run writes.
  private(set) var earlier = ""

  /// Where the plots are.
  static let folder = "Plots"
  static let earlierHeading = "## Earlier figures"
  private static let machinesHeading = "## Machines"
  private static let columns = ["row", "value", "unit", "ratio", "of the baseline", "commit", "date", "machine"]

  /// Reads a page; lines that are neither a row nor a machine are not kept.
  init(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let end = lines.firstIndex { $0 == Self.earlierHeading } ?? lines.endIndex
    earlier = lines[end...].joined(separator: "\n")
    for line in lines[..<end] where line.hasPrefix("| ") {
      let cells = Self.cells(of: line)
      if cells.count == 2, cells[0].count == 1 { machines.append(cells[1]) }
      guard cells.count == Self.columns.count, cells != Self.columns else { continue }
      rows.append(
        Row(
          name: cells[0], value: cells[1], unit: cells[2], ratio: cells[3], baseline: cells[4], commit: cells[5],
          date: cells[6], machine: cells[7]))
    }
    rows.sort { Self.precedes($0.name, $1.name) }
  }

  /// The words for a machine by its letter.
  func machine(_ letter: String) -> String? {
    machines.indices.first { Self.letter($0) == letter }.map { machines[$0] }
  }

  /// The plots of the page by their file names beside it, each as the picture that its rows make.
  var plots: [(file: String, svg: String)] {
    subjects.map { ("\(Self.folder)/\($0.name).svg", ResultsPlot($0, of: self).svg) }
  }

  private var subjects: [ResultsSubject] {
    var groups: [String] = []
    for row in rows where groups.last != row.group { groups.append(row.group) }
    return ResultsSubject.covering(groups)
  }

  /// Puts rows measured on `machine` in the place of those of the same names; their own letters do not matter.
  mutating func update(_ measured: [Row], on machine: String) {
    if !machines.contains(machine) { machines.append(machine) }
    let names = Set(measured.map(\.name))
    rows.removeAll { names.contains($0.name) }
    let letter = Self.letter(machines.firstIndex(of: machine) ?? 0)
    for var row in measured {
      row.machine = letter
      rows.append(row)
    }
    rows.sort { Self.precedes($0.name, $1.name) }
  }

  /// The page: the same rows give the same text, whatever order they were measured in.
  var text: String {
    var lines = [
      "# Results", "",
      "Each plot shows our figures beside those of others on the same machine in the same run: a green point is better",
      "than its baseline, an orange one is behind it. Figures without a baseline are bars. The tables are folded below the",
      "plots, with every figure.", "",
      "This page and its plots are generated: `make bench` writes the rows that it measures, `make bench FILTER=name` only",
      "those, with the commit, the day and the machine. A plus sign behind a commit means that the working tree had other",
      "changes. The ratio is the row's value to its baseline's in the same run; it holds on a busy machine better than the",
      "value does. Do not edit anything above *Earlier figures*.",
    ]
    for subject in subjects { lines += section(of: subject) }
    lines += ["", Self.machinesHeading, "", "| machine | |", "|---|---|"]
    for (index, machine) in machines.enumerated() { lines.append("| \(Self.letter(index)) | \(machine) |") }
    lines += ["", earlier]
    while lines.last == "" { lines.removeLast() }
    return lines.joined(separator: "\n") + (earlier.hasSuffix("\n") ? "" : "\n")
  }

  /// A subject: its plot, and the tables of its groups.
  private func section(of subject: ResultsSubject) -> [String] {
    let (compared, behind) = ResultsPlot(subject, of: self).counts
    let groups = subject.groups.map { group in rows.filter { $0.group == group } }.filter { !$0.isEmpty }
    var lines = ["", "## \(subject.title)", "", "![\(subject.title)](\(Self.folder)/\(subject.name).svg)", ""]
    if compared > 0 { lines += ["Behind the baseline: \(behind) of \(compared) lines.", ""] }
    lines += ["<details>", "<summary>The \(groups.joined().count) rows</summary>"]
    for group in groups {
      lines += [
        "", "### \(group[0].group)", "", Self.line(Self.columns), "|" + Self.columns.map { _ in "---|" }.joined(),
      ]
      lines += group.map { Self.line($0.cells) }
    }
    return lines + ["", "</details>"]
  }

  private static func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }

  /// The cells of a line of a table, without the blanks around them.
  private static func cells(of line: Substring) -> [String] {
    line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false).map { cell in
      String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
  }

  /// `A` for the first machine; after `Z` letters would be needed that no project comes to.
  private static func letter(_ index: Int) -> String {
    String(Character(UnicodeScalar(UInt8(ascii: "A") + UInt8(min(index, 25)))))
  }

  /// Orders names by their parts, numbers by their values: `growth/8` before `growth/16`.
  private static func precedes(_ left: String, _ right: String) -> Bool {
    let (one, other) = (left.split(separator: "/"), right.split(separator: "/"))
    for (part, otherPart) in zip(one, other) where part != otherPart {
      if let number = Int(part), let otherNumber = Int(otherPart) { return number < otherNumber }
      return part < otherPart
    }
    return one.count < other.count
  }
}
