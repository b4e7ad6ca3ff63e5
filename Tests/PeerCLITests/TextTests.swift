import Testing

@testable import PeerCLI

@Suite("Text for people")
struct TextTests {
  @Test("numbers are rounded and grouped")
  func numbers() {
    #expect([0, 999, 1_000, 1_234_567].map(Text.count) == ["0", "999", "1,000", "1,234,567"])
    #expect(
      [0, 1.00075, -0.0001, -2.5, .nan].map { Text.decimal($0) } == ["0.000", "1.001", "0.000", "-2.500", "nan"])
    #expect([12, 20_000, 12_300_000].map(Text.bytes) == ["12 bytes", "20.0 kB", "12.3 MB"])
    #expect(Text.vector([1, -0.25, 0]) == "(1.000, -0.250, 0.000)")
  }

  @Test("a name from the network cannot steer the terminal")
  func safety() {
    let line: Line = "\("\u{1b}[2Jeve\n\u{202e}", .name) joined"
    #expect(line.text(color: false) == "\u{fffd}[2Jeve\u{fffd}\u{fffd} joined")
  }

  @Test("the bar shows the share", arguments: [(0, "─", " 0 %"), (50_000, "━", " 50 %"), (100_000, "━", " 100 %")])
  func progress(done: Int, first: String, percent: String) {
    let text = ProgressBar(done, of: 100_000).line.text(color: false)
    #expect(text.hasPrefix(first) && text.hasSuffix(percent))
  }
}
