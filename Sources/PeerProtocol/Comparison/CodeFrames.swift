import Authentication
import Basics

/// The digest that binds the side that dialled to its nonce.
struct CodeCommitment: Sendable, Hashable, FrameBody {
  static let size = CodeExchange.commitmentSize

  let digest: [UInt8]

  init(_ digest: [UInt8]) {
    self.digest = digest
  }

  func write(to writer: inout ByteWriter) { writer.write(bytes: digest) }

  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    digest = try reader.readBytes(Self.size)
  }
}

/// The nonce of either side: the answer to a commitment, or what the commitment was to.
struct CodeNonce: Sendable, Hashable, FrameBody {
  static let size = CodeExchange.nonceSize

  let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  func write(to writer: inout ByteWriter) { writer.write(bytes: bytes) }

  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    bytes = try reader.readBytes(Self.size)
  }
}
