/// How a map is encoded.
public struct EncodingOptions: Hashable, Sendable {
  /// How exactly positions are kept.
  public enum Precision: Hashable, Sendable {
    /// Bit for bit.
    case lossless
    /// Each coordinate on an absolute grid through the origin, at most `bound` metres from where it was.
    ///
    /// The step of the grid is twice the bound, less the rounding of Float at the coordinate's size.
    case within(bound: Float)
  }

  /// The steps that a grid may have (metres).
  static let steps: ClosedRange<Float> = 1e-6...1000

  /// How exactly positions are kept.
  public var precision: Precision

  /// Options.
  public init(precision: Precision = .lossless) {
    self.precision = precision
  }

  /// Everything bit for bit.
  public static let lossless = EncodingOptions()
}
