/// A JSON value (RFC 8259) whose objects keep the order of their members.
package enum JSON: Equatable, Sendable {
  case null
  case bool(Bool)
  case integer(Int)
  case number(Double)
  case single(Float)
  case string(String)
  case array([JSON])
  case object(Members)

  /// A point as an array of three numbers.
  package static func point(_ point: SIMD3<Float>) -> JSON {
    .array([.single(point.x), .single(point.y), .single(point.z)])
  }

  /// A time, to the microsecond.
  package static func seconds(_ seconds: Double) -> JSON { .number((seconds * 1_000_000).rounded() / 1_000_000) }

  /// The text, or null.
  package static func optional(_ text: String?) -> JSON { text.map(JSON.string) ?? .null }

  /// The value as text on one line.
  package var text: String {
    var out = ""
    write(to: &out)
    return out
  }

  private func write(to out: inout String) {
    switch self {
    case .null: out += "null"
    case .bool(let value): out += value ? "true" : "false"
    case .integer(let value): out += "\(value)"
    // JSON has no word for a number that is not finite.
    case .number(let value): out += value.isFinite ? "\(value)" : "null"
    case .single(let value): out += value.isFinite ? "\(value)" : "null"
    case .string(let value): Self.write(value, to: &out)
    case .array(let values):
      out += "["
      for (index, value) in values.enumerated() {
        if index > 0 { out += "," }
        value.write(to: &out)
      }
      out += "]"
    case .object(let members):
      out += "{"
      for (index, member) in members.list.enumerated() {
        if index > 0 { out += "," }
        Self.write(member.name, to: &out)
        out += ":"
        member.value.write(to: &out)
      }
      out += "}"
    }
  }

  private static func write(_ text: String, to out: inout String) {
    out += "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case "\n": out += "\\n"
      case "\u{0}"..."\u{1f}", "\u{7f}":
        let digits = String(scalar.value, radix: 16)
        out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: out.unicodeScalars.append(scalar)
      }
    }
    out += "\""
  }
}

extension JSON {
  /// The members of an object, in order.
  package struct Members: Equatable, Sendable, ExpressibleByDictionaryLiteral {
    struct Member: Equatable, Sendable {
      let name: String
      let value: JSON
    }

    let list: [Member]

    package init(dictionaryLiteral members: (String, JSON)...) {
      list = members.map { Member(name: $0.0, value: $0.1) }
    }

    /// Members whose names are no literals.
    package init(_ members: [(String, JSON)]) {
      list = members.map { Member(name: $0.0, value: $0.1) }
    }

    private init(_ list: [Member]) {
      self.list = list
    }

    package static func + (left: Self, right: Self) -> Self { Self(left.list + right.list) }
  }
}

extension JSON: ExpressibleByDictionaryLiteral, ExpressibleByStringLiteral {
  package init(dictionaryLiteral members: (String, JSON)...) {
    self = .object(members.reduce([:]) { $0 + Members(dictionaryLiteral: $1) })
  }

  package init(stringLiteral text: String) { self = .string(text) }
}
