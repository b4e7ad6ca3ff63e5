import Basics
import Testing

@Suite("Text of peers and files")
struct PlainTextTests {
  @Test(
    "what steers a terminal, ends a C string or turns a line around is refused where it is decoded",
    arguments: [
      "kitchen\0evil", "a\nb", "\u{1b}[31m", "\u{7f}", "\u{85}", "\u{9b}", "\u{2028}", "\u{2029}", "\u{061c}",
      "\u{200e}",
      "\u{200f}", "\u{202a}", "doc\u{202e}fdp", "\u{2066}", "\u{2069}",
    ])
  func refused(text: String) throws {
    var writer = ByteWriter()
    writer.writeString(text)
    var reader = ByteReader(writer.bytes.span)
    do {
      _ = try reader.readString(limit: 100)
      Issue.record("it was read")
    } catch {
      #expect(error == .invalid("text has control characters", offset: 0))
    }
    #expect(!PlainText.allows(text))
    #expect(PlainText.allows(PlainText.cleaned(text)) && PlainText.cleaned(text).contains("\u{fffd}"))
  }

  @Test(
    "every other text passes as it is, joiners too",
    arguments: ["", "kitchen", "Küche", "~", " ", "👩‍👩‍👧", "می‌خواهم", "क्‍ष", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "日本", "\u{a0}", "\u{fffd}", "\u{200b}"])
  func allowed(text: String) {
    #expect(PlainText.allows(text))
    #expect(PlainText.cleaned(text) == text)
  }
}
