/// Decodes objects from JSON texts of common shapes, in a fraction of the time that Foundation's decoder takes.
///
/// Its results are those of that decoder, to which everything else is left, errors too.
struct QuickDecoder: Decoder {
  let text: JSONText
  let index: Int

  /// The object of a JSON text.
  ///
  /// - Throws: Any error, for a text that is left to Foundation.
  @inline(__always)
  static func decode<Object: Decodable>(_ type: Object.Type, from bytes: [UInt8]) throws -> Object {
    let text = try JSONText(bytes)
    let object = try text.decode(type, at: 0)
    guard !text.wasLeft else { throw JSONDetour() }
    return object
  }

  var codingPath: [any CodingKey] { text.path(to: index) }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard text.isObject(at: index) else { throw text.detour() }
    return KeyedDecodingContainer(QuickMembers(text: text, index: index))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    QuickElements(text: text, index: index, length: try text.count(at: index), next: index + 1)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }
}

extension QuickDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { text.isNull(at: index) }
  func decode<Value: JSONScalar>(_ type: Value.Type) throws -> Value { try Value(text, at: index) }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try text.decode(type, at: index) }
}

/// The members of an object.
private struct QuickMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let text: JSONText
  let index: Int

  var codingPath: [any CodingKey] { text.path(to: index) }
  var allKeys: [Key] { text.keys(of: index).compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { text.value(of: key.stringValue, in: index) != nil }

  private func value(of key: Key) throws(JSONDetour) -> Int {
    guard let value = text.value(of: key.stringValue, in: index) else { throw text.detour() }
    return value
  }

  func decodeNil(forKey key: Key) throws -> Bool { text.isNull(at: try value(of: key)) }

  func decode<Value: JSONScalar>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try Value(text, at: try value(of: key))
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try text.decode(type, at: try value(of: key))
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try QuickDecoder(text: text, index: try value(of: key)).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try QuickDecoder(text: text, index: try value(of: key)).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { throw text.detour() }
  func superDecoder(forKey key: Key) throws -> any Decoder { throw text.detour() }
}

/// The values of an array, one after the other.
private struct QuickElements: UnkeyedDecodingContainer {
  let text: JSONText
  let index: Int
  let length: Int
  var next: Int
  var currentIndex = 0

  var codingPath: [any CodingKey] { text.path(to: index) }
  var count: Int? { length }
  var isAtEnd: Bool { currentIndex == length }

  private mutating func take<Value>(_ read: (JSONText, Int) throws -> Value) throws -> Value {
    guard !isAtEnd else { throw text.detour() }
    let value = try read(text, next)
    (next, currentIndex) = (text.end(of: next), currentIndex + 1)
    return value
  }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd else { throw text.detour() }
    return try text.isNull(at: next) && take { _, _ in true }
  }

  mutating func decode<Value: JSONScalar>(_ type: Value.Type) throws -> Value { try take { try Value($0, at: $1) } }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try take { try $0.decode(type, at: $1) }
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try take { try QuickDecoder(text: $0, index: $1).container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try take { try QuickDecoder(text: $0, index: $1).unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder { throw text.detour() }
}
