import AnchorReplication
package import Basics

/// News of frames from a member: declarations and measurements, its own and those of others.
package struct FrameWord: Equatable, Sendable, FrameBody {
  package var declarations: [FrameDeclaration]
  package var measurements: [FrameMeasurement]

  package init(declarations: [FrameDeclaration] = [], measurements: [FrameMeasurement] = []) {
    (self.declarations, self.measurements) = (declarations, measurements)
  }

  /// Bytes of the largest body.
  static let largest = 2 * 2 + most * FrameDeclaration.wireSize + most * FrameMeasurement.wireSize
  /// Declarations, and measurements, in one frame.
  private static let most = 128

  /// Appends both lists behind their counts.
  package func write(to writer: inout ByteWriter) {
    writer.writeVarint(UInt64(declarations.count))
    for declaration in declarations { declaration.write(to: &writer) }
    writer.writeVarint(UInt64(measurements.count))
    for measurement in measurements { measurement.write(to: &writer) }
  }

  /// Reads what ``write(to:)`` wrote; an empty body is an error.
  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    self.init()
    for _ in 0..<(try Self.readCount(&reader)) { declarations.append(try FrameDeclaration(reading: &reader)) }
    for _ in 0..<(try Self.readCount(&reader)) { measurements.append(try FrameMeasurement(reading: &reader)) }
    guard !declarations.isEmpty || !measurements.isEmpty else {
      throw .invalid("neither a declaration nor a measurement", offset: reader.offset)
    }
  }

  private static func readCount(_ reader: inout ByteReader) throws(DecodingFailure) -> UInt64 {
    let start = reader.offset
    let count = try reader.readVarint()
    guard count <= most else { throw .overLimit(limit: most, offset: start) }
    return count
  }

  /// All of a book, in parts that fit one frame each.
  static func parts(of book: borrowing FrameBook) -> [FrameWord] {
    var declarations = book.declarations[...]
    var measurements = book.measurements(.all)[...]
    var parts: [FrameWord] = []
    while !declarations.isEmpty || !measurements.isEmpty {
      parts.append(
        FrameWord(declarations: Array(declarations.prefix(most)), measurements: Array(measurements.prefix(most))))
      (declarations, measurements) = (declarations.dropFirst(most), measurements.dropFirst(most))
    }
    return parts
  }
}

/// A hash of all declarations and measurements that a member knows.
struct FrameDigest: FixedBytes, Equatable, Sendable {
  static let size = 32
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }
}
