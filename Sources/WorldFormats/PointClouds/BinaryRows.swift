/// Reads rows of fixed-size numbers.
enum BinaryRows {
  /// Reads `count` rows of `columns` from `offset` on into `builder`.
  static func read(
    _ count: Int, columns: [CloudColumn], from bytes: [UInt8], at offset: Int, bigEndian: Bool,
    into builder: inout CloudRows
  ) throws(PointCloudFileError) {
    let size = columns.reduce(0) { $0 + $1.scalar.size }
    let (total, isTooLong) = size.multipliedReportingOverflow(by: count)
    guard !isTooLong, total <= bytes.count - offset else {
      throw .truncated(
        found: size == 0 ? 0 : (bytes.count - offset) / size, expected: count, offset: bytes.count)
    }
    var place = offset
    for _ in 0..<count {
      let start = place
      var row = CloudRows.Row()
      for column in columns {
        if column.field != .ignored {
          row.set(column, number(column.scalar, in: bytes, at: place, bigEndian: bigEndian))
        }
        place += column.scalar.size
      }
      builder.append(row, at: start)
    }
  }

  /// The number at `offset`, which is within bounds.
  @inline(__always)
  static func number(_ scalar: CloudScalar, in bytes: [UInt8], at offset: Int, bigEndian: Bool) -> CloudNumber {
    var raw: UInt64 = 0
    let size = scalar.size
    for index in 0..<size {
      raw |= UInt64(bytes[offset + (bigEndian ? size - 1 - index : index)]) << UInt64(8 * index)
    }
    return CloudNumber(raw, scalar)
  }
}
