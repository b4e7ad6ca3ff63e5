/// A type that a value of a JSON text is read as at once.
protocol JSONScalar: Decodable {
  /// The value of a token.
  init(_ text: JSONText, at index: Int) throws(JSONDetour)
}

extension Bool: JSONScalar {
  init(_ text: JSONText, at index: Int) throws(JSONDetour) { self = try text.bool(at: index) }
}

extension String: JSONScalar {
  init(_ text: JSONText, at index: Int) throws(JSONDetour) { self = try text.string(at: index) }
}

extension Double: JSONScalar {
  init(_ text: JSONText, at index: Int) throws(JSONDetour) {
    guard let value = try text.number(at: index).double else { throw text.detour() }
    self = value
  }
}

extension Float: JSONScalar {
  init(_ text: JSONText, at index: Int) throws(JSONDetour) {
    guard let value = try text.number(at: index).float else { throw text.detour() }
    self = value
  }
}

extension JSONScalar where Self: FixedWidthInteger {
  init(_ text: JSONText, at index: Int) throws(JSONDetour) {
    guard let value = try text.number(at: index).integer(as: Self.self) else { throw text.detour() }
    self = value
  }
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
