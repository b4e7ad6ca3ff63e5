/// The keys that a terminal sends, as scalars, and what is pasted as text.
package struct KeyInput: Sendable {
  /// One piece of the input.
  package enum Piece: Equatable, Sendable {
    /// A key, or a part of the sequence of one.
    case key(Unicode.Scalar)
    /// A part of a line that is pasted; control characters are left out, and a tab is a blank.
    case pasted(String)
  }

  /// The mark that a terminal sends before a paste, once it was asked to (xterm's "bracketed paste mode").
  package static let pasteStart = "\u{1b}[200~"
  private static let pasteEnd = Array("\u{1b}[201~".utf8)

  private var bytes: ArraySlice<UInt8> = []
  private var isPasting = false

  package init() {}

  /// Whether everything that came was read.
  package var isEmpty: Bool { bytes.isEmpty }

  /// Adds bytes of the terminal.
  package mutating func append(_ more: some Sequence<UInt8>) {
    bytes = ArraySlice(Array(bytes) + more)
  }

  /// From here to the end mark the input is pasted text.
  package mutating func beginPaste() { isPasting = true }

  /// The next piece; nil until more bytes have come.
  package mutating func next() -> Piece? { isPasting ? nextPasted() : nextKey().map(Piece.key) }

  /// The next scalar: a replacement character for bytes that are not UTF-8.
  private mutating func nextKey() -> Unicode.Scalar? {
    guard let first = bytes.first else { return nil }
    let length = first < 0x80 ? 1 : (0xC2...0xDF).contains(first) ? 2 : first & 0xF0 == 0xE0 ? 3 : 4
    let isLead = first < 0x80 || (0xC2...0xF4).contains(first)
    guard isLead else {
      bytes.removeFirst()
      return "\u{fffd}"
    }
    let rest = bytes.dropFirst().prefix(length - 1).prefix { $0 & 0xC0 == 0x80 }
    // The others of its bytes are still on their way.
    if rest.count < length - 1, 1 + rest.count == bytes.count { return nil }
    let scalar = bytes.prefix(1 + rest.count)
    bytes = bytes.dropFirst(scalar.count)
    return String(decoding: scalar, as: UTF8.self).unicodeScalars.first ?? "\u{fffd}"
  }

  /// A part of one pasted line, or the line feed at its end.
  private mutating func nextPasted() -> Piece? {
    guard let first = bytes.first else { return nil }
    if first == 0x1B {
      let mark = bytes.prefix(Self.pasteEnd.count)
      // It may still become the end mark.
      if mark.count < Self.pasteEnd.count, Self.pasteEnd.starts(with: mark) { return nil }
      isPasting = !mark.elementsEqual(Self.pasteEnd)
      bytes = bytes.dropFirst(isPasting ? 1 : mark.count)
      return next()
    }
    if first == 0x0D || first == 0x0A {
      bytes.removeFirst()
      return .key("\n")
    }
    let isEnd: (UInt8) -> Bool = { $0 == 0x1B || $0 == 0x0D || $0 == 0x0A }
    let end = bytes.firstIndex(where: isEnd) ?? wholeCharacters
    guard end > bytes.startIndex else { return nil }
    let part = bytes[..<end]
    bytes = bytes[end...]
    let text = String(decoding: part, as: UTF8.self).unicodeScalars.map { $0 == "\t" ? " " : $0 }
    let printable = text.filter { $0.properties.generalCategory != .control }
    return printable.isEmpty ? next() : .pasted(String(String.UnicodeScalarView(printable)))
  }

  /// The end of the bytes that are whole characters.
  private var wholeCharacters: Int {
    let tail = bytes.suffix(4)
    guard let lead = tail.lastIndex(where: { $0 & 0xC0 != 0x80 }), bytes[lead] >= 0xC2 else { return bytes.endIndex }
    let length = bytes[lead] < 0xE0 ? 2 : bytes[lead] < 0xF0 ? 3 : 4
    return bytes.endIndex - lead < length ? lead : bytes.endIndex
  }
}
