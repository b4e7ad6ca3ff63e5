package import Basics

/// The secret with which a member recognises this device's advertisement later, before any connection.
///
/// Members tell it to each other; strangers never get it.
package struct RecognitionKey: Sendable, Hashable, FrameBody {
  /// Bytes on the wire.
  package static let size = 16

  package let bytes: [UInt8]

  /// The key of exactly ``size`` bytes.
  package init(_ bytes: [UInt8]) {
    precondition(bytes.count == Self.size, "a recognition key has \(Self.size) bytes")
    self.bytes = bytes
  }

  package func write(to writer: inout ByteWriter) { writer.write(bytes: bytes) }

  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    self.init(try reader.readBytes(Self.size))
  }
}
