/// The line that a user types, in one row of the terminal: a long one is shown around the cursor.
package struct InputRow: Equatable, Sendable {
  /// The part of the line that is shown, behind the prompt.
  package let text: String
  /// The column of the cursor, behind prompt and text before it, from 0.
  package let cursor: Int

  /// The row of a line.
  ///
  /// - Parameters:
  ///   - line: The typed line; control characters, such as those of a search in the history, are shown as blanks.
  ///   - position: Where the cursor stands in it (scalars, from 0).
  ///   - prompt: The columns of the prompt before it.
  ///   - columns: Those of the terminal; the last one stays free, so that no terminal wraps.
  package init(_ line: [Unicode.Scalar], position: Int, behind prompt: Int, columns: Int) {
    let shown = line.map { $0.properties.generalCategory == .control ? " " : $0 }
    let room = max(2, columns - prompt - 1)
    let position = min(max(0, position), shown.count)
    // Room for the scalar under the cursor, which may be wide.
    var first = position
    var used = 2
    while first > 0, used + TextWidth.of(shown[first - 1]) <= room {
      first -= 1
      used += TextWidth.of(shown[first])
    }
    var visible = String.UnicodeScalarView()
    visible.append(contentsOf: shown[first...])
    text = TextWidth.beginning(of: String(visible), columns: room)
    cursor = prompt + shown[first..<position].reduce(0) { $0 + TextWidth.of($1) }
  }
}
