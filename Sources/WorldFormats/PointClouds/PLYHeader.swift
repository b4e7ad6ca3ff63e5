import WorldModel

/// The header of a Polygon File Format file.
struct PLYHeader {
  enum Encoding: String {
    case ascii
    case littleEndian = "binary_little_endian"
    case bigEndian = "binary_big_endian"
  }

  /// A number or a list of numbers of an element.
  struct Property {
    var name: String
    var scalar: CloudScalar
    /// The type of a list's length; nil for a single number.
    var listCount: CloudScalar?
  }

  /// A table of the file.
  struct Element {
    var name: String
    var count: Int
    var properties: [Property] = []
  }

  private(set) var encoding: Encoding?
  private(set) var elements: [Element] = []
  /// Where the data begin (bytes), and in which line.
  private(set) var end = (offset: 0, line: 0)

  /// Reads the header, at most 1,000 lines of it.
  init(_ bytes: [UInt8]) throws(PointCloudFileError) {
    var lines = TextLines(bytes)
    guard let first = lines.next(), lines.text(first) == "ply" else {
      throw .malformed("a PLY file begins with \"ply\"", line: 1)
    }
    while lines.line < 1_000, let range = lines.next(), range.count <= 1_000 {
      let words = lines.text(range).split(separator: " ").map(String.init)
      switch words.first {
      case "end_header":
        end = (lines.offset, lines.line + 1)
        guard encoding != nil else { throw .malformed("the format is missing", line: lines.line) }
        return
      case "format": try setEncoding(words, lines.line)
      case "element": try addElement(words, lines.line)
      case "property": try addProperty(words, lines.line)
      case nil, "comment", "obj_info": break
      default: throw .malformed("a PLY header has no \"\(lines.text(range).prefix(40))\"", line: lines.line)
      }
    }
    throw .malformed("the header does not end", line: lines.line)
  }

  private mutating func setEncoding(_ words: [String], _ line: Int) throws(PointCloudFileError) {
    guard words.count == 3, words[2] == "1.0", let encoding = Encoding(rawValue: words[1]) else {
      throw .malformed("the format is not known", line: line)
    }
    self.encoding = encoding
  }

  private mutating func addElement(_ words: [String], _ line: Int) throws(PointCloudFileError) {
    guard words.count == 3, let count = Int(words[2]), count >= 0 else {
      throw .malformed("an element needs a name and a count", line: line)
    }
    guard words[1] != "vertex" || count <= Limits.points else {
      throw .tooManyPoints(limit: Limits.points, at: .line(line))
    }
    elements.append(Element(name: words[1], count: count))
  }

  private mutating func addProperty(_ words: [String], _ line: Int) throws(PointCloudFileError) {
    let isList = words.count == 5 && words[1] == "list"
    guard !elements.isEmpty, isList || words.count == 3, let scalar = Self.scalar(words[words.count - 2]) else {
      throw .malformed("the property is not understood", line: line)
    }
    var property = Property(name: words[words.count - 1], scalar: scalar)
    if isList {
      guard let count = Self.scalar(words[2]), !count.isReal else {
        throw .malformed("the length of a list must be an integer", line: line)
      }
      property.listCount = count
    }
    elements[elements.count - 1].properties.append(property)
  }

  /// A type by both of its names, and the 64-bit ones that some programs write.
  private static func scalar(_ name: String) -> CloudScalar? {
    switch name {
    case "char", "int8": .int8
    case "uchar", "uint8": .uint8
    case "short", "int16": .int16
    case "ushort", "uint16": .uint16
    case "int", "int32": .int32
    case "uint", "uint32": .uint32
    case "long", "int64": .int64
    case "ulong", "uint64": .uint64
    case "float", "float32": .float32
    case "double", "float64": .float64
    default: nil
    }
  }
}
