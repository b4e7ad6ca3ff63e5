/// A value that is encoded as its text: a string in JSON, and a key where it keys a dictionary.
public protocol TextCodable: LosslessStringConvertible, Codable, CodingKeyRepresentable {}

extension TextCodable {
  /// Decodes the text that `description` writes.
  ///
  /// - Throws: `DecodingError.dataCorrupted` for any other text.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let value = Self(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a valid \(Self.self): '\(text)'")
    }
    self = value
  }

  /// Encodes the text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  /// The text as a key.
  public var codingKey: any CodingKey { TextKey(description) }

  /// Reads the text of a key; nil for any other text.
  public init?(codingKey: some CodingKey) { self.init(codingKey.stringValue) }
}

/// The key of a dictionary that is keyed by texts.
private struct TextKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ text: String) { stringValue = text }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}
