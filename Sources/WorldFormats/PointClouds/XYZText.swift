import WorldModel

/// Lines of x, y and z; with six whole numbers or more, the second three within 0–255 are a colour.
///
/// Numbers are separated by blanks, tabs, commas or semicolons. Lines that begin with # or / are comments, and so is
/// one line of titles before the first point. Further columns are passed over.
enum XYZText {
  /// Reads a file of at most `limit` points.
  static func read(_ bytes: [UInt8], limit: Int = Limits.points) throws(PointCloudFileError) -> CloudRows {
    var lines = TextLines(bytes)
    var words: [Range<Int>] = []
    var columns: [CloudColumn] = []
    var builder: CloudRows?
    var hasTitles = false
    while let range = lines.nextContent(commentsBeginWith: UInt8(ascii: "#")) {
      if bytes[range].starts(with: "//".utf8) { continue }
      lines.split(range, into: &words, limit: max(6, columns.count))
      if builder == nil {
        let texts = words.map { lines.text($0) }
        if !hasTitles, texts.allSatisfy({ Float($0) == nil }) {
          hasTitles = true
          continue
        }
        columns = Self.columns(of: texts)
        builder = CloudRows(columns.map(\.field), capacity: min(bytes.count / 6, limit))
      }
      guard words.count >= columns.count else {
        throw .malformed("\(columns.count) numbers are needed, there are \(words.count)", line: lines.line)
      }
      var row = CloudRows.Row()
      for (word, column) in zip(words, columns) { row.set(column, try lines.number(word, column)) }
      guard (builder?.rows ?? 0) < limit else { throw .tooManyPoints(limit: limit, at: .line(lines.line)) }
      builder?.append(row, at: lines.line)
    }
    return builder ?? CloudRows([], capacity: 0)
  }

  static func write(_ cloud: FeatureCloud) -> [UInt8] {
    let hasColors = cloud.channels.colors != nil
    let columns = CloudTable.columns(of: cloud).filter { column in
      switch column.field {
      case .x, .y, .z: true
      case .red, .green, .blue: hasColors
      case .normalX, .normalY, .normalZ, .packedColor, .confidence, .identifier, .identifierLow, .identifierHigh,
        .ignored:
        false
      }
    }
    var file: [UInt8] = []
    CloudTable.appendText(cloud, columns, to: &file)
    return file
  }

  /// The numbers of a line; nil when there are fewer than three or something else.
  static func numbers(_ line: [UInt8]) -> [Float]? {
    let lines = TextLines(line)
    var words: [Range<Int>] = []
    lines.split(0..<line.count, into: &words, limit: 6)
    let numbers = words.compactMap { Float(lines.text($0)) }
    return numbers.count == words.count && numbers.count >= 3 ? numbers : nil
  }

  /// The meaning of the columns, derived from the first line of numbers.
  private static func columns(of texts: [String]) -> [CloudColumn] {
    let position = [CloudField.x, .y, .z].map { CloudColumn(field: $0, scalar: .float32) }
    let isColor = texts.count == 6 && texts[3...].allSatisfy { UInt8($0) != nil }
    return position + (isColor ? [.red, .green, .blue].map { CloudColumn(field: $0, scalar: .uint8) } : [])
  }
}
