/// How a map is encoded.
public struct EncodingOptions: Hashable, Sendable {
  /// How exactly positions are kept.
  public enum Precision: Hashable, Sendable {
    /// Bit for bit.
    case lossless
    /// Each coordinate at most `bound` metres from where it was, on an absolute grid through the origin.
    ///
    /// The same bound always means the same grid, wherever the map lies and whatever else it holds. Bounds from 1 µm
    /// to 100 m are allowed.
    case within(bound: Float)
  }

  /// The effort spent on a smaller file.
  public enum Effort: Hashable, Sendable {
    /// Bit packing alone: the fastest.
    case fast
    /// Also code words of variable length where a sample shows that they gain.
    case compact
  }

  /// Which points share a block.
  public enum Arrangement: Hashable, Sendable {
    /// Those with neighbouring identifiers: the fastest.
    case byIdentifier
    /// Those that lie together, on an absolute grid: a change in one place changes few blocks, and a part of space can
    /// be read alone.
    case inSpace
  }

  /// The steps that a grid may have (metres).
  static let steps: ClosedRange<Float> = 1e-6...1000
  /// The bounds that may be asked for (metres).
  static let bounds: ClosedRange<Float> = 1e-6...100

  /// How exactly positions are kept.
  public var precision: Precision
  /// The effort spent on a smaller file.
  public var effort: Effort
  /// Which points share a block; the decoded map is the same.
  public var arrangement: Arrangement
  /// Whether the file has a parity of its points, for which it is 1/128 larger and by which ``WorldMap/salvage(_:)`` repairs
  /// a run of damage in up to 1/256 of a block.
  public var hasParity: Bool

  /// Options.
  public init(
    precision: Precision = .lossless, effort: Effort = .compact, arrangement: Arrangement = .byIdentifier,
    hasParity: Bool = false
  ) {
    self.precision = precision
    self.effort = effort
    self.arrangement = arrangement
    self.hasParity = hasParity
  }

  /// Everything bit for bit, as small as is fast.
  public static let lossless = EncodingOptions()
  /// Everything bit for bit, as fast as can be.
  public static let fast = EncodingOptions(effort: .fast)
  /// Positions within half a millimetre: a grid of a millimetre.
  public static let millimeter = EncodingOptions(precision: .within(bound: 0.0005))
  /// Everything bit for bit, for a file that is kept: with a parity.
  public static let kept = EncodingOptions(hasParity: true)

  /// How far a coordinate may move (metres); nil when it may not.
  var bound: Float? {
    switch precision {
    case .lossless: nil
    case .within(let bound): bound
    }
  }

  /// The step of the grid (metres); zero when positions are exact.
  ///
  /// It is twice the bound less one part in 64, which leaves room for the rounding of Float up to 2¹⁸ bounds from the
  /// origin; coordinates farther out that do not fit are stored exactly.
  func step() throws(WorldMapError) -> Float {
    guard let bound else { return 0 }
    guard Self.bounds.contains(bound) else { throw .invalidOption("a bound is from 0.000001 to 100 metres") }
    return bound * 2 * (63 / 64)
  }
}
