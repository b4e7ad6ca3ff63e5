import FoundationEssentials

/// Turns objects into bytes and back: JSON by default, any other format by an own conformance.
///
/// It is called on the tasks that send and read: an object is decoded on the actor that reads it, and on the thread of the
/// session only where the app itself reads there.
public protocol ObjectCoder: Sendable {
  /// The media type of the bytes (RFC 6838), at most ``Limits/contentType`` bytes, such as `application/json`.
  ///
  /// A receiver whose coder has another one returns the message as ``MessageReturn/Reason/undecodable``.
  var contentType: String { get }

  /// The bytes of an object.
  ///
  /// - Throws: Any error; the caller that sends gets it as the cause of a ``SessionError``.
  func encode(_ object: some Encodable) throws -> [UInt8]

  /// The object of bytes, which come from another peer and may be anything.
  ///
  /// - Throws: Any error; the sender is told that the message cannot be decoded.
  func decode<Object: Decodable>(_ type: Object.Type, from bytes: [UInt8]) throws -> Object
}

/// Objects as JSON (RFC 8259), the keys of every object in order, by the coders of Foundation.
public struct JSONObjectCoder: ObjectCoder {
  // Made once and never changed, as the decoder, so that all tasks may use them at the same time.
  private static let encoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }()
  private static let decoder = JSONDecoder()

  /// A coder.
  public init() {}

  /// `application/json`.
  public var contentType: String { "application/json" }

  /// The JSON of an object.
  ///
  /// - Throws: `EncodingError`.
  public func encode(_ object: some Encodable) throws -> [UInt8] { try Array(Self.encoder.encode(object)) }

  /// The object of a JSON text.
  ///
  /// - Throws: `DecodingError`.
  public func decode<Object: Decodable>(_ type: Object.Type, from bytes: [UInt8]) throws -> Object {
    try Self.decoder.decode(type, from: Data(bytes))
  }
}
