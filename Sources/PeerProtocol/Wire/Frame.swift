package import Basics

/// The head of a frame: length of the body (u32, little-endian), then the type (u8), then the body.
package struct FrameHead: Sendable, Equatable {
  /// Bytes before the body.
  package static let size = 5

  /// The type byte, perhaps one this version does not know.
  package let type: UInt8
  /// The range of the body in the searched bytes.
  package let body: Range<Int>

  /// The type byte of the frame that starts at `offset`; nil when its head is not complete yet.
  static func type(in bytes: RawSpan, at offset: Int) -> UInt8? {
    guard bytes.byteCount - offset >= size else { return nil }
    return unsafe bytes.unsafeLoad(fromByteOffset: offset + size - 1, as: UInt8.self)
  }

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
}

extension FrameHead {
  /// The size of the frame at the start of `bytes`; the size of a head alone while the head is incomplete.
  static func frameSize(_ bytes: RawSpan) -> Int {
    guard bytes.byteCount >= size else { return size }
    return size + Int(UInt32(littleEndian: unsafe bytes.unsafeLoadUnaligned(as: UInt32.self)))
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
