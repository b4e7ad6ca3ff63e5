/// A colour: red, green and blue, 0–255.
typealias Color = SIMD3<Float>

/// The colours of a picture, in one place.
enum PictureStyle {
  static let background = Color(15, 18, 24)
  static let text = Color(236, 240, 245)
  static let faint = Color(138, 150, 166)
  static let marker = Color(255, 104, 64)
  static let label = Color(24, 29, 38)
  static let plane = Color(110, 168, 220)
  static let axes: [Color] = [Color(240, 84, 84), Color(110, 205, 96), Color(92, 140, 255)]

  /// Viridis (van der Walt and Smith, 2015) at nine stops, its dark end brightened for a dark ground.
  static func height(_ fraction: Float) -> Color {
    let stops: [Color] = [
      Color(92, 88, 178), Color(66, 100, 164), Color(45, 112, 142), Color(35, 138, 141), Color(32, 163, 135),
      Color(60, 187, 117), Color(116, 208, 85), Color(184, 222, 41), Color(253, 231, 37),
    ]
    let place = min(max(fraction, 0), 1) * Float(stops.count - 1)
    let index = min(Int(place), stops.count - 2)
    return stops[index] + (stops[index + 1] - stops[index]) * (place - Float(index))
  }

  /// The ramp of ``height(_:)`` in 256 steps.
  static let heights: [Color] = (0..<256).map { height(Float($0) / 255) }
}
