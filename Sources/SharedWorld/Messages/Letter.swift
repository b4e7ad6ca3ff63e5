import Basics
import PeerProtocol

/// The content of a reliable message of the kind `envelope`: an object, a request, or a word about one.
enum Letter: Equatable, Sendable {
  /// An object for the app.
  case message(MessageEnvelope)
  /// The receiver returns a message of this start of the peer that it is sent to.
  case returned(MessageReturn.Reason, String, message: MessageID, start: UInt64)
  /// An object that the receiver is to answer.
  case request(UInt64, MessageEnvelope)
  /// The answer to a request of this start of the peer that it is sent to.
  case answer(UInt64, start: UInt64, MessageEnvelope)
  /// Instead of an answer.
  case failure(UInt64, start: UInt64, MessageReturn.Reason, RemoteError)
  /// The sender of a request does not wait for the answer any more.
  case withdrawal(UInt64)

  private enum Form: UInt8 {
    case message = 0
    case returned = 1
    case request = 2
    case answer = 3
    case failure = 4
    case withdrawal = 5
  }

  /// Whether bytes that cannot be read were to be an object for the app.
  static func carriesObject(_ bytes: [UInt8]) -> Bool {
    bytes.first == Form.message.rawValue || bytes.first == Form.request.rawValue
  }

  /// The bytes of the message.
  var bytes: [UInt8] {
    var writer = ByteWriter()
    switch self {
    case .message(let envelope):
      writer.write(Form.message.rawValue)
      envelope.write(to: &writer)
    case .returned(let reason, let text, let message, let start):
      writer.write(Form.returned.rawValue)
      writer.write(start)
      writer.write(message.number)
      writer.write(reason.code)
      writer.writeString(text)
    case .request(let number, let envelope):
      writer.write(Form.request.rawValue)
      writer.write(number)
      envelope.write(to: &writer)
    case .answer(let number, let start, let envelope):
      writer.write(Form.answer.rawValue)
      writer.write(start)
      writer.write(number)
      envelope.write(to: &writer)
    case .failure(let number, let start, let reason, let error):
      writer.write(Form.failure.rawValue)
      writer.write(start)
      writer.write(number)
      writer.write(reason.code)
      writer.writeString(error.code)
      writer.writeString(error.message)
    case .withdrawal(let number):
      writer.write(Form.withdrawal.rawValue)
      writer.write(number)
    }
    return writer.bytes
  }

  /// Reads what ``bytes`` wrote.
  init(_ bytes: [UInt8]) throws(DecodingFailure) {
    var names = MessageEnvelope.Names()
    try self.init(bytes, reusing: &names)
  }

  /// Reads what ``bytes`` wrote.
  ///
  /// - Parameter names: Those in the envelope read last.
  init(_ bytes: [UInt8], reusing names: inout MessageEnvelope.Names) throws(DecodingFailure) {
    var reader = ByteReader(bytes.span)
    guard let form = Form(rawValue: try reader.readByte()) else { throw .invalid("unknown form", offset: 0) }
    switch form {
    case .message: self = .message(try MessageEnvelope(reading: &reader, reusing: &names))
    case .returned:
      let start = try reader.read(UInt64.self)
      let message = MessageID(try reader.read(UInt64.self))
      let reason = try Self.readReason(&reader)
      let text = try reader.readString(limit: RemoteError.messageLimit)
      self = .returned(reason, text, message: message, start: start)
    case .request:
      let number = try reader.read(UInt64.self)
      self = .request(number, try MessageEnvelope(reading: &reader, reusing: &names))
    case .answer:
      let start = try reader.read(UInt64.self)
      let number = try reader.read(UInt64.self)
      self = .answer(number, start: start, try MessageEnvelope(reading: &reader, reusing: &names))
    case .failure:
      let start = try reader.read(UInt64.self)
      let number = try reader.read(UInt64.self)
      let reason = try Self.readReason(&reader)
      let code = try reader.readString(limit: RemoteError.codeLimit)
      let message = try reader.readString(limit: RemoteError.messageLimit)
      self = .failure(number, start: start, reason, RemoteError(code, message))
    case .withdrawal: self = .withdrawal(try reader.read(UInt64.self))
    }
    try reader.finish()
  }

  @_lifetime(reader: copy reader)
  private static func readReason(_ reader: inout ByteReader) throws(DecodingFailure) -> MessageReturn.Reason {
    let start = reader.offset
    guard let reason = MessageReturn.Reason(code: try reader.readByte()) else {
      throw .invalid("unknown reason", offset: start)
    }
    return reason
  }
}
