import Basics
import PeerProtocol
public import WorldModel

/// An encoded object on its way between two apps, with all that is known of it without decoding it: what middleware sees.
public struct MessageEnvelope: Hashable, Sendable {
  /// Bytes of UTF-8 in an endpoint, and in the name of a type.
  public static let nameLimit = 255
  /// Header fields of a message.
  public static let fieldLimit = 16
  /// Bytes of UTF-8 in the name of a header field, and in its value.
  public static let fieldNameLimit = 63
  /// Bytes of UTF-8 in the value of a header field.
  public static let fieldValueLimit = 1024

  /// The place in the receiving app that it goes to, such as `draw`: 1 to ``nameLimit`` bytes.
  public var endpoint: String
  /// The name of the object's type.
  public var type: String
  /// The media type of the bytes.
  public var contentType: String
  /// Header fields.
  public var fields: [String: String]
  /// A rigid placement in the world, in this peer's frame; nil for an object without one, and for one of a peer whose frame is not
  /// aligned with this peer's.
  public var transform: Transform?
  /// The placement in the frame of the peer that sent it; nil for an object without one, and for one of this peer.
  public internal(set) var rawTransform: Transform?
  /// The encoded object.
  public var bytes: [UInt8]

  /// An envelope; it is checked when it is sent.
  public init(
    endpoint: String, type: String, contentType: String, fields: [String: String] = [:], transform: Transform? = nil,
    bytes: [UInt8]
  ) {
    self.endpoint = endpoint
    self.type = type
    self.contentType = contentType
    self.fields = fields
    self.transform = transform
    self.bytes = bytes
  }
}

extension MessageEnvelope {
  /// Refuses what no receiver would read.
  ///
  /// - Throws: ``SessionError`` with the code `invalidArgument` or `limitExceeded`.
  func validate() throws(SessionError) {
    try Self.check("an endpoint", endpoint, limit: Self.nameLimit)
    try Self.check("the name of a type", type, limit: Self.nameLimit)
    try Self.check("a content type", contentType, limit: Limits.contentType)
    guard fields.count <= Self.fieldLimit else {
      throw SessionError(.limitExceeded, "a message has at most \(Self.fieldLimit) header fields")
    }
    for (name, value) in fields {
      try Self.check("the name of a header field", name, limit: Self.fieldNameLimit)
      try Self.check("a header field", value, limit: Self.fieldValueLimit, mayBeEmpty: true)
    }
    do {
      try transform?.validate()
    } catch {
      throw SessionError(.invalidArgument, "the transform of a message is not allowed: \(error)", cause: error)
    }
  }

  private static func check(
    _ what: String, _ text: String, limit: Int, mayBeEmpty: Bool = false
  ) throws(SessionError) {
    guard text.utf8.count <= limit else { throw SessionError(.limitExceeded, "\(what) has at most \(limit) bytes") }
    guard mayBeEmpty || !text.isEmpty, PlainText.allows(text) else {
      throw SessionError(.invalidArgument, "\(what) is text without control characters, and not empty")
    }
  }

  /// Appends the envelope; the bytes of the object come last.
  func write(to writer: inout ByteWriter) {
    writer.write(transform == nil ? UInt8(0) : 1)
    writer.writeString(endpoint)
    writer.writeString(type)
    writer.writeString(contentType)
    writer.writeVarint(UInt64(fields.count))
    // In order, so that equal envelopes have equal bytes.
    for (name, value) in fields.sorted(by: { Self.precedes($0.key, $1.key) }) {
      writer.writeString(name)
      writer.writeString(value)
    }
    transform?.write(to: &writer)
    writer.write(bytes: bytes)
  }

  /// The names in an envelope, which are mostly those in the one before.
  struct Names {
    fileprivate var endpoint = ""
    fileprivate var type = ""
    fileprivate var contentType = ""
  }

  /// Reads an envelope up to the end of the bytes.
  ///
  /// - Parameter names: Those in the envelope before, and then in this one.
  @_lifetime(reader: copy reader)
  init(reading reader: inout ByteReader, reusing names: inout Names) throws(DecodingFailure) {
    let hasTransform = try reader.readFlag()
    names.endpoint = try Self.readName(&reader, limit: Self.nameLimit, knowing: names.endpoint)
    names.type = try Self.readName(&reader, limit: Self.nameLimit, knowing: names.type)
    names.contentType = try Self.readName(&reader, limit: Limits.contentType, knowing: names.contentType)
    (endpoint, type, contentType) = (names.endpoint, names.type, names.contentType)
    fields = [:]
    var last: String?
    for _ in 0..<(try reader.readCount(limit: Self.fieldLimit)) {
      let start = reader.offset
      let name = try Self.readName(&reader, limit: Self.fieldNameLimit)
      if let last, !Self.precedes(last, name) { throw .invalid("header fields are not in order", offset: start) }
      fields[name] = try reader.readString(limit: Self.fieldValueLimit)
      last = name
    }
    transform = hasTransform ? try Transform(reading: &reader) : nil
    bytes = try reader.readBytes(reader.remaining)
  }

  @_lifetime(reader: copy reader)
  private static func readName(
    _ reader: inout ByteReader, limit: Int, knowing known: String = ""
  ) throws(DecodingFailure) -> String {
    let start = reader.offset
    let name = try reader.readString(limit: limit, knowing: known)
    guard !name.isEmpty else { throw .invalid("an empty name", offset: start) }
    return name
  }

  /// The order of the bytes, which no version of Unicode changes.
  private static func precedes(_ one: String, _ other: String) -> Bool {
    one.utf8.lexicographicallyPrecedes(other.utf8)
  }
}
