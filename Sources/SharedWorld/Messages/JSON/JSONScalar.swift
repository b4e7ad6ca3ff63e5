/// A type that a value of a JSON text is read as, and written from, at once.
protocol JSONScalar: Codable {
  /// The value of a token.
  init(_ text: JSONText, at index: Int) throws(JSONDetour)

  /// Appends the value as Foundation writes it.
  func write(to text: inout [UInt8]) throws(JSONDetour)
}

extension Bool: JSONScalar {
  init(_ text: JSONText, at index: Int) throws(JSONDetour) { self = try text.bool(at: index) }

  func write(to text: inout [UInt8]) { text.append(contentsOf: (self ? "true" : "false").utf8) }
}

extension String: JSONScalar {
  init(_ text: JSONText, at index: Int) throws(JSONDetour) { self = try text.string(at: index) }

  func write(to text: inout [UInt8]) throws(JSONDetour) {
    text.append(UInt8(ascii: "\""))
    for byte in utf8 {
      if JSONEscape.isNeedless(for: byte) {
        text.append(byte)
      } else if let letter = JSONEscape.letter(for: byte) {
        text.append(UInt8(ascii: "\\"))
        text.append(letter)
      } else {
        throw JSONDetour()
      }
    }
    text.append(UInt8(ascii: "\""))
  }
}

/// A floating-point number of a JSON text.
protocol JSONFloat: JSONScalar {
  /// The nearest value; nil where ``JSONNumber`` has none.
  init?(_ number: JSONNumber)
}

extension Double: JSONFloat {
  init?(_ number: JSONNumber) {
    guard let value = number.double else { return nil }
    self = value
  }
}

extension Float: JSONFloat {
  init?(_ number: JSONNumber) {
    guard let value = number.float else { return nil }
    self = value
  }
}

extension JSONFloat {
  init(_ text: JSONText, at index: Int) throws(JSONDetour) {
    guard let value = Self(try text.number(at: index)) else { throw text.detour() }
    self = value
  }
}

extension JSONScalar where Self: BinaryFloatingPoint & LosslessStringConvertible {
  func write(to text: inout [UInt8]) throws(JSONDetour) {
    guard isFinite else { throw JSONDetour() }
    let digits = description.utf8
    // Whole numbers have no fraction.
    text.append(contentsOf: digits.suffix(2).elementsEqual(".0".utf8) ? digits.dropLast(2) : digits[...])
  }
}

extension JSONScalar where Self: FixedWidthInteger {
  init(_ text: JSONText, at index: Int) throws(JSONDetour) {
    guard let value = try text.number(at: index).integer(as: Self.self) else { throw text.detour() }
    self = value
  }
}

extension JSONScalar where Self: FixedWidthInteger {
  func write(to text: inout [UInt8]) { text.append(contentsOf: description.utf8) }
}

extension Int: JSONScalar {}
extension Int8: JSONScalar {}
extension Int16: JSONScalar {}
extension Int32: JSONScalar {}
extension Int64: JSONScalar {}
extension Int128: JSONScalar {}
extension UInt: JSONScalar {}
extension UInt8: JSONScalar {}
extension UInt16: JSONScalar {}
extension UInt32: JSONScalar {}
extension UInt64: JSONScalar {}
extension UInt128: JSONScalar {}
