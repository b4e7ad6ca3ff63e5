import CQREncode

/// A text as a QR code (ISO/IEC 18004), for a camera to read from a terminal.
package struct QRCode: Equatable, Sendable {
  /// The blank modules that a reader needs on each side.
  private static let margin = 4

  /// The rows of modules, from above, without the margin; true for a dark one.
  package let rows: [[Bool]]

  /// The smallest code that holds the text and can lose 15 % of its modules (level M); nil for a text of over 2,331 bytes, or
  /// an empty one, or one with a zero byte.
  package init?(_ text: String) {
    guard !text.utf8.contains(0), let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else { return nil }
    defer { QRcode_free(code) }
    let size = Int(code.pointee.width)
    // The lowest bit of a byte is the module; the others say what it is for.
    let modules = UnsafeBufferPointer(start: code.pointee.data, count: size * size)
    rows = (0..<size).map { row in modules[row * size..<(row + 1) * size].map { $0 & 1 == 1 } }
  }

  /// The rows from above as texts of `1` for a dark module and `0` for a light one, for a program that draws them.
  package var json: JSON { .array(rows.map { row in .string(row.map { $0 ? "1" : "0" }.joined()) }) }

  /// The code for a terminal, two rows of modules a line; light modules are drawn, since most terminals are dark.
  package var lines: [String] {
    let range = -Self.margin..<rows.count + Self.margin
    return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
      String(range.map { column in Self.blocks[(isDark(row, column) ? 1 : 0) + (isDark(row + 1, column) ? 2 : 0)] })
    }
  }

  /// The characters for a light and a dark module above a light one, and for the same above a dark one.
  private static let blocks: [Character] = ["█", "▄", "▀", " "]

  private func isDark(_ row: Int, _ column: Int) -> Bool {
    rows.indices.contains(row) && rows.indices.contains(column) && rows[row][column]
  }
}
