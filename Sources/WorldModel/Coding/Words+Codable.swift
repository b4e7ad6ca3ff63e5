// These enums are encoded as the names of their cases: their raw values belong to the map format and mean nothing to the
// reader of a JSON text.

extension AnchorFilter.Kind: Codable {
  /// Decodes the name of a case.
  public init(from decoder: any Decoder) throws { self = try decoder.readWord() }

  /// Encodes the name of the case.
  public func encode(to encoder: any Encoder) throws { try encoder.write(word: self) }
}

extension Anchor.Plane.Alignment: Codable {
  /// Decodes the name of a case.
  public init(from decoder: any Decoder) throws { self = try decoder.readWord() }

  /// Encodes the name of the case.
  public func encode(to encoder: any Encoder) throws { try encoder.write(word: self) }
}

extension Anchor.Plane.Classification: Codable {
  /// Decodes the name of a case.
  public init(from decoder: any Decoder) throws { self = try decoder.readWord() }

  /// Encodes the name of the case.
  public func encode(to encoder: any Encoder) throws { try encoder.write(word: self) }
}

extension Decoder {
  /// The case with the name that is read.
  fileprivate func readWord<Value: CaseIterable>() throws -> Value {
    let container = try singleValueContainer()
    let word = try container.decode(String.self)
    guard let value = Value.allCases.first(where: { "\($0)" == word }) else {
      let words = Value.allCases.map { "\($0)" }.joined(separator: ", ")
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(word)' is not one of \(words)")
    }
    return value
  }
}

extension Encoder {
  /// Writes the name of a case.
  fileprivate func write<Value: CaseIterable>(word: Value) throws {
    var container = singleValueContainer()
    try container.encode("\(word)")
  }
}
