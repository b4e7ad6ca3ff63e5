/// The SplitMix64 generator (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
///
/// The same seed gives the same numbers on every machine. It is for made-up data and tests, never for secrets.
public struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
  private var state: UInt64

  /// A generator that begins at `seed`.
  public init(seed: UInt64) {
    state = seed
  }

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var bits = state
    bits = (bits ^ bits >> 30) &* 0xbf58_476d_1ce4_e5b9
    bits = (bits ^ bits >> 27) &* 0x94d0_49bb_1331_11eb
    return bits ^ bits >> 31
  }

  /// A number between the ends of `range`, evenly spread: the upper 24 of 64 bits, scaled.
  @inline(__always)
  package mutating func float(in range: ClosedRange<Float>) -> Float {
    let unit = Float(next() >> 40) * 0x1p-24
    return range.lowerBound + (range.upperBound - range.lowerBound) * unit
  }

  /// A vector with each component between the ends of `range`.
  @inline(__always)
  package mutating func vector(in range: ClosedRange<Float>) -> SIMD3<Float> {
    let x = float(in: range)
    let y = float(in: range)
    return SIMD3(x, y, float(in: range))
  }
}
