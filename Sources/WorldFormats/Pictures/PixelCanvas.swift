/// A picture in memory that marks are drawn on, with smooth rims.
struct PixelCanvas {
  let width: Int
  let height: Int
  /// Row by row from the top left.
  private var pixels: [Color]

  /// The average of squares of `factor` by `factor` pixels of `plot`; pixels without a dot count as `background`.
  init(averaging plot: PointPlot, by factor: Int, over background: Color) {
    width = plot.width / factor
    height = plot.height / factor
    pixels = [Color](repeating: background, count: width * height)
    for y in 0..<height {
      for x in 0..<width {
        var sum = Color.zero
        for inner in 0..<(factor * factor) {
          sum += plot.color(x: x * factor + inner % factor, y: y * factor + inner / factor) ?? background
        }
        pixels[y * width + x] = sum / Float(factor * factor)
      }
    }
  }

  /// A pixel as bytes.
  @inline(__always)
  func bytes(x: Int, y: Int) -> SIMD3<UInt8> {
    let pixel = pixels[y * width + x].rounded(.toNearestOrEven)
    return SIMD3(UInt8(pixel.x), UInt8(pixel.y), UInt8(pixel.z))
  }

  /// Draws a mark.
  mutating func draw(_ mark: PictureMark) {
    switch mark {
    case .line(let from, let to, let width, let color, let opacity):
      cover(around: [from, to], reach: width, with: color, opacity) { pixel in
        width / 2 - Self.distance(of: pixel, from, to)
      }
    case .pin(let center, let radius, let color):
      cover(around: [center], reach: radius + 2, with: PictureStyle.text, 1) { radius + 1.5 - ($0 - center).length }
      cover(around: [center], reach: radius, with: color, 1) { radius - ($0 - center).length }
    case .box(let from, let to, let color, let opacity):
      cover(around: [from, to], reach: 0, with: color, opacity) { pixel in
        min((pixel - from).min(), (to - pixel).min())
      }
    case .text(let text, let origin, let scale, let color):
      write(text, at: origin, scale: scale, color)
    }
  }

  /// Mixes `color` in where `depth`, the distance into the shape (pixels), is above −½; the rim is half covered at 0.
  private mutating func cover(
    around points: [SIMD2<Float>], reach: Float, with color: Color, _ opacity: Float,
    depth: (SIMD2<Float>) -> Float
  ) {
    guard let first = points.first else { return }
    let limit = SIMD2(Float(width - 1), Float(height - 1))
    let low = (points.reduce(first) { pointwiseMin($0, $1) } - reach - 1).clamped(lowerBound: .zero, upperBound: limit)
    let high = (points.reduce(first) { pointwiseMax($0, $1) } + reach + 1).clamped(lowerBound: .zero, upperBound: limit)
    for y in Int(low.y)...Int(high.y) {
      for x in Int(low.x)...Int(high.x) {
        let share = min(max(depth(SIMD2(Float(x) + 0.5, Float(y) + 0.5)) + 0.5, 0), 1) * opacity
        guard share > 0 else { continue }
        pixels[y * width + x] += (color - pixels[y * width + x]) * share
      }
    }
  }

  /// The distance of `pixel` from the line between two points.
  private static func distance(of pixel: SIMD2<Float>, _ from: SIMD2<Float>, _ to: SIMD2<Float>) -> Float {
    let line = to - from
    let along = (pixel - from).dot(line) / max(line.lengthSquared, 1e-6)
    return (pixel - from - line * min(max(along, 0), 1)).length
  }

  /// Writes text in the bitmap font.
  private mutating func write(_ text: String, at origin: SIMD2<Float>, scale: Int, _ color: Color) {
    var left = Int(origin.x.rounded())
    let top = Int(origin.y.rounded())
    for character in text {
      for (column, bits) in BitmapFont.columns(of: character).enumerated() {
        for row in 0..<8 where bits >> UInt8(row) & 1 == 1 {
          for inner in 0..<(scale * scale) {
            let x = left + column * scale + inner % scale
            let y = top + row * scale + inner / scale
            if x >= 0, x < width, y >= 0, y < height { pixels[y * width + x] = color }
          }
        }
      }
      left += 6 * scale
    }
  }
}
