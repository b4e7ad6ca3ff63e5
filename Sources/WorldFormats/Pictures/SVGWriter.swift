import Basics

/// Writes a picture as Scalable Vector Graphics 1.1.
struct SVGWriter {
  private var text: String

  init(width: Int, height: Int, background: Color) {
    text = """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)" \
      font-family="sans-serif">
      <rect width="100%" height="100%" fill="\(Self.hex(background))"/>

      """
  }

  /// Draws the pixels that have a dot: a path for each colour, a run of equal pixels as one stroke.
  ///
  /// Colours are rounded to steps of eight, so that there are few paths.
  mutating func draw(_ plot: PointPlot) {
    var paths: [UInt32: [String]] = [:]
    for y in 0..<plot.height {
      var x = 0
      while x < plot.width {
        guard let color = Self.rounded(plot, x, y) else {
          x += 1
          continue
        }
        let start = x
        repeat { x += 1 } while x < plot.width && Self.rounded(plot, x, y) == color
        paths[color, default: []].append("M\(start) \(y)h\(x - start)")
      }
    }
    text += "<g fill=\"none\" stroke-width=\"1\" transform=\"translate(0 0.5)\">\n"
    for color in paths.keys.inOrder() {
      let packed = Color(Float(color >> 16), Float(color >> 8 & 255), Float(color & 255))
      text += "<path stroke=\"\(Self.hex(packed))\" d=\"\((paths[color] ?? []).joined())\"/>\n"
    }
    text += "</g>\n"
  }

  private static func rounded(_ plot: PointPlot, _ x: Int, _ y: Int) -> UInt32? {
    guard plot.depths[y * plot.width + x] < .infinity else { return nil }
    return plot.colors[y * plot.width + x] & 0xf8f8f8
  }

  /// Draws a mark.
  mutating func draw(_ mark: PictureMark) {
    switch mark {
    case .line(let from, let to, let width, let color, let opacity):
      text += "<path d=\"M\(Self.pair(from))L\(Self.pair(to))\" stroke=\"\(Self.hex(color))\" "
      text += "stroke-width=\"\(Self.number(width))\" stroke-opacity=\"\(Self.number(opacity))\"/>\n"
    case .pin(let center, let radius, let color):
      text += "<circle cx=\"\(Self.number(center.x))\" cy=\"\(Self.number(center.y))\" r=\"\(Self.number(radius))\" "
      text += "fill=\"\(Self.hex(color))\" stroke=\"\(Self.hex(PictureStyle.text))\" stroke-width=\"1.5\"/>\n"
    case .box(let from, let to, let color, let opacity):
      text += "<rect x=\"\(Self.number(from.x))\" y=\"\(Self.number(from.y))\" width=\"\(Self.number(to.x - from.x))\" "
      text += "height=\"\(Self.number(to.y - from.y))\" rx=\"4\" fill=\"\(Self.hex(color))\" "
      text += "fill-opacity=\"\(Self.number(opacity))\"/>\n"
    case .text(let words, let origin, let scale, let color):
      // The same width as in the bitmap font, whatever font the viewer has.
      let extent = BitmapFont.size(of: words, scale: scale)
      text += "<text x=\"\(Self.number(origin.x))\" y=\"\(Self.number(origin.y + 7 * Float(scale)))\" "
      text += "font-size=\"\(8 * scale)\" textLength=\"\(Self.number(extent.x))\" lengthAdjust=\"spacingAndGlyphs\" "
      text += "fill=\"\(Self.hex(color))\">\(Self.escaped(words))</text>\n"
    }
  }

  /// The whole file.
  consuming func finish() -> String { text + "</svg>\n" }

  /// A colour as #rrggbb.
  private static func hex(_ color: Color) -> String {
    let bytes = (0..<3).map { UInt8(min(max(color[$0].rounded(), 0), 255)) }
    return "#" + bytes.hexadecimal
  }

  private static func pair(_ point: SIMD2<Float>) -> String { "\(number(point.x)) \(number(point.y))" }

  /// A number with at most two decimals.
  private static func number(_ value: Float) -> String {
    let hundredths = (value * 100).rounded()
    guard hundredths.magnitude < 1e9 else { return "0" }
    return "\(Double(hundredths) / 100)"
  }

  /// Text that means itself in XML; characters that XML 1.0 forbids become a space.
  private static func escaped(_ words: String) -> String {
    words.unicodeScalars.map { scalar -> String in
      switch scalar {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      case _ where scalar.value < 32 || scalar.value == 0xfffe || scalar.value == 0xffff: " "
      default: String(Character(scalar))
      }
    }.joined()
  }
}
