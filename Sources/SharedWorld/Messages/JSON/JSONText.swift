import Basics

/// A JSON text whose values are read on demand.
final class JSONText {
  private let bytes: [UInt8]
  private let tokens: [JSONToken]
  /// Whether something was asked that is left to Foundation, also where an app's `init(from:)` has caught the error.
  private(set) var wasLeft = false

  /// Reads a text.
  init(_ bytes: [UInt8]) throws(JSONDetour) {
    self.bytes = bytes
    tokens = try JSONScanner.tokens(of: bytes)
  }

  /// The error for what is left to Foundation.
  func detour() -> JSONDetour {
    wasLeft = true
    return JSONDetour()
  }

  /// A value as an app's type has it decoded.
  func decode<Value: Decodable>(_ type: Value.Type, at index: Int) throws -> Value {
    switch JSONForm(of: type) {
    case nil: try Value(from: QuickDecoder(text: self, index: index))
    case .foreign: throw detour()
    // The form says that this is the type. A cast would look up the type of its optional result.
    case .floats: unsafeBitCast(try numbers(Float.self, at: index), to: type)
    case .doubles: unsafeBitCast(try numbers(Double.self, at: index), to: type)
    }
  }

  private func numbers<Value: JSONFloat>(_ type: Value.Type, at index: Int) throws(JSONDetour) -> [Value] {
    guard case .array(let count, _) = tokens[index] else { throw detour() }
    // Once for all of them: each look at a property of an object counts a reference.
    let (bytes, tokens) = (bytes, tokens)
    var values: [Value] = []
    values.reserveCapacity(count)
    for place in index + 1..<index + 1 + count {
      guard case .number(let range) = tokens[place], let value = Value(JSONNumber(bytes[range])) else { throw detour() }
      values.append(value)
    }
    return values
  }
}

// MARK: - Scalars

extension JSONText {
  func isNull(at index: Int) -> Bool {
    guard case .null = tokens[index] else { return false }
    return true
  }

  func bool(at index: Int) throws(JSONDetour) -> Bool {
    guard case .bool(let value) = tokens[index] else { throw detour() }
    return value
  }

  func number(at index: Int) throws(JSONDetour) -> JSONNumber {
    guard case .number(let range) = tokens[index] else { throw detour() }
    return JSONNumber(bytes[range])
  }

  func string(at index: Int) throws(JSONDetour) -> String {
    guard case .string(let range, let hasEscapes) = tokens[index] else { throw detour() }
    let (bytes, kept) = hasEscapes ? (unescaped(bytes[range]), nil) : (bytes, range)
    let span = bytes.span
    guard let string = String(utf8: span.extracting(kept ?? span.indices)) else { throw detour() }
    return string
  }

  private func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var (result, isEscaped): ([UInt8], Bool) = ([], false)
    for byte in text {
      if isEscaped, let meant = JSONEscape.meaning(of: byte) {
        result.append(meant)
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else {
        result.append(byte)
      }
    }
    return result
  }
}

// MARK: - Containers

extension JSONText {
  /// The number of values of an array.
  func count(at index: Int) throws(JSONDetour) -> Int {
    guard case .array(let count, _) = tokens[index] else { throw detour() }
    return count
  }

  func isObject(at index: Int) -> Bool {
    guard case .object = tokens[index] else { return false }
    return true
  }

  /// The token behind a value.
  func end(of index: Int) -> Int {
    switch tokens[index] {
    case .null, .bool, .number, .string: index + 1
    case .object(_, let end), .array(_, let end): end
    }
  }

  /// The value of a member of an object; the first one of several, as in Foundation.
  func value(of key: String, in object: Int) -> Int? {
    // Held here, since a span of a property does not live long enough.
    let bytes = bytes
    return members(of: object).first { member in
      let all = bytes.span.bytes
      return all.extracting(member.name).isText(key)
    }?.value
  }

  /// The names of an object's members.
  func keys(of object: Int) -> [String] { members(of: object).map { key($0.name) } }

  private func key(_ name: Range<Int>) -> String { String(decoding: bytes[name], as: UTF8.self) }

  /// The members of an object, one after the other.
  private struct Members: Sequence, IteratorProtocol {
    let text: JSONText
    /// The name of the next one.
    var index: Int
    /// How many are left.
    var left: Int

    mutating func next() -> (name: Range<Int>, value: Int)? {
      guard left > 0, case .string(let name, _) = text.tokens[index] else { return nil }
      let value = index + 1
      (index, left) = (text.end(of: value), left - 1)
      return (name, value)
    }
  }

  private func members(of object: Int) -> Members {
    guard case .object(let count, _) = tokens[object] else { return Members(text: self, index: object, left: 0) }
    return Members(text: self, index: object + 1, left: count)
  }

  /// The way from the whole text to a value.
  func path(to index: Int) -> [any CodingKey] {
    var (path, container): ([any CodingKey], Int) = ([], 0)
    while container != index, let (key, value) = step(from: container, to: index) {
      path.append(key)
      container = value
    }
    return path
  }

  /// The value within a container that is another one or holds it, and its key.
  private func step(from container: Int, to index: Int) -> (JSONKey, Int)? {
    if isObject(at: container) {
      return members(of: container).first { index < end(of: $0.value) }.map { (JSONKey(key($0.name)), $0.value) }
    }
    var (place, value) = (0, container + 1)
    while index >= end(of: value) { (place, value) = (place + 1, end(of: value)) }
    return (JSONKey(place), value)
  }
}

/// The key of a value on the way to another one.
struct JSONKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(_ index: Int) { (stringValue, intValue) = ("Index \(index)", index) }
  init(_ name: String) { (stringValue, intValue) = (name, nil) }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { self.init(intValue) }
}
