/// The text of `--help`, laid out alike in every program: what it is, its usage, then sections, within 80 columns.
package struct HelpPage {
  /// A row of a table: a form such as `--name NAME`, and what it means.
  package typealias Row = (form: String, help: String)

  private static let width = 80
  /// A longer form has a line of its own, so that one of them does not push all explanations to the right.
  private static let widestForm = 24

  package private(set) var text: String

  /// A page without sections yet.
  ///
  /// - Parameters:
  ///   - program: The name, with the command where it has commands: `worldmap info`.
  ///   - summary: The purpose, in sentences.
  ///   - usage: The arguments after the name on a command line.
  package init(_ program: String, _ summary: String, usage: String) {
    text = "usage: \(program) \(usage)\n\n" + Self.wrapped(summary, indent: 0).joined(separator: "\n") + "\n"
  }

  /// Adds a section: sentences, a table, or both.
  package mutating func add(_ title: String, _ sentences: String = "", _ rows: [Row] = []) {
    text += "\n\(title)\n"
    for line in Self.wrapped(sentences, indent: 2) where !sentences.isEmpty { text += line + "\n" }
    if !sentences.isEmpty, !rows.isEmpty { text += "\n" }
    for line in Self.table(rows) { text += line + "\n" }
  }

  /// The lines of a table: each form, and beside it, aligned, what it means.
  package static func table(_ rows: [Row]) -> [String] {
    let column = 4 + (rows.map(\.form.count).filter { $0 <= widestForm }.max() ?? 0)
    return rows.flatMap { row in
      let form = "  \(row.form)"
      let help = wrapped(row.help, indent: column)
      guard form.count + 2 <= column else { return [form] + help }
      return [form + help[0].dropFirst(form.count)] + help.dropFirst()
    }
  }

  /// The words of `text` in lines that begin with `indent` blanks and end before the last column.
  private static func wrapped(_ text: String, indent: Int) -> [String] {
    var lines = [""]
    for word in text.split(whereSeparator: \.isWhitespace) {
      let line = lines[lines.count - 1]
      if line.isEmpty || indent + line.count + 1 + word.count <= width {
        lines[lines.count - 1] = line.isEmpty ? String(word) : "\(line) \(word)"
      } else {
        lines.append(String(word))
      }
    }
    let margin = String(repeating: " ", count: indent)
    return lines.map { margin + $0 }
  }
}
