/// The end of a terminal, which stays there: the row in which the user types, and below it a row of status.
///
/// It gives the text to write, output scrolls by above it. The cursor stands in the typed row, so that erasing from there to
/// the end of the display takes both away, also after a resize that wrapped the status.
package struct Footer: Sendable {
  private var columns: Int
  private var rows: Int
  private let prompt: String
  private var line: [Unicode.Scalar] = []
  private var position = 0
  private var status: Line = ""
  private let hasColor: Bool
  /// Where the cursor stands in the row that is drawn; nil while nothing is.
  private var drawnCursor: Int?

  /// A footer that is not drawn yet; `prompt` stands before what is typed.
  package init(prompt: String, columns: Int, rows: Int, hasColor: Bool) {
    (self.prompt, self.hasColor) = (prompt, hasColor)
    (self.columns, self.rows) = (max(1, columns), max(1, rows))
  }

  /// The size of the terminal (characters).
  package var size: (columns: Int, rows: Int) { (columns, rows) }

  /// The text that shows what is typed now.
  package mutating func edited(_ line: [Unicode.Scalar], position: Int) -> String {
    (self.line, self.position) = (line, position)
    return drawnCursor == nil ? "" : drawn()
  }

  /// The text that shows another status.
  package mutating func changed(status: Line) -> String {
    guard status != self.status else { return "" }
    self.status = status
    return drawnCursor == nil ? "" : drawn()
  }

  /// The text that puts output above this footer; it ends with a line feed, or one is added.
  package mutating func printed(_ output: String) -> String {
    guard drawnCursor != nil, !output.isEmpty else { return output }
    return erased() + output + (output.hasSuffix("\n") ? "" : "\n") + drawn()
  }

  /// The text that takes the footer away.
  package mutating func erased() -> String {
    guard let cursor = drawnCursor else { return "" }
    drawnCursor = nil
    // A terminal that became narrower has wrapped the row: the cursor is as many rows further down.
    let wrapped = cursor / columns
    // CPL, then "erase to the end of the display" (ECMA-48 §8.3.14, §8.3.39).
    return (wrapped > 0 ? "\u{1b}[\(wrapped)F" : "\r") + "\u{1b}[J"
  }

  /// The text for a terminal of another size.
  package mutating func resized(columns: Int, rows: Int) -> String {
    let wasDrawn = drawnCursor != nil
    (self.columns, self.rows) = (max(1, columns), max(1, rows))
    return wasDrawn ? erased() + drawn() : ""
  }

  /// The text that draws the footer where the cursor is, at the beginning of a row, or over the one that is drawn.
  package mutating func drawn() -> String {
    let prompt = TextWidth.beginning(of: prompt, columns: max(0, columns - 4))
    let row = InputRow(line, position: position, behind: TextWidth.of(prompt), columns: columns)
    drawnCursor = row.cursor
    // Without DECAWM nothing wraps in a terminal that is narrower already than it has told us.
    var text = "\u{1b}[?7l\r\(prompt)\(row.text)\u{1b}[K"
    if rows > 3 {
      text += "\n\r" + status.beginning(columns: columns - 1).text(color: hasColor) + "\u{1b}[K\u{1b}[A"
    }
    return text + "\u{1b}[?7h\r" + (row.cursor > 0 ? "\u{1b}[\(row.cursor)C" : "")
  }
}
