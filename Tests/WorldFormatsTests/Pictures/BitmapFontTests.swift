import Testing

@testable import WorldFormats

@Suite struct BitmapFontTests {
  @Test func `letters with accents are drawn without, others as a box`() {
    for (letter, plain) in zip("ÄéüñßłŽ" as String, "AeunslZ" as String) {
      #expect(BitmapFont.columns(of: letter) == BitmapFont.columns(of: plain), "\(letter)")
    }
    // Written as a letter and an accent.
    #expect(BitmapFont.columns(of: "u\u{308}") == BitmapFont.columns(of: "u"))
    let box: [UInt8] = [0x7f, 0x41, 0x41, 0x41, 0x7f]
    #expect(BitmapFont.columns(of: "厨") == box && BitmapFont.columns(of: "\n") == box)
    #expect(BitmapFont.columns(of: "u") != box && BitmapFont.columns(of: " ") == [0, 0, 0, 0, 0])
  }
}
