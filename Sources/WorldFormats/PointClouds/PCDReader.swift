/// Reads a Point Cloud Data file.
///
/// The viewpoint is not applied: positions stay in the frame of the file.
enum PCDReader {
  static func read(_ bytes: [UInt8]) throws(PointCloudFileError) -> CloudRows {
    let header = try PCDHeader(bytes)
    let columns = header.columns
    let room = (bytes.count - header.end.offset) / columns.count
    switch header.encoding {
    case .ascii:
      var builder = CloudRows(columns.map(\.field), capacity: min(header.count, room))
      var lines = TextLines(bytes, offset: header.end.offset, line: header.end.line)
      try lines.read(header.count, columns: columns, into: &builder)
      return builder
    case .binary:
      var builder = CloudRows(columns.map(\.field), capacity: min(header.count, room))
      try BinaryRows.read(
        header.count, columns: columns, from: bytes, at: header.end.offset, bigEndian: false, into: &builder)
      return builder
    case .compressed:
      let planes = try planes(of: header, bytes)
      return transposed(planes, columns, count: header.count, at: header.end.offset)
    }
  }

  /// The planes of a compressed file: all numbers of the first column, then all of the second, and so on.
  private static func planes(of header: PCDHeader, _ bytes: [UInt8]) throws(PointCloudFileError) -> [UInt8] {
    let start = header.end.offset
    guard bytes.count - start >= 8 else {
      throw .truncated(found: 0, expected: header.count, offset: bytes.count)
    }
    let stored = Int(BinaryRows.number(.uint32, in: bytes, at: start, bigEndian: false).bits)
    let raw = Int(BinaryRows.number(.uint32, in: bytes, at: start + 4, bigEndian: false).bits)
    let needed = header.count * header.columns.reduce(0) { $0 + $1.scalar.size }
    guard raw == needed else {
      throw .malformedBytes("the planes have \(raw) bytes and need \(needed)", offset: start + 4)
    }
    guard stored <= bytes.count - start - 8 else {
      throw .truncated(found: 0, expected: header.count, offset: bytes.count)
    }
    return try LZF.decompress(bytes, from: start + 8, count: stored, to: raw)
  }

  private static func transposed(_ planes: [UInt8], _ columns: [CloudColumn], count: Int, at start: Int)
    -> CloudRows
  {
    var builder = CloudRows(columns.map(\.field), capacity: count)
    var starts: [Int] = []
    var size = 0
    for column in columns {
      starts.append(size)
      size += column.scalar.size * count
    }
    for index in 0..<count {
      var row = CloudRows.Row()
      for (column, plane) in zip(columns, starts) where column.field != .ignored {
        let offset = plane + index * column.scalar.size
        row.set(column, BinaryRows.number(column.scalar, in: planes, at: offset, bigEndian: false))
      }
      builder.append(row, at: start)
    }
    return builder
  }
}
