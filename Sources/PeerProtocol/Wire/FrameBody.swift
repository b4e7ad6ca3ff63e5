package import Basics

/// The content of a frame's body, as one value.
///
/// A frame is decoded here and nowhere else, so that the rules that hold for every frame have one address: a body ends where
/// its last field ends, and nothing has an effect before the whole body is read. ``ByteReader/readFlag()`` holds the rule for
/// flags. A body with an unknown kind throws ``DecodingFailure/unknownKind(offset:)``: the node skips the frame, so that newer
/// peers may use more kinds, as it skips frames with unknown numbers.
package protocol FrameBody {
  /// Reads the fields in their order.
  init(reading reader: inout ByteReader) throws(DecodingFailure)
}

extension FrameBody {
  /// Decodes a whole body.
  ///
  /// - Throws: ``DecodingFailure`` where the body ends inside a field, has bytes after its last one, or says what is not allowed.
  package init(body: RawSpan) throws(DecodingFailure) {
    var reader = ByteReader(body)
    try self.init(reading: &reader)
    try reader.finish()
  }
}

extension FrameBody {
  /// Decodes a whole body that is kept.
  ///
  /// - Throws: As ``init(body:)-(RawSpan)`` does.
  package init(body: [UInt8]) throws(DecodingFailure) {
    var reader = ByteReader(body.span)
    try self.init(reading: &reader)
    try reader.finish()
  }
}

extension ByteReader {
  /// Reads a list with its count in one byte, without the elements of an unknown kind, which are as long as those of known
  /// ones.
  ///
  /// - Throws: ``DecodingFailure``, also for more than `limit` elements, before any is read.
  mutating func readShortList<Element: FrameBody>(
    of type: Element.Type, limit: Int
  ) throws(DecodingFailure) -> [Element] {
    let offset = offset
    let count = Int(try readByte())
    guard count <= limit else { throw .overLimit(limit: limit, offset: offset) }
    var elements: [Element] = []
    for _ in 0..<count {
      do throws(DecodingFailure) { elements.append(try Element(reading: &self)) } catch .unknownKind { continue }
    }
    return elements
  }
}

/// A body of one field: bytes of a fixed number.
protocol FixedBytes: FrameBody {
  /// The number of bytes.
  static var size: Int { get }

  var bytes: [UInt8] { get }

  init(_ bytes: [UInt8])
}

extension FixedBytes {
  func write(to writer: inout ByteWriter) { writer.write(bytes: bytes) }

  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    self.init(try reader.readBytes(Self.size))
  }
}

/// A message that members pass on to those who lack it, under the header that says whose it is and for whom.
struct Flooded<Message: FrameBody & Equatable & Sendable>: Equatable, Sendable, FrameBody {
  let header: FloodHeader
  let message: Message

  init(header: FloodHeader, message: Message) {
    self.header = header
    self.message = message
  }

  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    header = try FloodHeader(reading: &reader)
    message = try Message(reading: &reader)
  }
}

/// The token of a ping and the number of an invitation.
extension UInt64: FrameBody {
  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    self = try reader.read(UInt64.self)
  }
}
