extension Transform: Codable {
  /// Decodes sixteen numbers, column by column.
  ///
  /// Like the initialisers it accepts matrices that are not rigid: ``validate()`` refuses those.
  /// - Throws: `DecodingError` for any other count of numbers.
  public init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    var numbers: [Float] = []
    while !container.isAtEnd, numbers.count <= 16 { numbers.append(try container.decode(Float.self)) }
    guard numbers.count == 16 else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "a transform has 16 numbers, column by column")
    }
    let columns = (0..<4).map { SIMD4(numbers[4 * $0..<4 * $0 + 4]) }
    self.init(columns: (columns[0], columns[1], columns[2], columns[3]))
  }

  /// Encodes sixteen numbers, column by column.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for column in [columns.0, columns.1, columns.2, columns.3] {
      for row in 0..<4 { try container.encode(column[row]) }
    }
  }
}
