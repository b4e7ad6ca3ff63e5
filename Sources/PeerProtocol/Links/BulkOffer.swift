package import Basics

/// Says on the control link that a second connection between the same two peers, for pieces of maps, is wanted.
package struct BulkOffer: Sendable, Equatable, FrameBody {
  /// The ticket that ties that connection to this link: drawn at random, shown as the first frame on it.
  package struct Token: Sendable, Equatable, FrameBody {
    /// Bytes on the wire.
    package static let size = 16

    let high: UInt64
    let low: UInt64

    package init(high: UInt64, low: UInt64) {
      self.high = high
      self.low = low
    }

    package func write(to writer: inout ByteWriter) {
      writer.write(high)
      writer.write(low)
    }

    package init(reading reader: inout ByteReader) throws(DecodingFailure) {
      high = try reader.read(UInt64.self)
      low = try reader.read(UInt64.self)
    }
  }

  /// Bytes on the wire.
  package static let size = Token.size + 1

  package var token: Token
  /// Whether the receiver is to dial: it is the one who dialled the control link, and so knows a way.
  package var receiverDials: Bool

  package init(token: Token, receiverDials: Bool) {
    self.token = token
    self.receiverDials = receiverDials
  }

  package func write(to writer: inout ByteWriter) {
    token.write(to: &writer)
    writer.write(UInt8(receiverDials ? 1 : 0))
  }

  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    token = try Token(reading: &reader)
    receiverDials = try reader.readFlag()
  }
}
