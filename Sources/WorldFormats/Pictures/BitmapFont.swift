/// Letters of five by seven pixels, as character displays have them, for text in pictures without a font library.
enum BitmapFont {
  /// The size of a line of text (pixels): each letter takes six columns, the last one without its gap.
  static func size(of text: String, scale: Int) -> SIMD2<Float> {
    SIMD2(Float(max(0, text.count * 6 - 1) * scale), Float(7 * scale))
  }

  /// The five columns of a letter, left first; bit 0 is the top row, bit 7 is below the line.
  ///
  /// Latin letters lose their accents, for there is no room above them; other characters are a box.
  static func columns(of character: Character) -> [UInt8] {
    let code = (plain[character] ?? character).asciiValue.map(Int.init) ?? 0
    let bits: UInt64 = (32..<127).contains(code) ? glyphs[code - 32] : 0x7f4141417f
    return (0..<5).map { UInt8(truncatingIfNeeded: bits >> UInt64(32 - 8 * $0)) }
  }

  /// The letters that are drawn for others.
  private static let plain: [Character: Character] = {
    let letters = [
      "AÀÁÂÃÄÅ", "aàáâãäå", "CÇĆČ", "cçćč", "DĎ", "dď", "EÈÉÊËĘĚ", "eèéêëęě", "IÌÍÎÏ", "iìíîï", "LŁ", "lł", "NÑŃŇ",
      "nñńň", "OÒÓÔÕÖØŐ", "oòóôõöøő", "RŘ", "rř", "SŚŠ", "sśšß", "TŤ", "tť", "UÙÚÛÜŮŰ", "uùúûüůű", "YÝ", "yýÿ", "ZŹŻŽ",
      "zźżž",
    ]
    let pairs = letters.flatMap { row in row.dropFirst().map { ($0, row[row.startIndex]) } }
    return Dictionary(uniqueKeysWithValues: pairs)
  }()

  /// The printable ASCII characters from the space on: five bytes each, the left column in the highest.
  private static let glyphs: [UInt64] = [
    0x0000000000, 0x00005f0000, 0x0007000700, 0x147f147f14, 0x242a7f2a12, 0x2313086462,
    0x3649562050, 0x0008070300, 0x001c224100, 0x0041221c00, 0x2a1c7f1c2a, 0x08083e0808,
    0x0080703000, 0x0808080808, 0x0000606000, 0x2010080402, 0x3e5149453e, 0x00427f4000,
    0x7249494946, 0x2141494d33, 0x1814127f10, 0x2745454539, 0x3c4a494931, 0x4121110907,
    0x3649494936, 0x464949291e, 0x0000140000, 0x0040340000, 0x0008142241, 0x1414141414,
    0x0041221408, 0x0201590906, 0x3e415d594e, 0x7c1211127c, 0x7f49494936, 0x3e41414122,
    0x7f4141413e, 0x7f49494941, 0x7f09090901, 0x3e41415173, 0x7f0808087f, 0x00417f4100,
    0x2040413f01, 0x7f08142241, 0x7f40404040, 0x7f021c027f, 0x7f0408107f, 0x3e4141413e,
    0x7f09090906, 0x3e4151215e, 0x7f09192946, 0x2649494932, 0x03017f0103, 0x3f4040403f,
    0x1f2040201f, 0x3f4038403f, 0x6314081463, 0x0304780403, 0x6159494d43, 0x007f414141,
    0x0204081020, 0x004141417f, 0x0402010204, 0x4040404040, 0x0003070800, 0x2054547840,
    0x7f28444438, 0x3844444428, 0x384444287f, 0x3854545418, 0x00087e0902, 0x18a4a49c78,
    0x7f08040478, 0x00447d4000, 0x2040403d00, 0x7f10284400, 0x00417f4000, 0x7c04780478,
    0x7c08040478, 0x3844444438, 0xfc18242418, 0x18242418fc, 0x7c08040408, 0x4854545424,
    0x04043f4424, 0x3c4040207c, 0x1c2040201c, 0x3c4030403c, 0x4428102844, 0x4c9090907c,
    0x4464544c44, 0x0008364100, 0x0000770000, 0x0041360800, 0x0201020402,
  ]
}
