/// A colour: red, green and blue, 0–255.
typealias Colour = SIMD3<Float>

/// The colours of a picture, in one place.
enum PictureStyle {
  static let background = Colour(15, 18, 24)
  static let text = Colour(236, 240, 245)
  static let faint = Colour(138, 150, 166)
  static let marker = Colour(255, 104, 64)
  static let label = Colour(24, 29, 38)
  static let plane = Colour(110, 168, 220)
  static let axes: [Colour] = [Colour(240, 84, 84), Colour(110, 205, 96), Colour(92, 140, 255)]

  /// Viridis (van der Walt and Smith, 2015) at nine stops, its dark end brightened for a dark ground.
  static func height(_ fraction: Float) -> Colour {
    let stops: [Colour] = [
      Colour(92, 88, 178), Colour(66, 100, 164), Colour(45, 112, 142), Colour(35, 138, 141), Colour(32, 163, 135),
      Colour(60, 187, 117), Colour(116, 208, 85), Colour(184, 222, 41), Colour(253, 231, 37),
    ]
    let place = min(max(fraction, 0), 1) * Float(stops.count - 1)
    let index = min(Int(place), stops.count - 2)
    return stops[index] + (stops[index + 1] - stops[index]) * (place - Float(index))
  }

  /// The ramp of ``height(_:)`` in 256 steps.
  static let heights: [Colour] = (0..<256).map { height(Float($0) / 255) }
}
