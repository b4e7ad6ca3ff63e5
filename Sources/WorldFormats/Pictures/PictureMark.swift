/// Something drawn over the points, in pixels from the top left corner.
enum PictureMark: Equatable {
  /// A straight line.
  case line(from: SIMD2<Float>, to: SIMD2<Float>, width: Float, colour: Colour, opacity: Float)
  /// A filled disc with a white rim.
  case pin(at: SIMD2<Float>, radius: Float, colour: Colour)
  /// A filled rectangle.
  case box(from: SIMD2<Float>, to: SIMD2<Float>, colour: Colour, opacity: Float)
  /// A line of text whose top left corner is `at`; a pixel of its letters is `scale` pixels wide.
  case text(String, at: SIMD2<Float>, scale: Int, colour: Colour)
}
