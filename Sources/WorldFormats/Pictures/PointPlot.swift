/// A grid of pixels on which dots hide what is behind them.
struct PointPlot {
  let width: Int
  let height: Int
  /// The depth of each pixel, row by row; infinite where there is no dot.
  private(set) var depths: [Float]
  /// The colour of each pixel, 0xRRGGBB.
  private(set) var colors: [UInt32]

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    depths = [Float](repeating: .infinity, count: width * height)
    colors = [UInt32](repeating: 0, count: width * height)
  }

  /// Draws a disc; a radius below half a pixel still fills the pixel of its middle.
  @inline(__always)
  mutating func dot(at center: SIMD2<Float>, radius: Float, depth: Float, color: Color) {
    let limit = SIMD2(Float(width), Float(height))
    guard all(center .> -radius .& center .< limit + radius) else { return }
    let packed = UInt32(color.x) << 16 | UInt32(color.y) << 8 | UInt32(color.z)
    let low = (center - radius).clamped(lowerBound: .zero, upperBound: limit - 1)
    let high = (center + radius).clamped(lowerBound: .zero, upperBound: limit - 1)
    let reach = max(radius * radius, 0.5)
    for y in Int(low.y)...Int(high.y) {
      for x in Int(low.x)...Int(high.x) {
        let offset = SIMD2(Float(x) + 0.5, Float(y) + 0.5) - center
        let slot = y * width + x
        guard offset.x * offset.x + offset.y * offset.y <= reach, depth < depths[slot] else { continue }
        depths[slot] = depth
        colors[slot] = packed
      }
    }
  }

  /// The colour of a pixel; nil where there is no dot.
  @inline(__always)
  func color(x: Int, y: Int) -> Color? {
    let slot = y * width + x
    guard depths[slot] < .infinity else { return nil }
    let packed = colors[slot]
    return Color(Float(packed >> 16), Float(packed >> 8 & 255), Float(packed & 255))
  }
}
