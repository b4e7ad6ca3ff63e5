package import WorldModel

/// The head of a frame: length of the body (u32, little-endian), then the type (u8), then the body.
package struct FrameHead: Sendable, Equatable {
  /// Bytes before the body.
  package static let size = 5

  /// The type byte, perhaps one this version does not know.
  package let type: UInt8
  /// Where the body lies in the bytes that were looked at.
  package let body: Range<Int>

  /// Finds the frame that starts at `offset`; nil when it is not complete yet.
  ///
  /// - Throws: ``DecodingFailure/overLimit(limit:offset:)`` from the head alone, before a body of that length is
  ///   awaited or stored.
  package static func find(in bytes: RawSpan, at offset: Int, limit: Int) throws(DecodingFailure) -> FrameHead? {
    guard bytes.byteCount - offset >= size else { return nil }
    var reader = ByteReader(bytes.extracting(offset..<(offset + size)))
    let length = try reader.read(UInt32.self)
    guard Int(length) <= limit else { throw .overLimit(limit: limit, offset: offset) }
    let start = offset + size
    guard bytes.byteCount - start >= Int(length) else { return nil }
    return FrameHead(type: try reader.readByte(), body: start..<(start + Int(length)))
  }

  /// Bytes of the whole frame that begins with the head in `bytes`, as the head says; none may be believed yet.
  static func frameSize(startingWith bytes: [UInt8]) -> Int {
    size + (0..<4).reduce(0) { $0 | Int(bytes[$1]) << (8 * $1) }
  }
}

extension ByteWriter {
  /// Appends a whole frame whose body `build` writes.
  package mutating func writeFrame(_ type: FrameType, _ build: (inout ByteWriter) -> Void = { _ in }) {
    let start = count
    write(UInt32(0))
    write(type.rawValue)
    build(&self)
    patch(UInt32(count - start - FrameHead.size), at: start)
  }
}
