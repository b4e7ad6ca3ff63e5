import Basics

/// A step between the drivers of two apps.
enum HandshakeFrame: Sendable, Equatable, FrameBody {
  /// Data for the other driver.
  case data([UInt8])
  /// The sender's driver has authenticated the receiver, and sends nothing more.
  case authenticated
  /// The sender's driver refuses the receiver, or its time is over, for a reason that people read.
  case failed(reason: String)

  /// Bytes of the longest one: the kind, and data behind their length.
  static let largest = 1 + 2 + ProtocolLimits.handshakeData

  func write(to writer: inout ByteWriter) {
    switch self {
    case .data(let data):
      writer.write(UInt8(0))
      writer.writeBlob(data)
    case .authenticated: writer.write(UInt8(1))
    case .failed(let reason):
      writer.write(UInt8(2))
      writer.writeString(reason)
    }
  }

  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    let offset = reader.offset
    switch try reader.readByte() {
    case 0: self = .data(try reader.readBlob(limit: ProtocolLimits.handshakeData))
    case 1: self = .authenticated
    case 2: self = .failed(reason: try reader.readString(limit: ProtocolLimits.reason))
    default: throw .unknownKind(offset: offset)
    }
  }
}
