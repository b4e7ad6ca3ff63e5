/// The commands that a user typed, oldest first, and which of them are kept.
package struct CommandHistory: Equatable, Sendable {
  /// The most commands that are kept.
  package static let limit = 1_000
  /// The longest command that is kept (bytes of UTF-8).
  package static let lineLimit = 4_096
  /// The largest file that is read (bytes): each process adds its lines until a later one shortens the file.
  package static let fileLimit = 4 << 20

  package private(set) var lines: [String] = []

  /// The commands of a file, one a line; of a longer one the last.
  package init(text: String = "") {
    for line in text.split(whereSeparator: \.isNewline) { _ = add(String(line)) }
  }

  /// Adds a command; whether it is kept.
  ///
  /// One that begins with a blank, repeats the last one or may carry a passcode is not.
  package mutating func add(_ line: String) -> Bool {
    guard let first = line.unicodeScalars.first, first != " ", line != lines.last, line.utf8.count <= Self.lineLimit,
      !line.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }), !Self.hasSecret(line)
    else { return false }
    lines.append(line)
    if lines.count > Self.limit { lines.removeFirst(lines.count - Self.limit) }
    return true
  }

  /// The content of the file.
  package var text: String { lines.map { $0 + "\n" }.joined() }

  /// Whether a link in the line carries a passcode, behind the digits of the key and a dot.
  private static func hasSecret(_ line: String) -> Bool {
    line.split(whereSeparator: \.isWhitespace).contains { word in
      guard word.contains("://"), let key = word.firstIndex(of: "#") else {
        return false
      }
      return word[key...].contains(".")
    }
  }
}
