package import Basics

/// Names a stream in a letter: the peer that opened it gave it the number.
package enum StreamMark: Equatable, Sendable {
  /// The sender of the letter opened it.
  case mine(UInt64)
  /// The receiver of the letter opened it, in this start of its process.
  case yours(UInt64, start: UInt64)
}

/// The content of a message of the kind `stream`: a part of a stream, or a word about one.
///
/// They come exactly once and in order, in a chain that all streams of two peers share: see Documentation/Protocol/streams.md.
package enum StreamLetter: Equatable, Sendable {
  /// The sender opens a stream, and grants the receiver so many bytes on it.
  case open(UInt64, limit: UInt64, name: String)
  /// The receiver may send so many bytes in all; the first one of the side that did not open the stream accepts it.
  case credit(StreamMark, limit: UInt64)
  /// The next bytes.
  case data(StreamMark, [UInt8])
  /// The sender sends no further bytes.
  case end(StreamMark)
  /// The stream is over in both directions, or was not accepted.
  case reset(StreamMark, StreamReset)
  /// All streams are over that this start of the receiver opened up to the number `received`, or the sender up to `opened`.
  case over(start: UInt64, received: UInt64, opened: UInt64)

  private enum Form: UInt8 {
    case open = 0
    case credit = 1
    case data = 2
    case end = 3
    case reset = 4
    case over = 5
  }

  /// The bytes of the message.
  package var bytes: [UInt8] {
    var writer = ByteWriter()
    switch self {
    case .open(let number, let limit, let name):
      writer.write(Form.open.rawValue)
      writer.write(number)
      writer.write(limit)
      writer.writeString(name)
    case .credit(let mark, let limit):
      writer.write(Form.credit.rawValue)
      mark.write(to: &writer)
      writer.write(limit)
    case .data(let mark, let bytes):
      writer.write(Form.data.rawValue)
      mark.write(to: &writer)
      writer.write(bytes: bytes)
    case .end(let mark):
      writer.write(Form.end.rawValue)
      mark.write(to: &writer)
    case .reset(let mark, let reset):
      writer.write(Form.reset.rawValue)
      mark.write(to: &writer)
      writer.write(reset.reason.rawValue)
      writer.writeString(reset.code)
      writer.writeString(reset.message)
    case .over(let start, let received, let opened):
      writer.write(Form.over.rawValue)
      writer.write(start)
      writer.write(received)
      writer.write(opened)
    }
    return writer.bytes
  }

  /// Reads what ``bytes`` wrote.
  package init(_ bytes: [UInt8]) throws(DecodingFailure) {
    var reader = ByteReader(bytes.span)
    guard let form = Form(rawValue: try reader.readByte()) else { throw .unknownKind(offset: 0) }
    switch form {
    case .open:
      let number = try StreamMark.readNumber(&reader)
      let limit = try reader.read(UInt64.self)
      let start = reader.offset
      let name = try reader.readString(limit: ProtocolLimits.streamName)
      guard !name.isEmpty else { throw .invalid("an empty name", offset: start) }
      self = .open(number, limit: limit, name: name)
    case .credit:
      let mark = try StreamMark(reading: &reader)
      self = .credit(mark, limit: try reader.read(UInt64.self))
    case .data:
      let mark = try StreamMark(reading: &reader)
      let start = reader.offset
      guard (1...ProtocolLimits.streamPart).contains(reader.remaining) else {
        throw .overLimit(limit: ProtocolLimits.streamPart, offset: start)
      }
      self = .data(mark, try reader.readBytes(reader.remaining))
    case .end: self = .end(try StreamMark(reading: &reader))
    case .reset:
      let mark = try StreamMark(reading: &reader)
      // The stream is over, whatever the reason.
      let reason = StreamReset.Reason(rawValue: try reader.readByte()) ?? .app
      let code = try reader.readString(limit: ProtocolLimits.errorCode)
      let message = try reader.readString(limit: ProtocolLimits.errorMessage)
      self = .reset(mark, StreamReset(reason, code, message))
    case .over:
      let start = try reader.read(UInt64.self)
      let received = try reader.read(UInt64.self)
      self = .over(start: start, received: received, opened: try reader.read(UInt64.self))
    }
    try reader.finish()
  }
}

extension StreamMark {
  func write(to writer: inout ByteWriter) {
    switch self {
    case .mine(let number):
      writer.write(UInt8(0))
      writer.write(number)
    case .yours(let number, let start):
      writer.write(UInt8(1))
      writer.write(start)
      writer.write(number)
    }
  }

  @_lifetime(reader: copy reader)
  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    let start = try reader.readFlag() ? try reader.read(UInt64.self) : nil
    let number = try Self.readNumber(&reader)
    self = start.map { .yours(number, start: $0) } ?? .mine(number)
  }

  @_lifetime(reader: copy reader)
  fileprivate static func readNumber(_ reader: inout ByteReader) throws(DecodingFailure) -> UInt64 {
    let start = reader.offset
    let number = try reader.read(UInt64.self)
    guard (1...ProtocolLimits.counter).contains(number) else {
      throw .invalid("not a number of a stream", offset: start)
    }
    return number
  }
}

/// Why one end has ended a stream in both directions.
package struct StreamReset: Equatable, Sendable {
  package enum Reason: UInt8, Sendable, CaseIterable {
    /// The app says so; code and text are its own.
    case app = 0
    /// Nothing there accepts streams of this name.
    case unhandled = 1
    /// The opener has too many streams to this peer.
    case limit = 2
    /// The receiver of the reset has broken the rules of the stream.
    case violation = 3
  }

  package let reason: Reason
  /// A word for programs, at most ``ProtocolLimits/errorCode`` bytes.
  package let code: String
  /// A sentence for people, at most ``ProtocolLimits/errorMessage`` bytes.
  package let message: String

  package init(_ reason: Reason, _ code: String, _ message: String = "") {
    assert(code.utf8.count <= ProtocolLimits.errorCode && message.utf8.count <= ProtocolLimits.errorMessage)
    (self.reason, self.code, self.message) = (reason, code, message)
  }
}
