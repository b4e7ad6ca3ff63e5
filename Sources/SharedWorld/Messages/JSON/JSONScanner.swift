/// Reads the values of a JSON text (RFC 8259) into tokens, each container before what it holds.
///
/// It leaves to Foundation what is wrong, so that errors have its words, and what few texts have: deep ones, escapes of
/// Unicode, and objects whose many members would have to be looked up in another way than one after the other.
struct JSONScanner {
  private let bytes: [UInt8]
  private var position = 0
  private var tokens: [JSONToken] = []

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
    // Short names and numbers have so many bytes, and what is between them.
    tokens.reserveCapacity(bytes.count / 6)
  }

  /// The tokens of a text.
  static func tokens(of bytes: [UInt8]) throws(JSONDetour) -> [JSONToken] {
    var scanner = Self(bytes)
    try scanner.scanValue(depth: 0)
    guard scanner.position == bytes.count else { throw JSONDetour() }
    return scanner.tokens
  }

  /// Reads a value, with the space around it.
  private mutating func scanValue(depth: Int) throws(JSONDetour) {
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): try scanObject(depth: depth + 1)
    case UInt8(ascii: "["): try scanArray(depth: depth + 1)
    case UInt8(ascii: "\""): try scanString()
    case UInt8(ascii: "t"): try scan("true", as: .bool(true))
    case UInt8(ascii: "f"): try scan("false", as: .bool(false))
    case UInt8(ascii: "n"): try scan("null", as: .null)
    default: try scanNumber()
    }
    skipSpace()
  }

  // MARK: Containers

  private mutating func scanObject(depth: Int) throws(JSONDetour) {
    let index = try begin(depth: depth)
    var members = 0
    while !skip("}") {
      if members > 0 { try expect(",") }
      try scanKey()
      try expect(":")
      try scanValue(depth: depth)
      members += 1
      guard members <= JSONLimits.members else { throw JSONDetour() }
    }
    tokens[index] = .object(members: members, end: tokens.count)
  }

  private mutating func scanArray(depth: Int) throws(JSONDetour) {
    let index = try begin(depth: depth)
    var elements = 0
    while !skip("]") {
      if elements > 0 { try expect(",") }
      try scanValue(depth: depth)
      elements += 1
    }
    tokens[index] = .array(elements: elements, end: tokens.count)
  }

  /// Skips what opens a container, and the space behind it; the place of its token, which is known at its end.
  private mutating func begin(depth: Int) throws(JSONDetour) -> Int {
    guard depth <= JSONLimits.depth else { throw JSONDetour() }
    position += 1
    skipSpace()
    tokens.append(.null)
    return tokens.count - 1
  }

  /// Reads the name of a member, with the space around it.
  ///
  /// Outside ASCII strings of Swift are equal in other ways than by their bytes.
  private mutating func scanKey() throws(JSONDetour) {
    skipSpace()
    guard next == UInt8(ascii: "\""), try scanString() < 0x80 else { throw JSONDetour() }
    guard case .string(_, hasEscapes: false) = tokens[tokens.count - 1] else { throw JSONDetour() }
    skipSpace()
  }

  // MARK: Scalars

  /// Reads a string whose opening mark is next; all bits that its bytes have.
  @discardableResult
  private mutating func scanString() throws(JSONDetour) -> UInt8 {
    position += 1
    let start = position
    var (hasEscapes, bits): (Bool, UInt8) = (false, 0)
    while next != UInt8(ascii: "\"") {
      // Also the end of the text, where the next byte is 0.
      guard next >= 0x20 else { throw JSONDetour() }
      if next == UInt8(ascii: "\\") {
        hasEscapes = true
        position += 1
        guard JSONEscape.meaning(of: next) != nil else { throw JSONDetour() }
      }
      bits |= next
      position += 1
    }
    tokens.append(.string(start..<position, hasEscapes: hasEscapes))
    position += 1
    return bits
  }

  private mutating func scan(_ word: String, as token: JSONToken) throws(JSONDetour) {
    guard bytes[position...].starts(with: word.utf8) else { throw JSONDetour() }
    tokens.append(token)
    position += word.utf8.count
  }

  private mutating func scanNumber() throws(JSONDetour) {
    let start = position
    _ = skip("-")
    // A 0 is not followed by digits; in Foundation not by an exponent either.
    let isBelowOne = skip("0")
    if !isBelowOne { try skipDigits() }
    let isFraction = skip(".")
    if isFraction { try skipDigits() }
    if skip("e") || skip("E") {
      guard isFraction || !isBelowOne else { throw JSONDetour() }
      if !skip("+") { _ = skip("-") }
      try skipDigits()
    }
    tokens.append(.number(start..<position))
  }

  /// Skips digits, of which there is one at least.
  private mutating func skipDigits() throws(JSONDetour) {
    let start = position
    while (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) { position += 1 }
    guard position > start else { throw JSONDetour() }
  }

  // MARK: Bytes

  /// The next byte; 0, which no text has, behind the last one.
  private var next: UInt8 { position < bytes.count ? bytes[position] : 0 }

  /// Skips the next byte if it is this one; whether it was.
  private mutating func skip(_ byte: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: byte) else { return false }
    position += 1
    return true
  }

  private mutating func expect(_ byte: Unicode.Scalar) throws(JSONDetour) {
    guard skip(byte) else { throw JSONDetour() }
  }

  private mutating func skipSpace() {
    while true {
      switch next {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): position += 1
      default: return
      }
    }
  }
}
