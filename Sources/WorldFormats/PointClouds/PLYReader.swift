/// Reads the vertices of a Polygon File Format file; faces and other elements are passed over.
enum PLYReader {
  static func read(_ bytes: [UInt8]) throws(PointCloudFileError) -> CloudRows {
    let header = try PLYHeader(bytes)
    guard let index = header.elements.firstIndex(where: { $0.name == "vertex" }) else {
      throw .malformed("the file has no vertices", line: header.end.line)
    }
    let vertex = header.elements[index]
    guard Set(vertex.properties.map(\.name)).isSuperset(of: ["x", "y", "z"]) else {
      throw .malformed("the vertices have no x, y and z", line: header.end.line)
    }
    guard vertex.properties.allSatisfy({ $0.listCount == nil }) else {
      throw .malformed("the vertices have lists", line: header.end.line)
    }
    let columns = vertex.properties.map { CloudColumn(field: CloudField(named: $0.name, $0.scalar), scalar: $0.scalar) }
    // A number takes at least two bytes as text and one as binary: the count alone reserves no memory.
    let room = max(0, bytes.count - header.end.offset) / max(1, columns.count)
    var builder = CloudRows(columns.map(\.field), capacity: min(vertex.count, room))
    if header.encoding == .ascii {
      var lines = TextLines(bytes, offset: header.end.offset, line: header.end.line)
      for element in header.elements[..<index] {
        for _ in 0..<element.count {
          guard lines.nextContent(commentsBeginWith: UInt8(ascii: "#")) != nil else {
            throw .truncated(found: 0, expected: vertex.count, offset: bytes.count)
          }
        }
      }
      try lines.read(vertex.count, columns: columns, into: &builder)
    } else {
      let bigEndian = header.encoding == .bigEndian
      var offset = header.end.offset
      for element in header.elements[..<index] { try skip(element, bytes, &offset, bigEndian, vertex.count) }
      try BinaryRows.read(
        vertex.count, columns: columns, from: bytes, at: offset, bigEndian: bigEndian, into: &builder)
    }
    return builder
  }

  /// Moves `offset` past all rows of an element before the vertices.
  private static func skip(
    _ element: PLYHeader.Element, _ bytes: [UInt8], _ offset: inout Int, _ bigEndian: Bool, _ vertices: Int
  ) throws(PointCloudFileError) {
    // Rows without bytes take no time.
    guard !element.properties.isEmpty else { return }
    for _ in 0..<element.count {
      for property in element.properties {
        var size = property.scalar.size
        if let count = property.listCount {
          guard count.size <= bytes.count - offset else {
            throw .truncated(found: 0, expected: vertices, offset: bytes.count)
          }
          let length = BinaryRows.number(count, in: bytes, at: offset, bigEndian: bigEndian)
          guard length.real >= 0, length.real <= Double(bytes.count) else {
            throw .malformedBytes("a list is longer than the file", offset: offset)
          }
          offset += count.size
          size *= Int(length.real)
        }
        guard size <= bytes.count - offset else {
          throw .truncated(found: 0, expected: vertices, offset: bytes.count)
        }
        offset += size
      }
    }
  }
}
