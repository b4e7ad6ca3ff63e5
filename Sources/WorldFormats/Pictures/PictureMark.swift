/// Something drawn over the points, in pixels from the top left corner.
enum PictureMark: Equatable {
  /// A straight line.
  case line(from: SIMD2<Float>, to: SIMD2<Float>, width: Float, color: Color, opacity: Float)
  /// A filled disc with a white rim.
  case pin(at: SIMD2<Float>, radius: Float, color: Color)
  /// A filled rectangle.
  case box(from: SIMD2<Float>, to: SIMD2<Float>, color: Color, opacity: Float)
  /// A line of text whose top left corner is `at`; a pixel of its letters is `scale` pixels wide.
  case text(String, at: SIMD2<Float>, scale: Int, color: Color)
}
