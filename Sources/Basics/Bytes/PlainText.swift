/// The rule for text of a peer or a file: no character that steers a terminal, ends a C string early or turns a line
/// around.
///
/// The set is fixed, so that all peers refuse the same bytes whatever version of Unicode their system knows: the control
/// characters (U+0000–001F, U+007F–009F), the line and paragraph separators (U+2028–2029) and the bidirectional controls
/// (U+061C, U+200E–200F, U+202A–202E, U+2066–2069). Joiners stay: Persian, Hindi and many emoji need them.
///
/// Source: Unicode Technical Report 36 (Security Considerations) and Standard Annex 9, §2 (explicit directional formatting).
@usableFromInline package enum PlainText {
  /// Whether a scalar may stand in such text.
  package static func allows(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1f, 0x7f...0x9f, 0x061c, 0x200e...0x200f, 0x2028...0x202e, 0x2066...0x2069: false
    default: true
    }
  }

  /// Whether the whole text may.
  @usableFromInline package static func allows(_ text: String) -> Bool {
    // Printable ASCII is decided a byte at a time: operations carry names on a hot path.
    text.utf8.allSatisfy { (0x20...0x7e).contains($0) } || text.unicodeScalars.allSatisfy(allows)
  }

  /// The text with U+FFFD in the place of each such character.
  package static func cleaned(_ text: String) -> String {
    guard !allows(text) else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.map { allows($0) ? $0 : "\u{fffd}" }))
  }
}
