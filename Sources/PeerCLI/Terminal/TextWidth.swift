/// The columns that text takes in a terminal.
package enum TextWidth {
  /// The scalars that terminals show two columns wide (UAX #11: W and F), beside emoji.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF,
    0x4E00...0x9FFF, 0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19,
    0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1B000...0x1B2FF, 0x20000...0x3FFFD,
  ]

  /// The columns of one scalar: 0 for marks that join the one before, 2 for wide ones.
  package static func of(_ scalar: Unicode.Scalar) -> Int {
    guard scalar.value >= 0x300 else { return 1 }
    let marks: [Unicode.GeneralCategory] = [.nonspacingMark, .enclosingMark, .format]
    if marks.contains(scalar.properties.generalCategory) { return 0 }
    if scalar.properties.isEmojiPresentation { return 2 }
    return wide.contains { $0.contains(scalar.value) } ? 2 : 1
  }

  /// The columns of a text without control characters.
  package static func of(_ text: some StringProtocol) -> Int { text.unicodeScalars.reduce(0) { $0 + of($1) } }

  /// The beginning of `text` that fits into so many columns.
  package static func beginning(of text: some StringProtocol, columns: Int) -> String {
    var left = columns
    var fitting = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      left -= of(scalar)
      guard left >= 0 else { break }
      fitting.append(scalar)
    }
    return String(fitting)
  }
}
