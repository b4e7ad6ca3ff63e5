/// Walks through the lines of a text and the words of a line without copying.
struct TextLines {
  private let bytes: [UInt8]
  /// Where the next line begins (bytes).
  private(set) var offset: Int
  /// The number of the line returned last, counted from 1.
  private(set) var line: Int

  /// The byte order mark that some programs put before UTF-8.
  static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

  /// Starts at `offset`, which is the beginning of line `line`; a byte order mark at the beginning is passed over.
  init(_ bytes: [UInt8], offset: Int = 0, line: Int = 1) {
    self.bytes = bytes
    self.offset = offset == 0 && bytes.starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : offset
    self.line = line - 1
  }

  /// The bytes of the next line without its end (LF, CR or CR LF); nil at the end of the text.
  mutating func next() -> Range<Int>? {
    guard offset < bytes.count else { return nil }
    line += 1
    let start = offset
    while offset < bytes.count, bytes[offset] != 10, bytes[offset] != 13 { offset += 1 }
    let end = offset
    if offset < bytes.count {
      offset += bytes[offset] == 13 && offset + 1 < bytes.count && bytes[offset + 1] == 10 ? 2 : 1
    }
    return start..<end
  }

  /// The next line that is neither blank nor a comment.
  mutating func nextContent(commentsBeginWith mark: UInt8) -> Range<Int>? {
    while let range = next() {
      guard let first = range.first(where: { !Self.isSeparator(bytes[$0]) }) else { continue }
      if bytes[first] != mark { return range }
    }
    return nil
  }

  /// A line as text.
  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// The words of a line, at most `limit`, into `words`.
  func split(_ range: Range<Int>, into words: inout [Range<Int>], limit: Int = .max) {
    words.removeAll(keepingCapacity: true)
    var start = range.lowerBound
    while start < range.upperBound, words.count < limit {
      while start < range.upperBound, Self.isSeparator(bytes[start]) { start += 1 }
      var end = start
      while end < range.upperBound, !Self.isSeparator(bytes[end]) { end += 1 }
      if end > start { words.append(start..<end) }
      start = end
    }
  }

  /// Space, tab, comma and semicolon.
  private static func isSeparator(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 44 || byte == 59 }
}

extension TextLines {
  /// Reads `count` lines of numbers in `columns` into `builder`; what follows them is left alone.
  mutating func read(
    _ count: Int, columns: [CloudColumn], into builder: inout CloudRows
  ) throws(PointCloudFileError) {
    var words: [Range<Int>] = []
    for found in 0..<count {
      guard let range = nextContent(commentsBeginWith: UInt8(ascii: "#")) else {
        throw .truncated(found: found, expected: count, offset: bytes.count)
      }
      split(range, into: &words, limit: columns.count)
      guard words.count == columns.count else {
        throw .malformed("\(columns.count) numbers are needed, there are \(words.count)", line: line)
      }
      var row = CloudRows.Row()
      for (word, column) in zip(words, columns) where column.field != .ignored {
        row.set(column, try number(word, column))
      }
      builder.append(row, at: line)
    }
  }

  /// The number that a word says.
  func number(_ word: Range<Int>, _ column: CloudColumn) throws(PointCloudFileError) -> CloudNumber {
    let text = text(word)
    guard let number = CloudNumber(text, column.scalar) else {
      throw .malformed("\"\(text.prefix(40))\" is no number", line: line)
    }
    guard number.isWhole || !column.field.isIdentifier else {
      throw .malformed("an identifier is a whole number, not \"\(text.prefix(40))\"", line: line)
    }
    return number
  }
}
