import PeerCLI
import Testing

@Suite("QR codes in a terminal")
struct QRCodeTests {
  @Test("a short text is a code of 21 modules a side, with its three finder patterns")
  func finders() throws {
    let code = try #require(QRCode("sharedworld"))
    #expect(code.rows.count == 21 && code.rows.allSatisfy { $0.count == 21 })
    // ISO/IEC 18004 §6.3.3: rings of 7 dark, 5 light and 3 dark modules in three corners.
    let finder = ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111"]
    for (top, left) in [(0, 0), (0, 14), (14, 0)] {
      let corner = code.rows[top..<top + 7].map { row in
        row[left..<left + 7].map { $0 ? "1" : "0" }.joined()
      }
      #expect(corner == finder)
    }
  }

  @Test("the lines of the terminal show every module inverted, with a margin of four")
  func lines() throws {
    let code = try #require(QRCode("sharedworld"))
    let lines = code.lines
    #expect(lines.count == 15 && lines.allSatisfy { $0.count == 29 })
    #expect(lines[0] == String(repeating: "█", count: 29) && lines[1] == lines[0])
    // The top left finder: a dark row above one of light modules between two dark ones.
    #expect(lines[2].hasPrefix("████ ▄▄▄▄▄ █"))
    let shown = lines.flatMap { line in
      [line.map { $0 == " " || $0 == "▄" }, line.map { $0 == " " || $0 == "▀" }]
    }
    #expect(shown[4..<25].map { Array($0[4..<25]) } == code.rows)
  }

  @Test("other texts are other codes; what no code can hold has none")
  func limits() throws {
    #expect(QRCode("a") != QRCode("b"))
    #expect(QRCode("") == nil && QRCode("a\0b") == nil)
    #expect(try #require(QRCode(String(repeating: "x", count: 2331))).rows.count == 177)
    #expect(QRCode(String(repeating: "x", count: 2332)) == nil)
  }
}
