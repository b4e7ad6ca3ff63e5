import WorldModel

/// The header of a Point Cloud Data file, version 0.5 to 0.7.
struct PCDHeader {
  enum Encoding: String {
    case ascii, binary
    case compressed = "binary_compressed"
  }

  private(set) var columns: [CloudColumn] = []
  private(set) var count = 0
  private(set) var encoding = Encoding.ascii
  /// Where the data begin (bytes), and in which line.
  private(set) var end = (offset: 0, line: 0)

  /// A line of the header without its keyword.
  private struct Entry {
    var words: [String]
    var line: Int
  }

  /// The most columns a file may have; descriptors of the Point Cloud Library have some hundreds.
  private static let mostColumns = 4_096

  /// Reads the header, at most 100 lines of it.
  init(_ bytes: [UInt8]) throws(PointCloudFileError) {
    var lines = TextLines(bytes)
    var entries: [String: Entry] = [:]
    while lines.line < 100, let range = lines.nextContent(commentsBeginWith: UInt8(ascii: "#")), range.count <= 100_000
    {
      var words = lines.text(range).split(separator: " ").map(String.init)
      let keyword = words.removeFirst()
      entries[keyword] = Entry(words: words, line: lines.line)
      guard keyword == "DATA" else { continue }
      guard let encoding = words.first.flatMap(Encoding.init) else {
        throw .malformed("the encoding of the data is not known", line: lines.line)
      }
      self.encoding = encoding
      end = (lines.offset, lines.line + 1)
      try setColumns(entries, lines.line)
      try setCount(entries, lines.line)
      return
    }
    throw .malformed("the header does not end with DATA", line: max(lines.line, 1))
  }

  private mutating func setColumns(_ entries: [String: Entry], _ line: Int) throws(PointCloudFileError) {
    guard let fields = (entries["FIELDS"] ?? entries["COLUMNS"])?.words, let sizes = entries["SIZE"]?.words,
      let types = entries["TYPE"]?.words, sizes.count == fields.count, types.count == fields.count
    else { throw .malformed("FIELDS, SIZE and TYPE do not fit together", line: line) }
    let typeLine = entries["TYPE"]?.line ?? line
    let repeats = entries["COUNT"]?.words ?? fields.map { _ in "1" }
    let repeatLine = entries["COUNT"]?.line ?? line
    guard repeats.count == fields.count else { throw .malformed("COUNT does not fit FIELDS", line: repeatLine) }
    for index in fields.indices {
      guard let scalar = Self.scalar(types[index], sizes[index]) else {
        throw .malformed("a field of type \(types[index]) and size \(sizes[index]) is not known", line: typeLine)
      }
      guard let times = Int(repeats[index]), (1...Self.mostColumns).contains(times),
        columns.count + times <= Self.mostColumns
      else { throw .malformed("COUNT is not understood", line: repeatLine) }
      let field = times == 1 ? CloudField(named: fields[index], scalar) : .ignored
      columns += [CloudColumn](repeating: CloudColumn(field: field, scalar: scalar), count: times)
    }
    guard Set(columns.map(\.field)).isSuperset(of: [.x, .y, .z]) else {
      throw .malformed("the points have no x, y and z", line: line)
    }
  }

  private mutating func setCount(_ entries: [String: Entry], _ line: Int) throws(PointCloudFileError) {
    let sides = ["WIDTH", "HEIGHT"].compactMap { entries[$0]?.words.first.flatMap { Int($0) } }
    let points = entries["POINTS"]?.words.first.flatMap { Int($0) }
    let area = sides.count == 2 ? sides[0].multipliedReportingOverflow(by: sides[1]) : nil
    guard let count = points ?? area?.partialValue, count >= 0, area?.overflow != true else {
      throw .malformed("the number of points is missing", line: line)
    }
    guard count <= Limits.points else {
      throw .tooManyPoints(limit: Limits.points, at: .line((entries["POINTS"] ?? entries["HEIGHT"])?.line ?? line))
    }
    self.count = count
  }

  private static func scalar(_ type: String, _ size: String) -> CloudScalar? {
    switch type + size {
    case "I1": .int8
    case "I2": .int16
    case "I4": .int32
    case "I8": .int64
    case "U1": .uint8
    case "U2": .uint16
    case "U4": .uint32
    case "U8": .uint64
    case "F4": .float32
    case "F8": .float64
    default: nil
    }
  }
}
